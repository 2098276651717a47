//! What an editor is told. A test is a text with the cursor at `|` and what comes of it; places are shown in the text
//! between `«` and `»`.

mod folding;
mod half_typed;
mod hover;
mod inlay;
mod links;
mod navigation;
mod rename;
mod selection;
mod symbols;
mod tokens;

use loopls::check::Analysis;
use loopls::text::Span;
use ropey::Rope;

/// The analysis of a text, and the place of the `|` that is taken out of it.
fn at(marked: &str) -> (Analysis, usize) {
    let offset = marked.find('|').expect("a cursor");
    (of(&marked.replacen('|', "", 1)), offset)
}

fn of(text: &str) -> Analysis {
    Analysis::new(Rope::from_str(text))
}

/// The text with each of `spans`, which are in order and apart, between `«` and `»`.
fn shown(text: &str, spans: &[Span]) -> String {
    let mut result = String::new();
    let mut done = 0;
    for span in spans {
        result.push_str(&text[done..span.start]);
        result.push_str(&format!("«{}»", span.of(text)));
        done = span.end;
    }
    result + &text[done..]
}

/// A definition in which everything is named somewhere.
const DESK: &str = r#"
name = "desk"
initial_mode = "lookup"
delegates = ["refund-desk"]

[model]
provider = "scripted"
name = "demo"

[[model.script]]
calls = [
    { tool = "find_order", input = { id = 1042 } },
    { tool = "cancel", input = { id = 7 } },
    { tool = "nobody" },
]

[access]
allow = ["find_order", "find_*"]
ask = ["cancel"]
deny = ["orders", "drop"]

[[tools]]
name = "find_order"
command = ["grep", "{{id}}", ["-n", "{{ count }}"]]
stdin = '{{id}}'
effect = "read"

[tools.input]
properties.id = { type = "integer", description = "Order number." }
properties.count.type = "integer"
properties.count.description = "How many."
required = ["id"]

[[tools]]
name = "orders"
produces = ["cancel", "drop"]
http = { method = "POST", url = "https://shop.example.com/{{id}}", body = { order = "{{id}}" } }
effects = { drop = "irreversible" }

[tools.input.properties.id]
type = "integer"

[[middlewares]]
kind = "log"
file = "calls.jsonl"
tools = ["cancel"]

[[modes]]
name = "lookup"
tools = ["find_order"]

[[modes]]
name = 'refund'
tools = ["find_order", "orders"]

[[tests]]
name = "finds"
mode = "refund"
script = [{ calls = [{ tool = "find_order", input = { id = 1, count = 2 } }] }]
results = [{ tool = "find_order", input = { id = 1 }, result = "shipped" }]
expect = { calls = [{ tool = "find_order", input = { id = 1 } }], results = [{ tool = "cancel" }] }
"#;

/// [`DESK`] with the cursor at the first place of `context` in it, which has the `|`.
fn desk_at(context: &str) -> (Analysis, usize) {
    let plain = context.replacen('|', "", 1);
    assert!(DESK.contains(&plain), "{plain}");
    at(&DESK.replacen(&plain, context, 1))
}

/// The lines of [`DESK`] that have something between `«` and `»`, without the spaces around them.
fn lines(shown: &str) -> Vec<&str> {
    let marked = shown.lines().filter(|line| line.contains('«'));
    marked.map(str::trim).collect()
}
