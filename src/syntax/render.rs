//! How keys and values are written.

/// `name` as a key, quoted only where TOML asks for it.
pub fn key(name: &str) -> String {
    toml_edit::Key::new(name).display_repr().into_owned()
}

/// `text` as a basic string, or a literal one where that needs no escapes.
pub fn string(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}
