//! A few names, or many, by name.

use super::Map;
use smallvec::SmallVec;

/// So many are searched one by one, which is sooner done than one hash.
const FEW: usize = 8;

/// Names that are looked up often: where each one is first.
#[derive(Clone, Debug, Default)]
pub struct NameIndex<'a> {
    names: SmallVec<[&'a str; FEW]>,
    /// Where each name is first; empty where they are few.
    hashed: Map<&'a str, usize>,
}

impl<'a> NameIndex<'a> {
    /// Where `name` is first.
    pub fn position(&self, name: &str) -> Option<usize> {
        match self.names.len() > FEW {
            true => self.hashed.get(name).copied(),
            false => self.names.iter().position(|one| *one == name),
        }
    }

    /// Whether `name` is one of them.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_some()
    }
}

impl<'a> FromIterator<&'a str> for NameIndex<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let names: SmallVec<[&str; FEW]> = names.into_iter().collect();
        let mut hashed = Map::default();
        if names.len() > FEW {
            for (index, name) in names.iter().enumerate() {
                hashed.entry(*name).or_insert(index);
            }
        }
        Self { names, hashed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_is_found_among_few_and_among_many() {
        for count in [0, 1, FEW - 2, FEW, 100] {
            let others: Vec<String> = (0..count).map(|number| format!("n{number}")).collect();
            let others = others.iter().map(String::as_str);
            let index: NameIndex = others.clone().chain(["twice", "twice"]).collect();
            assert_eq!(index.position("twice"), Some(count), "{count}");
            assert!(others.clone().all(|name| index.contains(name)), "{count}");
            assert!(!index.contains("none"), "{count}");
        }
    }
}
