//! TOML documents to try: whole ones, and whole ones with a fault.

use proptest::prelude::*;

/// Pieces of TOML that meet each other in any order.
pub const PIECES: &[&str] = &[
    "a",
    "b",
    "c",
    "a.b",
    "\"a\"",
    "'b'",
    "\"\"",
    " = ",
    "=",
    ".",
    ",",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "# note",
    "1",
    "-2",
    "+3",
    "0x1F",
    "0o7",
    "0b1",
    "1_0",
    "1.5",
    "1e3",
    "_",
    "-",
    "+",
    "e",
    "inf",
    "nan",
    "true",
    "false",
    "1979-05-27",
    "T",
    "07:32",
    ":30",
    ".5",
    "Z",
    "-07:00",
    "\"x\"",
    "'y'",
    "\"\"\"",
    "'''",
    "\"",
    "'",
    "\\",
    "\\n",
    "\\x41",
    "\\u0041",
    "\\e",
    "\\U0001F600",
    "é",
    "\u{0}",
    "\u{7f}",
    "\u{feff}",
    "\na = 1\n",
    "\n[a]\n",
    "\n[[a]]\n",
    "\n[a.b]\n",
    "\nb = [1, 2]\n",
    "\nc = { a = 1 }\n",
    "\na.c = 2\n",
];

pub fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..30).prop_map(|pieces| pieces.concat())
}

fn blank() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["", "", "", " ", "\t"][..])
}

/// What may stand between the items of a bracket.
fn gap() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["", "", " ", "\n", "\r\n", " # note\n  "][..])
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["a", "b", "c", "1", "\"a\"", "'b c'", "\"\\u0063\""][..])
}

/// A dotted key of up to three parts.
fn key() -> impl Strategy<Value = String> {
    let part = (blank(), name(), blank())
        .prop_map(|(before, name, after)| format!("{before}{name}{after}"));
    prop::collection::vec(part, 1..=3).prop_map(|parts| parts.join("."))
}

const SCALARS: &[&str] = &[
    "0",
    "-1",
    "+99",
    "1_000",
    "0xdead_BEEF",
    "0o17",
    "0b10",
    "9223372036854775807",
    "-9223372036854775808",
    "1.5",
    "-0.0",
    "1e3",
    "1E+3",
    "6.02e-2_3",
    "inf",
    "-inf",
    "+nan",
    "true",
    "false",
    "1979-05-27",
    "07:32",
    "07:32:00.5",
    "1979-05-27 07:32:00Z",
    "1979-05-27T07:32-07:00",
    "\"\"",
    "\"a \\\" \\\\ \\e \\x41 \\u00e9\"",
    "''",
    "'C:\\x'",
    "\"\"\"\"\"\"",
    "\"\"\"\na \"\" b \\\n   c\"\"\"\"\"",
    "'''\r\nx 'y' ''''",
    "\"é\u{301} 日本\"",
];

/// A value, nested at most three deep.
fn value() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(SCALARS).prop_map(str::to_owned);
    scalar.prop_recursive(3, 12, 3, |inner| {
        let separated = |parts: Vec<String>, comma: bool, gaps: (&str, &str)| {
            let (before, after) = gaps;
            let last = if comma && !parts.is_empty() { "," } else { "" };
            let separator = format!("{before},{after}");
            format!("{after}{}{before}{last}", parts.join(&separator))
        };
        let items = prop::collection::vec(inner.clone(), 0..4);
        let array =
            (items, any::<bool>(), gap(), gap()).prop_map(move |(items, comma, before, after)| {
                format!("[{}]", separated(items, comma, (before, after)))
            });
        let pair =
            (key(), blank(), inner).prop_map(|(key, blank, value)| format!("{key}={blank}{value}"));
        let pairs = prop::collection::vec(pair, 0..4);
        let table =
            (pairs, any::<bool>(), gap(), gap()).prop_map(move |(pairs, comma, before, after)| {
                format!("{{{}}}", separated(pairs, comma, (before, after)))
            });
        prop_oneof![array, table]
    })
}

/// One line of a document, its line break included.
fn statement() -> impl Strategy<Value = String> {
    let header = (blank(), key(), blank(), any::<bool>()).prop_map(|(blank, key, after, array)| {
        if array {
            format!("{blank}[[{key}]]{after}")
        } else {
            format!("{blank}[{key}]{after}")
        }
    });
    let pair = (blank(), key(), blank(), value())
        .prop_map(|(before, key, blank, value)| format!("{before}{key}={blank}{value}"));
    let content = prop_oneof![
        2 => header,
        4 => pair,
        1 => Just(String::new()),
    ];
    let end = prop::sample::select(&["\n", "\n", "\r\n", " # note\n"][..]);
    (content, end).prop_map(|(content, end)| content + end)
}

pub fn document() -> impl Strategy<Value = String> {
    prop::collection::vec(statement(), 0..8).prop_map(|statements| statements.concat())
}

/// `text` without one character, with one twice, with one line twice, or with a piece put in.
pub fn mutated(text: &str, at: prop::sample::Index, how: u8, piece: &str) -> String {
    let places: Vec<usize> = text
        .char_indices()
        .map(|(place, _)| place)
        .chain([text.len()])
        .collect();
    let start = places[at.index(places.len())];
    let end = text[start..]
        .chars()
        .next()
        .map_or(start, |character| start + character.len_utf8());
    let (before, rest) = text.split_at(start);
    match how {
        0 => format!("{before}{}", &text[end..]),
        1 => format!("{before}{}{rest}", &text[start..end]),
        2 => {
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let line_end = rest
                .find('\n')
                .map_or(text.len(), |newline| start + newline + 1);
            format!(
                "{}{}{}",
                &text[..line_end],
                &text[line_start..line_end],
                &text[line_end..]
            )
        }
        _ => format!("{before}{piece}{rest}"),
    }
}
