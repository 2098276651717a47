//! Folds, as their first and last line.

use super::of;
use loopls::ide::folds;

fn folded(text: &str) -> Vec<String> {
    let analysis = of(text);
    let line = |offset| analysis.rope.byte_to_line(offset) + 1;
    let folds = folds(&analysis).into_iter();
    folds
        .map(|fold| {
            format!(
                "{}-{} {:?}",
                line(fold.span.start),
                line(fold.span.end),
                fold.kind
            )
        })
        .collect()
}

#[test]
fn tables_values_and_comments_fold() {
    assert_eq!(
        folded(
            "\
# One,
# two.
name = \"x\"
system = \"\"\"
You look.
\"\"\"

[[tools]] # the first
name = \"a\"
command = [
    \"grep\", # finds
    [\"-n\"],
]

[tools.input]
properties.id = {
    type = \"integer\" }

# About the second.
[[tools]]
name = \"b\"
reply = { a = [
    1,
] }
"
        ),
        [
            "1-2 Comment",
            "4-5 Value",
            "8-17 Table",
            "10-12 Value",
            "15-17 Table",
            "16-17 Value",
            "20-24 Table",
            "22-24 Value",
        ]
    );
}

#[test]
fn what_is_on_one_line_does_not_fold() {
    assert_eq!(folded(""), [""; 0]);
    assert_eq!(folded("name = \"x\"\n[limits]\n# one\n\n# two\n"), [""; 0]);
}

#[test]
fn a_text_that_is_being_typed_folds() {
    assert_eq!(
        folded("[[modes]]\nname = \"a\"\ntools = [\n  \"b\",\n\n[limits]\ncalls = \n[\nx = 1"),
        ["1-4 Table", "3-4 Value", "6-7 Table", "8-9 Table"]
    );
}
