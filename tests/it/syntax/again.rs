//! Parsing again after an edit, and laying out the tables again, finds what doing so with the whole text finds.

use super::definitions;
use super::documents::{PIECES, document, mutated};
use loopls::syntax::{SyntaxError, Table, Tree, parse, reparse};
use proptest::prelude::*;

/// Parses `texts`, each from the one before, and compares. As text: `nan` is not equal to itself.
fn check(texts: impl IntoIterator<Item = String>) {
    let mut old_text = String::new();
    let mut old_tree = Tree::default();
    let mut old_tables: (Table, Vec<SyntaxError>) = Default::default();
    for text in texts {
        let found = reparse(old_tree, &old_text, &text);
        let expected = parse(&text);
        assert!(
            format!("{:?}", (&found.tree, &found.errors)) == format!("{expected:?}"),
            "{old_text:?} -> {text:?}"
        );
        let tables = match found.change {
            Some(change) => Table::build_again(old_tables.0, old_tables.1, &found.tree, &change),
            None => Table::build(&found.tree),
        };
        let expected = Table::build(&found.tree);
        assert!(
            format!("{tables:?}") == format!("{expected:?}"),
            "{old_text:?} -> {text:?}: {tables:#?} {expected:#?}"
        );
        (old_text, old_tree, old_tables) = (text, found.tree, tables);
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

/// What follows a part of a document.
const HEADERS: &[&str] = &["", "[a]\n", "  [[b]] # note\n", "[a.b.c]\n"];

/// Statements of arrays of tables: items, what leads into them, and what only looks like it.
const ITEMS: &[&str] = &[
    "[[a]]\n",
    "[[a]]\nk = 1\n",
    "[[a]]\nk = { x = 1, y = [2, '3'] }\nl.m = 1\n",
    "[[a]] # again\n\n[a.in]\nk = 1\n[a.in.deep]\nk = [ 1,\n 2 ]\n",
    "[a.in]\nk = 'é'\n",
    "[[a.in]]\nk = 1\n",
    "[[a.list]]\n[[a.list]]\nk = 1\n",
    "[a]\nk = 2\n",
    "[a.]\nk = 2\n",
    "[[b]]\nk = 1\n",
    "[b.in]\n",
    "[c]\nk = 1\nl.m = 2\n",
    "[c.in]\nk = 1\n",
    "k = 1\n",
    "k = \n",
    "l.n = 1\n",
    "in = 1\n",
    "# note\n",
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
        parts in prop::collection::vec((document(), prop::sample::select(HEADERS)), 1..6),
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
    fn arrays_of_tables_that_are_edited(
        before in prop::sample::select(&["", "a =\n", "a = 1\n", "a.k = 1\n", "k = 1\n"][..]),
        items in prop::collection::vec(prop::sample::select(ITEMS), 1..12),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..2, prop::sample::select(ITEMS), 0_usize..12),
            1..16,
        ),
    ) {
        let mut items = items;
        let text = |items: &[&str]| format!("{before}{}", items.concat());
        let mut texts = vec![text(&items)];
        for (at, removed, put, typed) in edits {
            let at = at.index(items.len() + 1);
            // A part of it is there before all is, as when somebody types it.
            let some: String = put.chars().take(typed).collect();
            let rest = items[(at + removed).min(items.len())..].to_vec();
            items.truncate(at);
            texts.push(format!("{}{some}{}", text(&items), rest.concat()));
            items.push(put);
            items.extend(rest);
            texts.push(text(&items));
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
