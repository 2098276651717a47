//! The outline, and symbols of a workspace.

use super::{DESK, of};
use loopls::ide::{Symbol, is_meant, symbols, workspace_symbols};

/// The outline as indented lines; holds what a protocol asks of every symbol.
fn outline(text: &str) -> String {
    fn line(text: &str, symbol: &Symbol, depth: usize, lines: &mut String) {
        assert!(!symbol.name.is_empty());
        assert!(symbol.range.contains(symbol.selection), "{symbol:?}");
        assert!(symbol.range.end <= text.len());
        let detail = if symbol.detail.is_empty() {
            String::new()
        } else {
            format!(" ({})", symbol.detail)
        };
        let indent = "  ".repeat(depth);
        lines.push_str(&format!(
            "{indent}{:?} {}{detail}\n",
            symbol.kind, symbol.name
        ));
        for child in &symbol.children {
            assert!(symbol.range.contains(child.range), "{child:?}");
            line(text, child, depth + 1, lines);
        }
    }
    let analysis = of(text);
    let mut lines = String::new();
    for symbol in symbols(&analysis) {
        line(text, &symbol, 0, &mut lines);
    }
    lines
}

#[test]
fn a_definition_has_an_outline() {
    assert_eq!(
        outline(DESK),
        "\
Loop desk
  Model model (scripted/demo)
  Access access
  Tool find_order (read)
    Property id (integer)
    Property count (integer)
  Tool orders (write)
    Property id (integer)
  Middleware log
  Mode lookup
  Mode refund
  Test finds (refund)
"
    );
}

#[test]
fn tables_in_braces_and_dotted_keys_are_in_it_too() {
    assert_eq!(
        outline(
            "limits = { calls = 5, time = \"1m\" }\nmodel.name = \"m\"\ntools = [{ name = \"a\" }, { }]\n"
        ),
        "\
Loop loop without a name
  Limits limits (5 calls · 1m)
  Model model (/m)
  Tool a (write)
  Tool tool without a name (write)
"
    );
}

#[test]
fn names_are_on_one_line_and_never_empty() {
    assert_eq!(
        outline(
            "name = \"\"\n[[tools]]\nname = \" \\n \"\n[[modes]]\nname = \"a\\nb\\u202E\"\n[[tests]]\n[["
        ),
        "\
Loop loop without a name
  Tool tool without a name (write)
  Mode a b\\u{202e}
  Test test without a name
"
    );
    assert_eq!(outline(""), "");
    assert_eq!(outline("# nothing\n"), "");
}

#[test]
fn a_workspace_is_searched_by_letters_in_order() {
    let analysis = of(DESK);
    let found = |query: &str| -> Vec<String> {
        let found = workspace_symbols(&analysis).into_iter();
        found
            .filter(|found| is_meant(&found.name, query))
            .map(|found| {
                assert!(found.span.of(DESK).contains(&found.name));
                format!("{:?} {} in {}", found.kind, found.name, found.container)
            })
            .collect()
    };
    assert_eq!(
        found(""),
        [
            "Loop desk in ",
            "Tool find_order in desk",
            "Tool orders in desk",
            "Mode lookup in desk",
            "Mode refund in desk",
            "Test finds in desk"
        ]
    );
    assert_eq!(found("FOrd"), ["Tool find_order in desk"]);
    assert_eq!(found("xyz"), [""; 0]);
}
