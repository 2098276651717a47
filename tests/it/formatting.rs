//! Formatting changes white space and nothing else.

use super::{check, world::World};
use expect_test::{Expect, expect};
use loopls::check::Analysis;
use loopls::ide::{format, format_range};

use loopls::text::{Edit, Span, apply_edits};
use proptest::prelude::*;
use ropey::Rope;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

fn analysis(text: &str) -> Analysis {
    Analysis::new(Rope::from_str(text))
}

fn formatted(text: &str) -> String {
    apply_edits(text, &format(&analysis(text))).expect("edits do not overlap")
}

fn check_format(text: &str, expected: Expect) {
    expected.assert_eq(&formatted(text));
}

#[test]
fn statements() {
    check_format(
        "\n\n  name=\"a\"   \n\tmodel   =  {provider=\"scripted\" ,name = \"demo\"}\n\n\n\n  limits . calls=1#few\n[ modes . a ]\nx = 1\n[[ modes.b ]]\n\n\n",
        expect![[r#"
            name = "a"
            model = { provider = "scripted", name = "demo" }

            limits.calls = 1 #few

            [modes.a]
            x = 1

            [[modes.b]]
        "#]],
    );
}

#[test]
fn comments() {
    check_format(
        "\n# The first comment.\n\n# About the loop.  \nname = \"a\"    # aligned\nsystem = 'b'  # too\n  # Alone.\n# About limits,\n# at length.\n[limits]# none\n# Below a header.\ncalls = 1\n# Not about the next table.\n\n# Neither.\n\n[output]\n\n\n\n# The last.",
        expect![[r##"
            # The first comment.

            # About the loop.
            name = "a"    # aligned
            system = 'b'  # too

            # Alone.
            # About limits,
            # at length.
            [limits] # none
            # Below a header.
            calls = 1
            # Not about the next table.

            # Neither.

            [output]

            # The last.
        "##]],
    );
}

#[test]
fn arrays_and_inline_tables() {
    check_format(
        r#"empty = [ ]
none = {   }
one = [ 1,2 ,3, ]
two = [[1],[ 2 ],{a=1}, {b = { c=2 } }]
strings = ["a , b",'c  =  d' ,"""
  kept [ , ] as
	it  is
"""  , 1]
lines = [
1, 2,
        3 # three


  # about four
  , 4
      ]
script = [{ text = "a", calls = [
{ tool = "b" },
  { tool = "c", input = {
x=1,
} } ] },
{ text = "d" }]
hang = [ # opened
  1 ]
long = { a = [
1
] }
"#,
        expect![[r#"
            empty = []
            none = {}
            one = [1, 2, 3,]
            two = [[1], [2], { a = 1 }, { b = { c = 2 } }]
            strings = ["a , b", 'c  =  d', """
              kept [ , ] as
            	it  is
            """, 1]
            lines = [
                1, 2,
                3 # three

                # about four
                , 4
            ]
            script = [{ text = "a", calls = [
                { tool = "b" },
                { tool = "c", input = {
                    x = 1,
                } }] },
                { text = "d" }]
            hang = [ # opened
                1]
            long = { a = [
                1
            ] }
        "#]],
    );
}

#[test]
fn values_stay_as_they_are_written() {
    check_format(
        "a=1979-05-27 07:32:00Z\nb=+1_000.5e-3\nc=0xFF\n\"d e\".'f . g'.h=-inf\n1.2=true\n",
        expect![[r#"
            a = 1979-05-27 07:32:00Z
            b = +1_000.5e-3
            c = 0xFF
            "d e".'f . g'.h = -inf
            1.2 = true
        "#]],
    );
}

#[test]
fn line_breaks_are_those_of_the_text() {
    for (text, expected) in [
        (
            "a=1\r\n\r\n\r\n\r\nb=2\r\n[c]",
            "a = 1\r\n\r\nb = 2\r\n\r\n[c]\r\n",
        ),
        ("a=1 \r\n[b]\nc=2", "a = 1\r\n\r\n[b]\nc = 2\r\n"),
        ("a=1  \n\r\n\n\nb=1\r\n", "a = 1\n\r\nb = 1\r\n"),
        ("\u{feff}  a=1", "\u{feff}a = 1\n"),
        ("\u{feff}\n", "\u{feff}"),
        ("  \n\t\n", ""),
        ("", ""),
        ("\n# c \t\n", "# c\n"),
    ] {
        assert_eq!(formatted(text), expected, "{text:?}");
    }
}

#[test]
fn a_text_with_syntax_errors_is_left_alone() {
    for text in [
        "a=1\nb=\n",
        "a=1\na=2\n",
        "  [a\n",
        "a=1\r",
        "[a]\nb=1\n[a]\n",
        "a= [1,\n",
    ] {
        assert_eq!(format(&analysis(text)), [], "{text:?}");
    }
}

#[test]
fn a_range_gets_the_edits_of_its_lines() {
    let text = "a=1\nb=2\n[c]\nd=3\n";
    let analysis = analysis(text);
    let of_lines = |from: &str, to: &str| {
        let end = text.find(to).expect("it is there") + to.len();
        let span = Span::new(text.find(from).expect("it is there"), end);
        apply_edits(text, &format_range(&analysis, span)).expect("edits do not overlap")
    };
    assert_eq!(of_lines("2", "2"), "a=1\nb = 2\n[c]\nd=3\n");
    assert_eq!(of_lines("[", "["), "a=1\nb=2\n\n[c]\nd=3\n");
    assert_eq!(of_lines("b", "3"), "a=1\nb = 2\n\n[c]\nd = 3\n");
    let everywhere = format_range(&analysis, Span::new(0, usize::MAX));
    assert_eq!(everywhere, format(&analysis));
}

/// Definitions of all kinds, right and wrong.
fn definitions() -> &'static [String] {
    static DEFINITIONS: LazyLock<Vec<String>> = LazyLock::new(read_definitions);
    &DEFINITIONS
}

fn read_definitions() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let examples = fs::read_dir(folder).expect("the examples");
    let examples = examples
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(".loop.toml"))
        .map(|path| fs::read_to_string(path).expect("an example"));
    let conformance = include_str!("../data/conformance/definitions.jsonl");
    let conformance = conformance.lines().map(|line| {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case is JSON");
        case["toml"].as_str().expect("toml").to_owned()
    });
    let cases = check::cases().into_iter().flat_map(|(_, text)| {
        let cases = text.trim_end().split("\n\n# ----\n\n");
        cases.map(check::input).collect::<Vec<_>>()
    });
    examples.chain(conformance).chain(cases).collect()
}

/// Holds everything that is promised of formatting; returns whether there was something to format.
fn hold(text: &str) -> bool {
    let before = analysis(text);
    let edits = format(&before);
    if !before.syntax_errors.is_empty() {
        assert_eq!(edits, [], "{text:?}");
        return false;
    }
    let result = apply_edits(text, &edits).expect("edits do not overlap");
    let after = analysis(&result);
    let seen = format!("{text}\n->\n{result}\n{edits:?}");

    // The meaning.
    assert_eq!(after.syntax_errors, [], "{seen}");
    assert_eq!(after.table.to_json(), before.table.to_json(), "{seen}");
    // All that is not white space, and comments as they are.
    let black = |text: &str| text.replace([' ', '\t', '\r', '\n'], "");
    assert_eq!(black(&result), black(text), "{seen}");
    let comments = |analysis: &Analysis| -> Vec<String> {
        let comments = analysis.tree.comments.iter();
        comments
            .map(|comment| comment.span.of(&analysis.text).trim_end().to_owned())
            .collect()
    };
    assert_eq!(comments(&after), comments(&before), "{seen}");
    // What is said of it, allowances included.
    let said = |analysis: &Analysis| -> Vec<_> {
        let said = analysis.diagnostics_in(&World).into_iter();
        said.map(|diagnostic| (diagnostic.code, diagnostic.message))
            .collect()
    };
    assert_eq!(said(&after), said(&before), "{seen}");
    // A second time there is nothing to do.
    assert_eq!(format(&after), [], "{seen}");

    // The layout, where no string of several lines may look otherwise.
    let start = text.strip_prefix('\u{feff}').unwrap_or(text);
    let plain = !["\"\"\"", "'''"].iter().any(|quotes| text.contains(quotes));
    if plain {
        let ragged = |line: &str| line.trim_end_matches(['\r', '\n']).ends_with([' ', '\t']);
        assert!(!result.split_inclusive('\n').any(ragged), "{seen}");
        let unix = result.replace("\r\n", "\n");
        assert!(!unix.contains("\n\n\n"), "{seen}");
    }
    assert_eq!(result.ends_with('\n'), !start.trim().is_empty(), "{seen}");
    let (breaks, windows) = (
        |text: &str| text.matches('\n').count(),
        |text: &str| text.matches("\r\n").count(),
    );
    assert!(windows(text) > 0 || windows(&result) == 0, "{seen}");
    assert!(
        windows(text) == 0 || windows(text) < breaks(text) || windows(&result) == breaks(&result),
        "{seen}"
    );

    // The edits: of white space, no larger than need be, and not within a line break.
    for Edit { span, text: new } in &edits {
        let old = span.of(text);
        assert!(old.trim().is_empty() && new.trim().is_empty(), "{seen}");
        let (first, last) = (old.chars().next(), old.chars().last());
        assert!(
            first != new.chars().next() || old.starts_with('\r') || first.is_none(),
            "{seen}"
        );
        assert!(
            last != new.chars().last()
                || last == Some('\n') && (old.ends_with("\r\n") != new.ends_with("\r\n")),
            "{seen}"
        );
        for at in [span.start, span.end] {
            assert!(!text[..at].ends_with('\r'), "{seen}");
        }
    }
    !edits.is_empty()
}

#[test]
fn every_definition_is_formatted_safely() {
    let mut changed = 0;
    for text in definitions() {
        let squeezed = text
            .replace(" = ", "=")
            .replace(", ", ",")
            .replace("\n\n", "\n");
        let stretched = text
            .replace(" = ", "\t  =  ")
            .replace(", ", " ,  ")
            .replace('\n', " \n\n\n\t");
        for text in [text, &squeezed, &stretched] {
            changed += usize::from(hold(text));
            hold(&format!("\u{feff}{}", text.replace('\n', "\r\n")));
        }
    }
    assert!(changed > 1000, "only {changed} texts were formatted");
}

#[test]
fn the_examples_are_formatted() {
    for text in &definitions()[..3] {
        assert_eq!(formatted(text), *text);
    }
}

/// White space, line breaks and comments, as they may stand between the parts of an array.
fn gap() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => Just(" ".to_owned()),
        1 => Just("\t".to_owned()),
        2 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => "#[ a\\],\"']{0,4}\n",
    ];
    prop::collection::vec(part, 0..4).prop_map(|parts| parts.concat())
}

fn blank() -> impl Strategy<Value = String> {
    "[ \t]{0,2}"
}

fn value() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("1".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("true".to_owned()),
        Just("1979-05-27 07:32:00".to_owned()),
        "\"[ a\\[\\]{},=#.]{0,6}\"",
        "'[ a\\[\\]{},=#.]{0,6}'",
        "\"\"\"[ a\\[\n,#]{0,6}\"\"\"",
    ];
    word.prop_recursive(4, 24, 4, |inner| {
        let items = || prop::collection::vec((gap(), inner.clone(), gap()), 0..4);
        let array = (items(), gap(), any::<bool>()).prop_map(|(items, end, comma)| {
            let texts: Vec<String> = items
                .iter()
                .map(|(before, item, after)| format!("{before}{item}{after}"))
                .collect();
            let comma = if comma && !texts.is_empty() { "," } else { "" };
            format!("[{}{comma}{end}]", texts.join(","))
        });
        let table = (items(), gap(), blank()).prop_map(|(items, end, blank)| {
            let pair = |(index, (before, value, after)): (usize, &(String, String, String))| {
                format!("{before}k{index}{blank}.{blank}x={blank}{value}{after}")
            };
            let pairs: Vec<String> = items.iter().enumerate().map(pair).collect();
            format!("{{{}{end}}}", pairs.join(","))
        });
        prop_oneof![array, table]
    })
}

/// A document of statements with whatever layout.
fn document() -> impl Strategy<Value = String> {
    let statement = (
        gap(),
        blank(),
        any::<bool>(),
        value(),
        blank(),
        "(#[ a\\],]{0,4})?",
    );
    let statements = prop::collection::vec((statement, any::<bool>(), any::<bool>()), 0..8);
    (statements, gap()).prop_map(|(statements, end)| {
        let mut text = String::new();
        for (index, ((gap, blank, header, value, after, comment), windows, array)) in
            statements.into_iter().enumerate()
        {
            let statement = match (header, array) {
                (true, true) => format!("[[{blank}t{index}{blank}.{after}a{blank}]]"),
                (true, false) => format!("[{blank}t{index}{after}]"),
                (false, _) => format!("k{index}{blank}={after}{value}"),
            };
            let ending = if windows { "\r\n" } else { "\n" };
            text.push_str(&format!("{gap}{blank}{statement}{after}{comment}{ending}"));
        }
        text + &end
    })
}

/// A definition of the test data with a few characters changed.
pub fn changed_definition() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0..3_usize,
        "[ \t\n#,=\\[\\]{}a\"]{0,2}",
    );
    let changes = prop::collection::vec(change, 1..6);
    (any::<prop::sample::Index>(), changes).prop_map(|(index, changes)| {
        let definitions = definitions();
        let mut text: Vec<char> = definitions[index.index(definitions.len())]
            .chars()
            .collect();
        for (at, removed, inserted) in changes {
            let at = at.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, inserted.chars());
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_of_any_layout_are_formatted_safely(text in document()) {
        prop_assert_eq!(&analysis(&text).syntax_errors, &[], "the generator writes TOML: {}", text);
        hold(&text);
    }

    #[test]
    fn changed_definitions_are_formatted_safely(text in changed_definition()) {
        hold(&text);
    }
}
