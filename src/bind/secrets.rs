//! Secrets: values that leave this process for nobody but those they are meant for (`docs/security.md`, 15).
//!
//! They are looked for in all their spellings at once: as they are, percent-encoded, escaped for JSON, and within
//! Base64, wherever in it they begin.

use super::keys;
use crate::definition::{Definition, Field, Source, Spanned, Tool, variables};
use crate::text::Text;
use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The fewest bytes of a value that is looked for: a shorter one stands in too many texts by chance.
const FEWEST_BYTES: usize = 8;

/// Parts of the names of variables whose values are secrets wherever a definition names them.
const NAME_PARTS: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH"];

/// The secrets of one bound loop and of those below it.
#[derive(Debug, Default)]
pub struct Secrets {
    /// Every spelling, in order, with what stands in its place.
    spellings: Vec<(String, String)>,
    /// Finds them; `None` where there are none.
    finder: Option<AhoCorasick>,
}

impl Secrets {
    /// The secrets of `definitions` in `environment`: keys of models, variables used in headers, those that a file names
    /// and whose name tells, and those of `secrets`.
    pub fn of<'a>(
        definitions: impl IntoIterator<Item = &'a Definition>,
        environment: &[(String, String)],
    ) -> Self {
        let names: BTreeSet<&str> = definitions.into_iter().flat_map(names).collect();
        let of_names = names.into_iter().filter_map(|name| {
            let (name, value) = environment.iter().rfind(|(known, _)| known == name)?;
            Some((name.as_str(), value.as_str()))
        });
        Self::new(of_names)
    }

    /// These secrets, by name and value. Values that are too short to be told from other text are left out.
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut spellings = BTreeMap::new();
        for (name, value) in secrets {
            // What carries a value often drops the line break at its end.
            for value in [value, value.trim()] {
                if value.len() >= FEWEST_BYTES {
                    for spelling in spellings_of(value) {
                        spellings
                            .entry(spelling)
                            .or_insert_with(|| format!("[{name}]"));
                    }
                }
            }
        }
        let spellings: Vec<(String, String)> = spellings.into_iter().collect();
        if spellings.is_empty() {
            return Self::default();
        }
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(spellings.iter().map(|(spelling, _)| spelling));
        Self {
            // It fails only for more text than an environment can hold.
            finder: finder.ok(),
            spellings,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.finder.is_none()
    }

    /// The bytes of the longest spelling; 0 where there is none.
    pub fn longest(&self) -> usize {
        let lengths = self.spellings.iter().map(|(spelling, _)| spelling.len());
        lengths.max().unwrap_or(0)
    }

    /// `text` with `[NAME]` in place of every secret.
    pub fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.finder {
            Some(finder) if finder.is_match(text) => {
                let mut hidden = String::with_capacity(text.len());
                finder.replace_all_with(text, &mut hidden, |found, _, hidden| {
                    hidden.push_str(&self.spellings[found.pattern()].1);
                    true
                });
                Cow::Owned(hidden)
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// [`hide`](Self::hide) for a text of one's own.
    pub fn hide_in(&self, text: &mut String) {
        if let Cow::Owned(hidden) = self.hide(text) {
            *text = hidden;
        }
    }

    /// [`hide`](Self::hide) for bytes that need not be text.
    pub fn hide_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        match &self.finder {
            Some(finder) if finder.is_match(&bytes) => {
                let mut hidden = Vec::with_capacity(bytes.len());
                finder.replace_all_with_bytes(&bytes, &mut hidden, |found, _, hidden| {
                    hidden.extend_from_slice(self.spellings[found.pattern()].1.as_bytes());
                    true
                });
                hidden
            }
            _ => bytes,
        }
    }

    /// [`hide`](Self::hide) in every string and key of a JSON value.
    pub fn hide_value(&self, value: &mut Value) {
        match value {
            _ if self.is_empty() => {}
            Value::String(text) => self.hide_in(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_value(item)),
            Value::Object(map) => {
                let entries = std::mem::take(map).into_iter();
                *map = entries
                    .map(|(mut key, mut value)| {
                        self.hide_in(&mut key);
                        self.hide_value(&mut value);
                        (key, value)
                    })
                    .collect::<Map<_, _>>();
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Where in `bytes`, at `from` or behind it, a secret may begin that ends behind them.
    fn may_begin(&self, bytes: &[u8], from: usize) -> usize {
        let first = bytes.len().saturating_sub(self.longest().saturating_sub(1));
        let begins = |start: &usize| {
            let rest = &bytes[*start..];
            // The first spelling that sorts behind `rest` begins with it, if any longer one does.
            let next = self
                .spellings
                .partition_point(|(spelling, _)| spelling.as_bytes() <= rest);
            let next = self.spellings.get(next);
            next.is_some_and(|(spelling, _)| spelling.as_bytes().starts_with(rest))
        };
        let mut starts = first.max(from)..bytes.len();
        starts.find(begins).unwrap_or(bytes.len())
    }
}

/// Hides secrets in bytes that come in pieces, also where a secret is divided among several.
#[derive(Debug)]
pub struct Hiding {
    secrets: Arc<Secrets>,
    /// What may be the beginning of a secret.
    held: Vec<u8>,
}

impl Hiding {
    /// Hides `secrets`.
    pub fn new(secrets: Arc<Secrets>) -> Self {
        Self {
            secrets,
            held: Vec::new(),
        }
    }

    /// Takes the next piece; returns what is known to be none of a secret, or stands in its place.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let Some(finder) = &self.secrets.finder else {
            return bytes.to_vec();
        };
        let mut bytes_held = std::mem::take(&mut self.held);
        bytes_held.extend_from_slice(bytes);
        let bytes = bytes_held;
        let mut hidden = Vec::with_capacity(bytes.len());
        let mut done = 0;
        let mut known = self.secrets.may_begin(&bytes, 0);
        for found in finder.find_iter(&bytes) {
            // From here on something longer may come of it.
            if found.start() >= known {
                break;
            }
            hidden.extend_from_slice(&bytes[done..found.start()]);
            hidden.extend_from_slice(self.secrets.spellings[found.pattern()].1.as_bytes());
            done = found.end();
            if known < done {
                known = self.secrets.may_begin(&bytes, done);
            }
        }
        hidden.extend_from_slice(&bytes[done..known]);
        self.held = bytes[known..].to_vec();
        hidden
    }

    /// [`push`](Self::push) for text.
    pub fn push_text(&mut self, text: String) -> String {
        match self.secrets.is_empty() {
            true => text,
            false => into_text(self.push(text.as_bytes())),
        }
    }

    /// [`finish`](Self::finish) for text.
    pub fn finish_text(&mut self) -> String {
        into_text(self.finish())
    }

    /// What was held back, for nothing more comes.
    pub fn finish(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        self.secrets.hide_bytes(held)
    }
}

/// Pieces of text are cut between characters, since every spelling is whole characters.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into())
}

/// The variables whose values are secrets.
fn names(definition: &Definition) -> BTreeSet<&str> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let own = definition.modes.iter().filter_map(|mode| mode.model.get());
    names.extend(
        definition
            .model
            .get()
            .into_iter()
            .chain(own)
            .filter_map(keys::variable),
    );
    names.extend(definition.secrets.items().map(|name| name.value.as_str()));
    for tool in &definition.tools {
        let (url, headers) = address(tool);
        names.extend(headers.iter().flat_map(named));
        let others = tool.env.iter().flat_map(named);
        let in_url = url
            .get()
            .into_iter()
            .flat_map(|url| variables(url))
            .map(|variable| variable.name);
        names.extend(others.chain(in_url).filter(|name| tells_secret(name)));
    }
    names
}

type Pairs = [(Spanned<Text>, Field<Text>)];

/// The URL and the headers of a tool that has some.
fn address(tool: &Tool) -> (&Field<Text>, &Pairs) {
    match tool.sources.first().map(|source| &source.value) {
        Some(Source::Http(Some(http))) => (&http.url, &http.headers),
        Some(Source::Mcp(Some(mcp))) => (&mcp.url, &mcp.headers),
        _ => (&Field::Missing, &[]),
    }
}

fn named((_, value): &(Spanned<Text>, Field<Text>)) -> impl Iterator<Item = &str> {
    value
        .get()
        .into_iter()
        .flat_map(|value| variables(value))
        .map(|variable| variable.name)
}

fn tells_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    NAME_PARTS.iter().any(|part| name.contains(part))
}

/// `value` in all its spellings.
fn spellings_of(value: &str) -> BTreeSet<String> {
    let mut spellings = BTreeSet::from([value.to_owned()]);
    let json = Value::from(value).to_string();
    let json = &json[1..json.len() - 1];
    // Some escape slashes, some what HTML would take for markup, some all but ASCII.
    let html = |c: char| matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
    spellings.insert(json.to_owned());
    spellings.insert(json.replace('/', "\\/"));
    spellings.insert(unicode_escaped(json, html));
    spellings.insert(unicode_escaped(json, |c| !c.is_ascii()));
    // What encoders leave as it is beside letters and digits: RFC 3986, JavaScript, forms, queries, paths.
    for plain in [
        "-_.~",
        "-_.~!*'()",
        "-_.*+",
        "-_.~!$()*+,/:;=?@",
        "-_.~!$&'()*+,/:;=@",
    ] {
        let upper = percent_encoded(value, plain, false);
        let form = upper.replace("%20", "+");
        for spelling in [&upper, &form] {
            spellings.insert(spelling.clone());
        }
        let lower = percent_encoded(value, plain, true);
        spellings.insert(lower.replace("%20", "+"));
        spellings.insert(lower);
    }
    for before in 0..3 {
        let base64 = base64_within(value.as_bytes(), before);
        spellings.insert(base64.replace('+', "-").replace('/', "_"));
        spellings.insert(base64);
    }
    spellings
}

fn unicode_escaped(text: &str, escape: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if escape(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn percent_encoded(text: &str, plain: &str, lower: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match char::from(byte) {
            c if c.is_ascii_alphanumeric() || plain.contains(c) => encoded.push(c),
            _ if lower => encoded.push_str(&format!("%{byte:02x}")),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// The part of a Base64 text that `bytes` alone decide where as many bytes stand `before` them in a group of three.
fn base64_within(bytes: &[u8], before: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes = [&[0, 0][..before], bytes].concat();
    let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
    let digits = (before * 8).div_ceil(6)..bytes.len() * 8 / 6;
    digits
        .map(|digit| {
            let value = (0..6).fold(0, |value, offset| value << 1 | bit(digit * 6 + offset));
            char::from(ALPHABET[value])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Analysis;

    /// Not a key of anybody's.
    const VALUE: &str = "s3cr3t/+ \"ü\"\u{1}&?";

    fn secrets() -> Arc<Secrets> {
        Arc::new(Secrets::new([
            ("KEY", VALUE),
            ("OTHER", "abcdefgh"),
            ("LONG", "abcdefghij"),
        ]))
    }

    #[test]
    fn a_secret_is_found_in_every_spelling() {
        for text in [
            VALUE,
            r#"s3cr3t/+ \"ü\"\u0001&?"#,
            r#"s3cr3t\/+ \"ü\"\u0001&?"#,
            r#"s3cr3t/+ \"ü\"\u0001\u0026?"#,
            r#"s3cr3t/+ \"\u00fc\"\u0001&?"#,
            "s3cr3t%2F%2B%20%22%C3%BC%22%01%26%3F",
            "s3cr3t%2f%2b%20%22%c3%bc%22%01%26%3f",
            "s3cr3t%2F%2B+%22%C3%BC%22%01%26%3F",
            "s3cr3t/+%20%22%C3%BC%22%01%26?",
            "s3cr3t/+%20%22%C3%BC%22%01&%3F",
        ] {
            let hidden = secrets().hide(&format!("<{text}>")).into_owned();
            assert_eq!(hidden, "<[KEY]>", "{text}");
            let mut value = serde_json::json!({ "a": [{ text: text }, 1] });
            secrets().hide_value(&mut value);
            assert_eq!(value, serde_json::json!({ "a": [{ "[KEY]": "[KEY]" }, 1] }));
        }
        let hidden = secrets().hide_bytes([b"\xff", VALUE.as_bytes(), b"\xff"].concat());
        assert_eq!(hidden, b"\xff[KEY]\xff");
    }

    #[test]
    fn a_secret_is_found_wherever_in_base64_it_begins() {
        let secrets = Secrets::new([("OTHER", "abcdefgh")]);
        for (text, expected) in [
            // `abcdefgh`, and the same between one, two and three `x`; what is left decides no byte of it.
            ("YWJjZGVmZ2g=", "[OTHER]g="),
            ("eGFiY2RlZmdoeA==", "eG[OTHER]eA=="),
            ("eHhhYmNkZWZnaHh4", "eHh[OTHER]Hh4"),
            ("eHh4YWJjZGVmZ2h4eHg=", "eHh4[OTHER]h4eHg="),
        ] {
            assert_eq!(secrets.hide(text), expected);
        }
        let url_safe = Secrets::new([("KEY", "\u{3f}\u{3f}\u{3e}\u{3f}\u{3f}\u{3e}\u{3f}\u{3f}")]);
        assert!(url_safe.hide("Pz8-Pz8-Pz8=").starts_with("[KEY]"));
        assert!(url_safe.hide("Pz8+Pz8+Pz8=").starts_with("[KEY]"));
    }

    #[test]
    fn nothing_is_lost_or_shown_wherever_the_pieces_are_cut() {
        let secrets = secrets();
        let text = format!("a abcdefgh abcdefghij abcdefghi {VALUE}{VALUE} s3cr3t abcdefg");
        let expected = "a [OTHER] [LONG] [OTHER]i [KEY][KEY] s3cr3t abcdefg";
        assert_eq!(secrets.hide(&text), expected);
        let in_pieces = |pieces: &[&[u8]]| {
            let mut hiding = Hiding::new(secrets.clone());
            let mut hidden: Vec<u8> = pieces.iter().flat_map(|piece| hiding.push(piece)).collect();
            hidden.extend(hiding.finish());
            String::from_utf8(hidden).unwrap()
        };
        let bytes = text.as_bytes();
        for first in 0..=bytes.len() {
            let (one, rest) = bytes.split_at(first);
            assert_eq!(in_pieces(&[one, rest]), expected, "cut at {first}");
            for second in 0..=rest.len().min(20) {
                let (two, three) = rest.split_at(second);
                assert_eq!(in_pieces(&[one, two, three]), expected, "{first} {second}");
            }
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(in_pieces(&single), expected);
    }

    #[test]
    fn only_what_may_be_a_secret_is_held_back() {
        let mut hiding = Hiding::new(secrets());
        for (piece, expected) in [
            (&b"plain text"[..], &b"plain text"[..]),
            (b"a", b""),
            (b"nd ab", b"and "),
            (b"cdefgh", b""),
            (b"!", b"[OTHER]!"),
        ] {
            assert_eq!(hiding.push(piece), expected);
        }
        let mut hiding = Hiding::new(Arc::default());
        assert_eq!(hiding.push(b"abcdefgh"), b"abcdefgh");
    }

    #[test]
    fn secrets_are_keys_headers_and_what_a_name_tells() {
        let text = r#"
            name = "x"
            secrets = ["LISTED", "SHORT", "UNSET"]
            model = { provider = "openai", name = "m" }

            [[tools]]
            name = "a"
            command = ["true"]
            env = { A = "${PLAIN}", B = "x${SHOP_token}", OWN_KEY = "not a variable" }

            [[tools]]
            name = "b"
            http = { url = "https://example.com/?k=${URL_KEY}&p=${URL_PLAIN}", headers = { X = "${HEADER}" } }

            [[tools]]
            name = "c"
            mcp = { url = "https://example.com", headers = { X = "Bearer ${MCP_HEADER}" } }

            [[modes]]
            name = "one"
            model = { provider = "anthropic", name = "m", api_key_env = "OWN" }

            [[modes]]
            name = "two"
            model = { provider = "gemini", name = "m", base_url = "https://example.com" }
        "#;
        let analysis = Analysis::new(ropey::Rope::from_str(text));
        let names = names(&analysis.definition);
        let expected = [
            "HEADER",
            "LISTED",
            "MCP_HEADER",
            "OPENAI_API_KEY",
            "OWN",
            "SHOP_token",
            "SHORT",
            "UNSET",
            "URL_KEY",
        ];
        assert_eq!(names.into_iter().collect::<Vec<_>>(), expected);

        let environment = [
            ("LISTED", "old value"),
            ("SHORT", "1234567"),
            ("LISTED", "new value\n"),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let secrets = Secrets::of([&analysis.definition], &environment);
        let hidden = secrets.hide("new value, new value\n, old value, 1234567");
        assert_eq!(hidden, "[LISTED], [LISTED], old value, 1234567");
        assert!(Secrets::of([&analysis.definition], &[]).is_empty());
    }
}
