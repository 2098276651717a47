//! `secret_in_file`: a key that stands in the file itself. A message shows four characters of it and no more.

use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::{Field, Source, Spanned};
use crate::syntax::{Node, NodeKind, Table};

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
    visit(&analysis.table, found);
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

/// Every string that looks like a key, wherever it stands.
fn visit(table: &Table, found: &mut Vec<Diagnostic>) {
    fn node(value: &Node, found: &mut Vec<Diagnostic>) {
        match &value.kind {
            NodeKind::String(text) if looks_like_a_key(text) => {
                found.push(Diagnostic::new(
                    Code::SecretInFile,
                    value.span,
                    message(text),
                ));
            }
            NodeKind::Array(items) => items.iter().for_each(|item| node(item, found)),
            NodeKind::Tables(tables) => tables.iter().for_each(|table| visit(table, found)),
            NodeKind::Table(table) => visit(table, found),
            _ => {}
        }
    }
    table
        .entries
        .iter()
        .for_each(|entry| node(&entry.value, found));
}

fn looks_like_a_key(text: &str) -> bool {
    if text.contains("-----BEGIN") && text.contains("PRIVATE KEY-----") {
        return true;
    }
    let of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.split(|c| !of_key(c)).any(|word| {
        PREFIXES.iter().any(|(prefix, fewest)| {
            word.strip_prefix(prefix).is_some_and(|rest| {
                rest.len() >= *fewest
                    && rest.chars().any(|c| c.is_ascii_digit())
                    && rest.chars().any(|c| c.is_ascii_alphabetic())
            })
        })
    })
}

/// A variable or header whose name tells a secret, with the value itself instead of a variable.
fn named(name: &Spanned<String>, value: &Field<String>, found: &mut Vec<Diagnostic>) {
    let Some(value) = value.spanned() else { return };
    let upper = name.value.to_uppercase();
    // A short value, or one read from the environment, is none.
    let secret = NAMES.iter().any(|part| upper.contains(part))
        && value.value.len() >= 8
        && !value.value.contains("${");
    if secret && !looks_like_a_key(&value.value) {
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
