//! `secret_in_file`: a key that stands in the file itself. A message shows four characters of it and no more.

use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::placeholder::placeholders;
use crate::definition::{Field, Source, Spanned};
use crate::syntax::{Node, NodeKind, Table};
use crate::text::Text;
use aho_corasick::packed::Searcher;
use std::ops::Range;
use std::sync::LazyLock;

/// How keys of well-known services begin, and the fewest characters that follow.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("AIza", 30),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghs_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("AKIA", 16),
    ("hf_", 20),
    ("npm_", 30),
    ("pypi-", 30),
];

/// Parts of names that tell a secret.
const NAMES: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH"];

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    if may_hold_key(&analysis.text) {
        visit(analysis, &analysis.table, found);
    }
    for tool in &analysis.definition.tools {
        let headers = match tool.sources.first().map(|source| &source.value) {
            Some(Source::Http(Some(http))) => http.headers.as_slice(),
            Some(Source::Mcp(Some(mcp))) => mcp.headers.as_slice(),
            _ => &[],
        };
        for (name, value) in tool.env.iter().chain(headers) {
            named(name, value, found);
        }
    }
}

/// Every string that holds what looks like a key, wherever it stands.
fn visit(analysis: &Analysis, table: &Table, found: &mut Vec<Diagnostic>) {
    fn node(analysis: &Analysis, value: &Node, found: &mut Vec<Diagnostic>) {
        match &value.kind {
            NodeKind::String(text) => {
                if let Some(key) = key_in(text) {
                    let span = analysis.within(value.span, &key);
                    found.push(Diagnostic::new(
                        Code::SecretInFile,
                        span,
                        message(&text[key]),
                    ));
                }
            }
            NodeKind::Array(items) => items.iter().for_each(|item| node(analysis, item, found)),
            NodeKind::Tables(tables) => tables
                .iter()
                .for_each(|table| visit(analysis, table, found)),
            NodeKind::Table(table) => visit(analysis, table, found),
            _ => {}
        }
    }
    table
        .entries
        .iter()
        .for_each(|entry| node(analysis, &entry.value, found));
}

/// Whether a string in `text` may hold what looks like a key. Nearly no text does, and this is known sooner than each
/// string of it is looked at. A backslash may stand for anything.
fn may_hold_key(text: &str) -> bool {
    // Where a processor can look for all of them at once.
    static BEGINNINGS: LazyLock<Option<Searcher>> = LazyLock::new(|| {
        let prefixes = PREFIXES.iter().map(|(prefix, _)| *prefix);
        Searcher::new(prefixes.chain([PEM]))
    });
    let may_begin = |beginnings: &Searcher| beginnings.find(text).is_some();
    text.contains('\\') || BEGINNINGS.as_ref().is_none_or(may_begin) && key_in(text).is_some()
}

/// How a private key begins that stands in a file of its own.
const PEM: &str = "-----BEGIN";

/// The fewest bytes of what looks like a key.
const SHORTEST: usize = 19;

/// Where in `text` something looks like a key.
fn key_in(text: &str) -> Option<Range<usize>> {
    if text.len() < SHORTEST {
        return None;
    }
    if let Some(begin) = text.find(PEM).filter(|_| text.contains("PRIVATE KEY-----")) {
        return Some(begin..text.len());
    }
    let mut words = LongWords { text, from: 0 };
    words.find(|word| is_key(&text[word.clone()]))
}

/// Whether `word` begins like a key of a well-known service, and goes on like one.
fn is_key(word: &str) -> bool {
    PREFIXES.iter().any(|(prefix, fewest)| {
        word.strip_prefix(prefix).is_some_and(|rest| {
            let has = |wanted: fn(&u8) -> bool| rest.bytes().any(|byte| wanted(&byte));
            rest.len() >= *fewest && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
        })
    })
}

/// The words of a text that are long enough for a key. Whatever is shorter is stepped over without a look at each
/// letter of it: this reads all strings of a definition.
struct LongWords<'t> {
    text: &'t str,
    /// Where the next word may begin, at the earliest.
    from: usize,
}

impl Iterator for LongWords<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let bytes = self.text.as_bytes();
        while let Some(shortest) = bytes.get(self.from..self.from + SHORTEST) {
            if let Some(gap) = shortest.iter().rposition(|byte| !of_word(byte)) {
                self.from += gap + 1;
                continue;
            }
            let start = self.from;
            let rest = bytes[start..].iter();
            let end = start + rest.take_while(|byte| of_word(byte)).count();
            self.from = end;
            return Some(start..end);
        }
        None
    }
}

/// A variable or header whose name tells a secret, with the value itself instead of a variable.
fn named(name: &Spanned<Text>, value: &Field<Text>, found: &mut Vec<Diagnostic>) {
    let Some(value) = value.spanned() else { return };
    let upper = name.value.to_uppercase();
    // A short value, or one read from the environment or put in by a call, is none.
    let secret = NAMES.iter().any(|part| upper.contains(part))
        && value.value.len() >= 8
        && !value.value.contains("${")
        && placeholders(&value.value).next().is_none();
    if secret && key_in(&value.value).is_none() {
        found.push(Diagnostic::new(
            Code::SecretInFile,
            value.span,
            message(&value.value),
        ));
    }
}

fn message(text: &str) -> String {
    let shown: String = text.chars().take(4).collect();
    format!(
        "`{}…` looks like a key; keep it in an environment variable and write `${{NAME}}` or `api_key_env`",
        shown.escape_debug()
    )
}
