//! What holds for every text, also one that is no TOML: no panic, and places that a caller can rely on.

use super::documents::{PIECES, document, mutated, pieces};
use loopls::syntax::{
    Form, Header, Key, KeyValue, Node, NodeKind, Statement, SyntaxError, Table, Value, ValueKind,
    parse,
};
use loopls::text::Span;
use proptest::prelude::*;

/// Panics unless all places in what `text` parses to are sound.
fn check(text: &str) {
    let (tree, errors) = parse(text);
    assert_eq!(tree.span, Span::new(0, text.len()));
    let mut end = 0;
    for statement in &tree.statements {
        let span = match statement {
            Statement::Header(header) => check_header(text, header),
            Statement::KeyValue(pair) => check_pair(text, pair),
        };
        assert!(end <= span.start, "statements overlap: {text:?}");
        end = span.end;
    }
    let mut end = 0;
    for comment in &tree.comments {
        sound(text, comment.span);
        assert!(end <= comment.span.start && comment.span.of(text).starts_with('#'));
        end = comment.span.end;
    }
    let (root, more) = Table::build(&tree);
    check_errors(text, &errors);
    check_errors(text, &more);
    assert_eq!(root.form, Form::Root);
    check_table(text, &root);
}

fn sound(text: &str, span: Span) {
    assert!(
        text.get(span.start..span.end).is_some(),
        "{span:?}: {text:?}"
    );
}

fn within(text: &str, outer: Span, inner: Span) {
    sound(text, inner);
    assert!(
        outer.contains(inner),
        "{inner:?} outside of {outer:?}: {text:?}"
    );
}

fn check_keys(text: &str, outer: Span, keys: &[Key]) {
    let mut end = outer.start;
    for key in keys {
        within(text, outer, key.span);
        assert!(end <= key.span.start, "{text:?}");
        end = key.span.end;
        assert!(!key.is_missing() || key.name.is_empty(), "{text:?}");
    }
}

fn check_header(text: &str, header: &Header) -> Span {
    sound(text, header.span);
    assert!(header.span.of(text).starts_with('['));
    check_keys(text, header.span, &header.keys);
    header.span
}

fn check_pair(text: &str, pair: &KeyValue) -> Span {
    sound(text, pair.span);
    assert!(!pair.keys.is_empty(), "{text:?}");
    assert_eq!(pair.span.start, pair.keys[0].span.start, "{text:?}");
    check_keys(text, pair.span, &pair.keys);
    within(text, pair.span, pair.value.span);
    let keys_end = pair.keys[pair.keys.len() - 1].span.end;
    let mut end = keys_end;
    if let Some(equals) = pair.equals {
        within(text, pair.span, equals);
        assert!(keys_end <= equals.start, "{text:?}");
        end = equals.end;
    }
    assert!(end <= pair.value.span.start, "{text:?}");
    check_value(text, &pair.value);
    pair.span
}

fn check_value(text: &str, value: &Value) {
    assert_eq!(
        value.span.is_empty(),
        value.kind == ValueKind::Missing,
        "{text:?}"
    );
    let mut end = value.span.start;
    let mut inside = |span: Span| {
        within(text, value.span, span);
        assert!(end <= span.start, "{text:?}");
        end = span.end;
    };
    match &value.kind {
        ValueKind::Array(array) => {
            for item in &array.items {
                inside(item.span);
                check_value(text, item);
            }
        }
        ValueKind::InlineTable(table) => {
            for pair in &table.entries {
                inside(check_pair(text, pair));
            }
        }
        _ => {}
    }
}

fn check_errors(text: &str, errors: &[SyntaxError]) {
    assert!(
        errors.is_sorted_by_key(|error| error.span.start),
        "{text:?}"
    );
    for error in errors {
        sound(text, error.span);
        assert!(!error.message.is_empty());
        if let Some((other, what)) = &error.related {
            sound(text, *other);
            assert!(!what.is_empty());
        }
    }
}

fn check_table(text: &str, table: &Table) {
    within(text, table.extent, table.span);
    for (index, entry) in table.entries.iter().enumerate() {
        let first = table
            .entries
            .iter()
            .position(|other| other.key.name == entry.key.name);
        assert_eq!(first, Some(index), "a key is there twice: {text:?}");
        sound(text, entry.key.span);
        sound(text, entry.span);
        for mention in &entry.mentions {
            sound(text, *mention);
            assert_ne!(*mention, entry.key.span, "{text:?}");
        }
        check_node(text, &entry.value);
    }
}

fn check_node(text: &str, node: &Node) {
    sound(text, node.span);
    match &node.kind {
        NodeKind::Array(items) => items.iter().for_each(|item| check_node(text, item)),
        NodeKind::Table(table) => check_table(text, table),
        NodeKind::Tables(tables) => {
            assert!(!tables.is_empty());
            tables.iter().for_each(|table| check_table(text, table));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "(?s).{0,80}") {
        check(&text);
    }

    #[test]
    fn any_signs(text in "[\\[\\]{}=.,:;\"'\\\\ab1_# \t\n\r-]{0,60}") {
        check(&text);
    }

    #[test]
    fn any_pieces(text in pieces()) {
        check(&text);
    }

    #[test]
    fn a_document_with_some_faults(
        text in document(),
        faults in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..5, prop::sample::select(PIECES)), 0..6),
    ) {
        let mut text = text;
        for (at, how, piece) in faults {
            text = mutated(&text, at, how, piece);
        }
        check(&text);
    }
}

/// Every prefix of a definition, and every definition without one of its characters.
#[test]
fn a_definition_while_it_is_being_typed() {
    let definition = include_str!("../../data/syntax/order-desk.toml");
    assert_eq!(parse(definition).1, []);
    let places = definition.char_indices();
    for (at, character) in places {
        check(&definition[..at]);
        check(&format!(
            "{}{}",
            &definition[..at],
            &definition[at + character.len_utf8()..]
        ));
    }
}
