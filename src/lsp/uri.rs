//! URIs as clients write them.
//!
//! The protocol's library takes valid URIs only, and would drop a message with a space, a bracket or an accent in one;
//! clients send them all the same. So [`Spellings`] writes such URIs validly on the way in, remembers what they were,
//! and writes them as the client did on the way out. Documents are found by a [`key`] in which all spellings of
//! one place are equal.

use crate::workspace::DocumentKey;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use tower_lsp::ls_types::Uri;

/// The invalid URIs seen in this session, by the valid ones they were replaced with.
#[derive(Debug, Default)]
pub struct Spellings {
    originals: Mutex<HashMap<String, String>>,
}

/// How deep URIs lie in messages, with some room: `params.capabilities…` has none, and edits end above this.
const MAX_DEPTH: usize = 12;

impl Spellings {
    /// Replaces the invalid URIs in a message of the client.
    pub fn make_valid(&self, message: &mut Value) {
        visit_uris(message, MAX_DEPTH, &mut |uri| {
            if Uri::from_str(uri).is_ok() {
                return;
            }
            let valid = escape(uri);
            if Uri::from_str(&valid).is_ok() {
                let original = std::mem::replace(uri, valid.clone());
                self.lock().insert(valid, original);
            }
        });
    }

    /// Whether every URI was valid so far.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Puts the client's spellings back into a message to it.
    pub fn restore(&self, message: &mut Value) {
        let originals = self.lock();
        visit_uris(message, MAX_DEPTH, &mut |uri| {
            if let Some(original) = originals.get(uri.as_str()) {
                original.clone_into(uri);
            }
        });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, String>> {
        self.originals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Calls `change` for every string whose key says that it is a URI, and for the keys of `changes`.
fn visit_uris(value: &mut Value, depth: usize, change: &mut impl FnMut(&mut String)) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Array(items) => {
            for item in items {
                visit_uris(item, depth - 1, change);
            }
        }
        Value::Object(members) => {
            if let Some(Value::Object(changes)) = members.get_mut("changes") {
                *changes = std::mem::take(changes)
                    .into_iter()
                    .map(|(mut uri, edits)| {
                        change(&mut uri);
                        (uri, edits)
                    })
                    .collect();
            }
            for (key, value) in members {
                match value {
                    Value::String(uri) if key == "uri" || key.ends_with("Uri") => change(uri),
                    _ => visit_uris(value, depth - 1, change),
                }
            }
        }
        _ => {}
    }
}

/// `uri` with every byte percent-encoded that no URI may hold; what is encoded already stays.
fn escape(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut escaped = String::with_capacity(uri.len());
    for (at, &byte) in bytes.iter().enumerate() {
        let is_escape = byte == b'%'
            && bytes
                .get(at + 1..at + 3)
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        if is_escape || byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

/// `text` with its percent-encoded bytes decoded.
fn decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes
            .get(at + 1..at + 3)
            .filter(|digits| bytes[at] == b'%' && digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match digits {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    decoded
}

/// The key of the document at `uri`: scheme in lower case, escapes decoded, `file://localhost` as `file://`, the letter
/// of a drive in lower case. Schemes stay apart: `git:` and `file:` of one path are two documents.
pub fn key(uri: &str) -> DocumentKey {
    let (scheme, rest) = uri.split_once(':').unwrap_or(("", uri));
    let scheme = scheme.to_ascii_lowercase();
    let rest = String::from_utf8_lossy(&decode(rest)).into_owned();
    if scheme != "file" {
        return DocumentKey(format!("{scheme}:{rest}").into());
    }
    let path = rest.strip_prefix("//").unwrap_or(&rest);
    let mut path = path
        .strip_prefix("localhost/")
        .map_or_else(|| path.to_owned(), |path| format!("/{path}"));
    if drive_letter(&path).is_some() {
        path[1..2].make_ascii_lowercase();
    }
    DocumentKey(format!("file://{path}").into())
}

/// The key of the document whose `file:` URI leads to `path`, which is absolute.
pub fn key_of_path(path: &Path) -> DocumentKey {
    let path = path.to_string_lossy();
    if cfg!(windows) {
        let mut path = format!("/{}", path.replace('\\', "/"));
        if drive_letter(&path).is_some() {
            path[1..2].make_ascii_lowercase();
        }
        return DocumentKey(format!("file://{path}").into());
    }
    DocumentKey(format!("file://{path}").into())
}

/// The letter in `/c:/…`.
fn drive_letter(path: &str) -> Option<char> {
    match path.as_bytes() {
        [b'/', letter, b':', b'/', ..] | [b'/', letter, b':'] if letter.is_ascii_alphabetic() => {
            Some(char::from(*letter))
        }
        _ => None,
    }
}

/// The path of a `file:` URI on this machine.
pub fn path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_at(rest.find('/')?);
    // A file of another machine is nobody's to open (`docs/security.md`, 3).
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let decoded = decode(path);
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        Some(PathBuf::from(std::ffi::OsString::from_vec(decoded)))
    }
    #[cfg(not(unix))]
    {
        let path = String::from_utf8(decoded).ok()?;
        let path = match drive_letter(&path) {
            Some(_) => &path[1..],
            None => &path,
        };
        Some(PathBuf::from(path))
    }
}

/// The last part of `uri`'s path, decoded: the name by which a person knows the document.
pub fn file_name(uri: &str) -> String {
    let rest = uri.split_once(':').map_or(uri, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let decoded = String::from_utf8_lossy(&decode(path)).into_owned();
    decoded
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn spellings_of_one_place_have_one_key() {
        for (one, other) in [
            ("file:///c%3A/a.loop.toml", "file:///C:/a.loop.toml"),
            ("file:///c:/a.loop.toml", "file:///C:/a.loop.toml"),
            (
                "file:///tmp/[a] b.loop.toml",
                "file:///tmp/%5Ba%5D%20b.loop.toml",
            ),
            ("file:///tmp/é.loop.toml", "file:///tmp/%c3%a9.loop.toml"),
            ("file://localhost/tmp/a", "FILE:///tmp/a"),
            ("untitled:Untitled-1", "untitled:Untitled%2D1"),
        ] {
            assert_eq!(key(one), key(other));
        }
    }

    #[test]
    fn different_places_have_different_keys() {
        for (one, other) in [
            ("git:/tmp/a.loop.toml", "file:///tmp/a.loop.toml"),
            ("file:///tmp/a", "file:///tmp/A"),
            ("untitled:a", "untitled:b"),
            ("file://server/share/a", "file:///share/a"),
        ] {
            assert_ne!(key(one), key(other));
        }
    }

    #[test]
    fn an_invalid_uri_is_valid_inside_and_as_it_was_outside() {
        for uri in [
            "file:///tmp/[a] b.loop.toml",
            "file:///tmp/é%20ü.loop.toml",
            "file:///tmp/100%.loop.toml",
            "untitled:new loop",
        ] {
            let spellings = Spellings::default();
            let sent =
                json!({ "params": { "textDocument": { "uri": uri }, "changes": { uri: [] } } });
            let mut message = sent.clone();
            spellings.make_valid(&mut message);
            let inside = message["params"]["textDocument"]["uri"].as_str().unwrap();
            assert!(Uri::from_str(inside).is_ok(), "{inside}");
            assert_eq!(key(inside), key(uri));
            assert!(message["params"]["changes"].get(inside).is_some());
            spellings.restore(&mut message);
            assert_eq!(message, sent);
        }
    }

    #[test]
    fn names_and_paths() {
        for (uri, name, at) in [
            (
                "file:///tmp/a%20b.loop.toml",
                "a b.loop.toml",
                Some("/tmp/a b.loop.toml"),
            ),
            ("file:///tmp/a#1", "a", Some("/tmp/a")),
            ("untitled:Untitled-1", "Untitled-1", None),
            ("file://server/share/loop.toml", "loop.toml", None),
            ("loop.toml", "loop.toml", None),
        ] {
            assert_eq!(file_name(uri), name);
            assert_eq!(path(uri), at.map(PathBuf::from));
            if let Some(path) = at {
                let without_fragment = uri.split('#').next().unwrap();
                assert_eq!(key_of_path(Path::new(path)), key(without_fragment));
            }
        }
    }
}
