//! Which places of the text belong to which table.

use expect_test::{Expect, expect};
use loopls::syntax::{Header, Key, NodeKind, Statement, Table, ValueKind, parse};
use loopls::text::Span;

/// Holds the outline of what `text` says: a line for each table and each of its keys.
fn check(text: &str, expected: Expect) {
    let (tree, _) = parse(text);
    let (root, _) = Table::build(&tree);
    let mut lines = String::new();
    table(text, "", &root, &mut lines);
    expected.assert_eq(&lines);
}

/// `line:column` of a place, both from 1.
fn place(text: &str, offset: usize) -> String {
    let before = &text[..offset];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    format!("{line}:{column}")
}

fn places(text: &str, span: Span) -> String {
    format!("{}-{}", place(text, span.start), place(text, span.end))
}

fn table(text: &str, path: &str, table: &Table, lines: &mut String) {
    let (form, span) = (table.form, table.span.of(text));
    let extent = places(text, table.extent);
    lines.push_str(&format!("{path}: {form:?} `{span}`, extent {extent}\n"));
    for entry in &table.entries {
        let path = format!("{path}/{}", entry.key.name);
        let key = place(text, entry.key.span.start);
        let mentions: Vec<String> = entry
            .mentions
            .iter()
            .map(|at| place(text, at.start))
            .collect();
        let mentions = match mentions.len() {
            0 => String::new(),
            _ => format!(" and {}", mentions.join(", ")),
        };
        let span = entry.span.of(text);
        lines.push_str(&format!("{path} at {key}{mentions}: `{span}`\n"));
        match &entry.value.kind {
            NodeKind::Table(inner) => {
                assert_eq!(entry.value.span, inner.span);
                self::table(text, &path, inner, lines);
            }
            NodeKind::Tables(items) => {
                assert_eq!(entry.value.span, items[0].span);
                for (index, item) in items.iter().enumerate() {
                    self::table(text, &format!("{path}[{index}]"), item, lines);
                }
            }
            _ => assert!(entry.span.contains(entry.value.span)),
        }
    }
}

#[test]
fn headers_reach_to_the_next_one_that_is_not_below_them() {
    check(
        "# top\nname = 'x'\n\n[a]\nk = 1 # note\n\n[a.b]\nk = 2\n\n[c]\n\n[a.d]\nk = 3\n",
        expect![[r#"
            : Root ``, extent 1:1-14:1
            /name at 2:1: `name = 'x'`
            /a at 4:2 and 7:2, 12:2: `[a]`
            /a: Header `[a]`, extent 4:1-8:6
            /a/k at 5:1: `k = 1`
            /a/b at 7:4: `[a.b]`
            /a/b: Header `[a.b]`, extent 7:1-8:6
            /a/b/k at 8:1: `k = 2`
            /a/d at 12:4: `[a.d]`
            /a/d: Header `[a.d]`, extent 12:1-13:6
            /a/d/k at 13:1: `k = 3`
            /c at 10:2: `[c]`
            /c: Header `[c]`, extent 10:1-10:4
        "#]],
    );
}

#[test]
fn a_table_that_is_made_on_the_way_and_defined_later() {
    check(
        "[a.b]\nk = 1\n[a]\nk = 2\n[a.c]\n[d.e.f]\n[d.e.g]\n",
        expect![[r#"
            : Root ``, extent 1:1-8:1
            /a at 1:2 and 3:2, 5:2: `[a]`
            /a: Header `[a]`, extent 3:1-5:6
            /a/b at 1:4: `[a.b]`
            /a/b: Header `[a.b]`, extent 1:1-2:6
            /a/b/k at 2:1: `k = 1`
            /a/k at 4:1: `k = 2`
            /a/c at 5:4: `[a.c]`
            /a/c: Header `[a.c]`, extent 5:1-5:6
            /d at 6:2 and 7:2: `[d.e.f]`
            /d: Implicit `d`, extent 6:1-7:8
            /d/e at 6:4 and 7:4: `[d.e.f]`
            /d/e: Implicit `e`, extent 6:1-7:8
            /d/e/f at 6:6: `[d.e.f]`
            /d/e/f: Header `[d.e.f]`, extent 6:1-6:8
            /d/e/g at 7:6: `[d.e.g]`
            /d/e/g: Header `[d.e.g]`, extent 7:1-7:8
        "#]],
    );
}

#[test]
fn items_hold_the_sub_tables_below_them() {
    check(
        "[[tools]]\nname = 1\n[tools.input]\nx = 1\n[[tools]]\nname = 2\n[[tools.calls]]\n[[tools.calls]]\n[limits]\n[tools.input]\n",
        expect![[r#"
            : Root ``, extent 1:1-11:1
            /tools at 1:3 and 3:2, 5:3, 7:3, 8:3, 10:2: `[[tools]]`
            /tools[0]: Header `[[tools]]`, extent 1:1-4:6
            /tools[0]/name at 2:1: `name = 1`
            /tools[0]/input at 3:8: `[tools.input]`
            /tools[0]/input: Header `[tools.input]`, extent 3:1-4:6
            /tools[0]/input/x at 4:1: `x = 1`
            /tools[1]: Header `[[tools]]`, extent 5:1-8:16
            /tools[1]/name at 6:1: `name = 2`
            /tools[1]/calls at 7:9 and 8:9: `[[tools.calls]]`
            /tools[1]/calls[0]: Header `[[tools.calls]]`, extent 7:1-7:16
            /tools[1]/calls[1]: Header `[[tools.calls]]`, extent 8:1-8:16
            /tools[1]/input at 10:8: `[tools.input]`
            /tools[1]/input: Header `[tools.input]`, extent 10:1-10:14
            /limits at 9:2: `[limits]`
            /limits: Header `[limits]`, extent 9:1-9:9
        "#]],
    );
}

#[test]
fn dotted_keys_and_inline_tables() {
    check(
        "limits.calls = 1\nname = 'x'\nlimits.time = '1s'\nmodel = { a.b = 1, a.c = [{ x = 1 }] }\n",
        expect![[r#"
            : Root ``, extent 1:1-5:1
            /limits at 1:1 and 3:1: `limits.calls = 1`
            /limits: Dotted `limits`, extent 1:1-3:19
            /limits/calls at 1:8: `calls = 1`
            /limits/time at 3:8: `time = '1s'`
            /name at 2:1: `name = 'x'`
            /model at 4:1: `model = { a.b = 1, a.c = [{ x = 1 }] }`
            /model: Inline `{ a.b = 1, a.c = [{ x = 1 }] }`, extent 4:9-4:39
            /model/a at 4:11 and 4:20: `a.b = 1`
            /model/a: Dotted `a`, extent 4:11-4:37
            /model/a/b at 4:13: `b = 1`
            /model/a/c at 4:22: `c = [{ x = 1 }]`
        "#]],
    );
}

#[test]
fn a_second_table_adds_what_the_first_lacks() {
    check(
        "[a]\nx = 1\n[b]\n[a]\nx = 2\ny = 3\n[a.c]\nz = 4\n",
        expect![[r#"
            : Root ``, extent 1:1-9:1
            /a at 1:2 and 4:2, 7:2: `[a]`
            /a: Header `[a]`, extent 1:1-2:6
            /a/x at 2:1 and 5:1: `x = 1`
            /a/y at 6:1: `y = 3`
            /a/c at 7:4: `[a.c]`
            /a/c: Header `[a.c]`, extent 7:1-8:6
            /a/c/z at 8:1: `z = 4`
            /b at 3:2: `[b]`
            /b: Header `[b]`, extent 3:1-3:4
        "#]],
    );
    let (data, errors) = super::read("[a]\nx = 1\n[b]\n[a]\nx = 2\ny = 3\n[a.c]\nz = 4\n");
    assert_eq!(errors.len(), 1);
    assert_eq!(
        data.to_string(),
        r#"{"a":{"x":1,"y":3,"c":{"z":4}},"b":{}}"#
    );
}

#[test]
fn what_is_meant_is_read_where_it_is_clear() {
    let cases = [
        // One more item, for a header that lacks a bracket on either side.
        ("[[a]]\nx = 1\n[a]\nx = 2", r#"{"a":[{"x":1},{"x":2}]}"#),
        (
            "[a]\nx = 1\n[[a]]\nx = 2\n[[a]]",
            r#"{"a":[{"x":1},{"x":2},{}]}"#,
        ),
        (
            "[a.b]\nx = 1\n[[a]]\n[a.b]",
            r#"{"a":[{"b":{"x":1}},{"b":{}}]}"#,
        ),
        // What cannot be placed is left out with all below it.
        ("a = 1\n[a]\nx = 1\n[b]\nx = 2", r#"{"a":1,"b":{"x":2}}"#),
        ("a = []\n[[a]]\ny = 1", r#"{"a":[]}"#),
        ("a = { x = 1 }\na.y = 2", r#"{"a":{"x":1}}"#),
        ("[a.\nx = 1", r#"{}"#),
        ("[]\nx = 1\n[b]\ny = 1", r#"{"b":{"y":1}}"#),
        // A value that is missing gives way.
        ("a =\na = 1", r#"{"a":1}"#),
        ("a\nb = 2\na.c = 1", r#"{"a":{"c":1},"b":2}"#),
        ("a\n[[a]]\nx = 1", r#"{"a":[{"x":1}]}"#),
        ("a\n[a.b]\nx = 1", r#"{"a":{"b":{"x":1}}}"#),
        ("a = 1\na =\na", r#"{"a":1}"#),
        ("a = 1\na.", r#"{"a":1}"#),
    ];
    for (text, expected) in cases {
        let (tree, syntax) = parse(text);
        let (table, meaning) = Table::build(&tree);
        assert_eq!(table.to_json().to_string(), expected, "{text:?}");
        assert_ne!(syntax.len() + meaning.len(), 0, "{text:?}");
    }
}

/// One line for each statement of `text`: its dotted key with an empty part where one is missing, whether the
/// equals sign is there, and what the value is.
fn statements(text: &str) -> Vec<String> {
    let (tree, _) = parse(text);
    let dotted = |keys: &[Key]| {
        let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
        names.join(".")
    };
    let line = |statement: &Statement| match statement {
        Statement::Header(Header { array, keys, .. }) => {
            let brackets = if *array { "[[]]" } else { "[]" };
            format!("{brackets} {}", dotted(keys))
        }
        Statement::KeyValue(pair) => {
            let equals = if pair.equals.is_some() { " =" } else { "" };
            let value = match &pair.value.kind {
                ValueKind::Missing => "missing",
                ValueKind::Bad => "bad",
                _ => pair.value.span.of(text),
            };
            format!("{}{equals} {value}", dotted(&pair.keys))
        }
    };
    tree.statements.iter().map(line).collect()
}

#[test]
fn what_is_half_typed_is_in_the_tree() {
    let cases: &[(&str, &[&str])] = &[
        ("name", &["name missing"]),
        ("name =", &["name = missing"]),
        ("name = \"x", &["name = bad"]),
        ("name = x", &["name = bad"]),
        ("limits.", &["limits. missing"]),
        ("limits. = 1", &["limits. = 1"]),
        ("name \"x\"", &["name \"x\""]),
        ("name: \"x\"", &["name = \"x\""]),
        ("[", &["[] "]),
        ("[tools.", &["[] tools."]),
        ("[[", &["[[]] "]),
        ("[[tools]", &["[[]] tools"]),
        ("a = [1, 2", &["a = [1, 2"]),
        (
            "a = [1, 2\n[b]\nc = { d = 1\n\ne = 2",
            &["a = [1, 2", "[] b", "c = { d = 1", "e = 2"],
        ),
        (
            "a = \"\"\"\nb = 1\n[c]\nd = 1",
            &["a = bad", "[] c", "d = 1"],
        ),
        ("a = 1 b = 2", &["a = 1", "b = 2"]),
        // Not to be understood, so not there.
        ("my key = 1\nb = 2", &["b = 2"]),
    ];
    for (text, expected) in cases {
        assert_eq!(statements(text), *expected, "{text:?}");
    }
}

#[test]
fn what_an_open_bracket_holds_is_in_the_tree() {
    let (tree, _) = parse("model = { provider = \"scripted\", name = [1, { x = \n[limits]");
    let Statement::KeyValue(pair) = &tree.statements[0] else {
        panic!("the first statement is no pair");
    };
    let ValueKind::InlineTable(table) = &pair.value.kind else {
        panic!("its value is no inline table");
    };
    assert!(!table.closed);
    assert_eq!(
        table.entries[0].value.kind,
        ValueKind::String("scripted".into())
    );
    let ValueKind::Array(array) = &table.entries[1].value.kind else {
        panic!("the value of `name` is no array");
    };
    assert!(!array.closed);
    assert_eq!(array.items[0].kind, ValueKind::Integer(1));
    let ValueKind::InlineTable(inner) = &array.items[1].kind else {
        panic!("its second item is no inline table");
    };
    assert_eq!(inner.entries[0].value.kind, ValueKind::Missing);
}
