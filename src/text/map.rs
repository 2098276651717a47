//! Maps and sets of names.

/// A map with a hash that is quick for short keys, and seeded, so that no text can be made whose names collide.
pub type Map<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A set, likewise.
pub type Set<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;
