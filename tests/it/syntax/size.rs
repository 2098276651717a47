//! Texts that are large or deep: no overflow, and work in proportion to their length. How long they take is not
//! measured; work that grows with the square of the length would not end here.

use super::read;
use loopls::syntax::{DEPTH_LIMIT, Table, parse};

const MANY: usize = 200_000;

/// Bytes of a text that is long in one way.
const LONG: usize = 60_000;

/// How many errors there are for `text`; also builds and drops all that it parses to.
fn errors(text: &str) -> usize {
    read(text).1.len()
}

#[test]
fn whatever_nests_deeply_is_one_error() {
    let dotted = vec!["a"; MANY].join(".");
    let cases = [
        ("a = ".to_owned() + &"[".repeat(MANY), "open arrays"),
        (
            "a = ".to_owned() + &"[".repeat(MANY) + &"]".repeat(MANY),
            "arrays",
        ),
        ("a = ".to_owned() + &"{a=".repeat(MANY) + "1", "open tables"),
        (
            "a = ".to_owned() + &"{a=".repeat(MANY) + "1" + &"}".repeat(MANY),
            "tables",
        ),
        (
            "a = ".to_owned() + &"[{a=".repeat(MANY) + "1" + &"}]".repeat(MANY),
            "both",
        ),
        (format!("{dotted} = 1"), "a dotted key"),
        (format!("a = {{ {dotted} = 1 }}"), "a dotted key in a table"),
        (format!("[{dotted}]"), "a header"),
        (format!("[[{dotted}]]"), "a header of an array of tables"),
        (format!("[{dotted}"), "an open header"),
    ];
    for (text, what) in cases {
        assert_eq!(errors(&text), 1, "{what}");
        assert_eq!(
            errors(&(text + "\nname = 1\n[model]\n")),
            1,
            "{what} and more"
        );
    }
}

#[test]
fn nesting_counts_headers_keys_and_brackets_together() {
    let part = |levels: usize| vec!["a"; levels].join(".");
    let text = |header: usize, keys: usize, brackets: usize| {
        let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
        format!("[{}]\n{} = {open}1{close}\n", part(header), part(keys))
    };
    let third = DEPTH_LIMIT / 3;
    assert_eq!(errors(&text(third, third, DEPTH_LIMIT - 2 * third)), 0);
    assert_eq!(errors(&text(third, third, DEPTH_LIMIT - 2 * third + 1)), 1);
    assert_eq!(errors(&text(DEPTH_LIMIT - 1, 1, 0)), 0);
    assert_eq!(errors(&text(DEPTH_LIMIT, 1, 0)), 1);
    assert_eq!(errors(&text(DEPTH_LIMIT + 1, 1, 0)), 1);
}

#[test]
fn whatever_is_long_is_read_in_one_go() {
    let cases = [
        "]",
        "}",
        "[",
        "{",
        "=",
        ",",
        ".",
        ":",
        "'",
        "\"",
        "\\",
        "a",
        "1",
        "-",
        "#",
        " ",
        "\n",
        "\r",
        "\0",
        "é",
        "\n[",
        "\n[[",
        "\n{",
        "\na",
        "\na.",
        "a ",
        "a . ",
        "a=",
        "\na=[",
        "\na={",
        "a=[\n",
        "a={\n",
        "{a=[",
        "[{",
        "]}",
        "\n'",
        "\n\"",
        "'''",
        "\"\"\"",
        "\n'''\n[a]",
        "\n\"\"\"\n[a]\n'''\n[b]",
        "a=\"\"\"\nb=\"\"\"\n",
        "a = b c ",
        "\na = [\n[x]",
        "a:",
        "a:'",
        "\n\n\na",
        "#\na\n=",
        "a=\n'b'\n",
        "\"\\",
        "\"\r",
        "a = { b\n",
        "[a = {",
        "[a. ",
        "a = [x y.",
        "\na = {b . c",
        "[\"a\"]\n",
        "a=[[\"a\"]\n",
    ];
    for piece in cases {
        let text = piece.repeat(LONG / piece.len());
        let in_array = format!("a = [{text}");
        let in_table = format!("a = {{ b = {text}");
        for text in [text, in_array, in_table] {
            assert!(errors(&text) <= 1_000, "{piece:?}");
        }
    }
}

#[test]
fn a_table_with_many_keys_finds_each() {
    let line = |number: usize| format!("key{number} = {number}\n");
    let text: String = (0..MANY / 4).chain([7]).map(line).collect();
    let (tree, errors) = parse(&text);
    assert_eq!(errors, []);
    let (table, errors) = Table::build(&tree);
    assert_eq!(table.entries.len(), MANY / 4);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].span.of(&text), "key7");
}

#[test]
fn many_items_and_sub_tables_find_each_other() {
    let items = "[[tools]]\nname = 1\n[tools.input]\nx = 1\n".repeat(MANY / 40);
    let (tree, errors) = parse(&items);
    assert_eq!(errors, []);
    let (table, errors) = Table::build(&tree);
    assert_eq!(errors, []);
    let tools = table.to_json();
    assert_eq!(tools["tools"].as_array().map(Vec::len), Some(MANY / 40));
    assert_eq!(tools["tools"][9]["input"]["x"], 1);
}
