//! Parsing again after an edit finds what parsing the whole text finds.

use super::definitions;
use super::documents::{PIECES, document, mutated};
use loopls::syntax::{Tree, parse, reparse};
use proptest::prelude::*;

/// Parses `texts`, each from the one before, and compares. As text: `nan` is not equal to itself.
fn check(texts: impl IntoIterator<Item = String>) {
    let mut before: (String, Tree) = Default::default();
    before.1 = parse("").0;
    for text in texts {
        let found = reparse(before.1, &before.0, &text);
        let expected = parse(&text);
        assert!(
            format!("{found:?}") == format!("{expected:?}"),
            "{:?} -> {text:?}",
            before.0
        );
        before = (text, found.0);
    }
}

/// What is typed into a text, deleted from it or pasted over it.
const TYPED: &[&str] = &[
    "x",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "[",
    "]",
    "{",
    "}",
    "=",
    ",",
    ".",
    "#",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\\",
    "\u{feff}",
    "[a",
    "[[a]]\n",
    "[b.c]\n",
    "\n[a]\n",
    "a = [\n",
    "a = \"\"\"\n",
    "k = 'v'\n",
    "] [b]\n",
    "x = 1 [c]\n",
    "é",
    "",
];

#[test]
fn a_definition_that_is_typed_from_its_first_character_on() {
    let definition = include_str!("../../data/syntax/order-desk.toml");
    check(
        definition
            .char_indices()
            .map(|(at, _)| definition[..at].to_owned()),
    );
}

/// Each line of a definition is begun, with whatever may be typed there, and put right again.
#[test]
fn every_line_that_is_half_typed() {
    let definition = include_str!("../../data/syntax/order-desk.toml");
    let places = definition.char_indices().filter(|(at, _)| at % 7 == 0);
    let texts = places.flat_map(|(at, _)| {
        let typed = TYPED
            .iter()
            .map(move |typed| format!("{}{typed}{}", &definition[..at], &definition[at..]));
        typed.chain([definition.to_owned()])
    });
    check(texts);
}

/// Of several lone carriage returns only the first is told.
#[test]
fn what_was_not_told_is_told_when_it_is_the_first() {
    let texts = [
        "[a]\n\r[b]\n[c]\n",
        "\r[a]\n\r[b]\n[c]\n",
        "[a]\n\r[b]\n[c]\n",
    ];
    check(texts.map(str::to_owned));
}

#[test]
fn one_definition_after_another() {
    check(definitions());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_that_are_edited(
        parts in prop::collection::vec((document(), prop::sample::select(&["", "[a]\n", "  [[b]] # note\n", "[a.b.c]\n"][..])), 1..6),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..9, prop::sample::select(TYPED), any::<bool>()),
            1..16,
        ),
    ) {
        let mut text: String = parts.iter().map(|(document, header)| format!("{document}\n{header}")).collect();
        let mut texts = vec![text.clone()];
        for (at, removed, typed, undone) in edits {
            let border = |mut at: usize| {
                while !text.is_char_boundary(at) {
                    at += 1;
                }
                at
            };
            let start = border(at.index(text.len() + 1));
            let end = border((start + removed).min(text.len()));
            let mut changed = text.clone();
            changed.replace_range(start..end, typed);
            texts.push(changed.clone());
            if undone {
                texts.push(text.clone());
            } else {
                text = changed;
            }
        }
        check(texts);
    }

    #[test]
    fn documents_with_faults_that_are_edited(
        text in document(),
        faults in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..5, prop::sample::select(PIECES)), 1..20),
    ) {
        let mut texts = vec![format!("{text}\n[a]\nb = 1\n[[c]]\n{text}\n[d]\n")];
        for (at, how, piece) in faults {
            texts.push(mutated(&texts[texts.len() - 1], at, how, piece));
        }
        check(texts);
    }
}
