//! Definitions of any length, as people write them: comments, tools with inputs, modes, tests; and one known fault.

use std::fmt::Write;

/// A generated definition.
pub struct Definition {
    /// Its text, with exactly one fault: a key that stands twice.
    pub text: String,
    /// The line of the fault.
    pub fault: u32,
    /// An empty line inside a tool in the middle of the text, where keys can be typed.
    pub typed: u32,
    /// A line in the middle that holds the name of a mode, and the column of that name.
    pub mode_name: (u32, u32),
}

impl Definition {
    /// A definition of `lines` lines, or a few more.
    pub fn of_lines(lines: usize) -> Self {
        let mut text = head();
        let mut groups = Vec::new();
        while text.lines().count() + FAULT.lines().count() < lines || groups.is_empty() {
            groups.push(text.lines().count());
            push_group(&mut text, groups.len());
        }
        let middle = groups[groups.len() / 2];
        let line_of = |wanted: &str| {
            let mut lines = text.lines().enumerate().skip(middle);
            let found = lines.find(|(_, line)| line.starts_with(wanted));
            found.map_or(0, |(at, _)| at as u32)
        };
        let typed = line_of("effect = ") + 1;
        let mode_name = (line_of("[[modes]]") + 1, "name = \"".len() as u32);
        text.push_str(FAULT);
        let fault = text.lines().count() as u32 - 1;
        Self {
            text,
            fault,
            typed,
            mode_name,
        }
    }
}

const FAULT: &str = r#"
[[tools]]
name = "last"
description = "The last tool, which has the fault."
command = ["sh", "last.sh"]
effect = "read"
timeout = "5s"
timeout = "6s"
"#;

fn head() -> String {
    r#"# A loop for measuring the language server.
name = "measured"
description = "Answers questions about everything that a warehouse has."
system = "Look things up before you answer."
initial_mode = "mode_1"

[model]
provider = "scripted"
name = "measured"
script = [{ text = "Done." }]

[limits]
iterations = 25
calls = 100
parallel = 4
"#
    .to_owned()
}

/// Five tools, a mode that has them, and a test of it.
fn push_group(text: &mut String, group: usize) {
    for tool in 1..=5 {
        // Writing to a string does not fail.
        let _ = write!(
            text,
            r#"
# Shelf {group}, tool {tool}: what is on it and where it goes.
[[tools]]
name = "shelf_{group}_{tool}"
description = "Finds things on shelf {group} by number and colour, way {tool}."
command = ["sh", "tools/shelf.sh", "{{{{number}}}}", "{{{{colour}}}}"]
effect = "read" # runs without a question

timeout = "5s"
ok_exit = [0, 1]

[tools.input]
properties.number = {{ type = "integer", description = "The number of the thing, such as {group}{tool}." }}
properties.colour = {{ type = "string", enum = ["red", "green"], description = "Its colour." }}
required = ["number", "colour"]
"#
        );
    }
    let _ = write!(
        text,
        r#"
[[modes]]
name = "mode_{group}"
description = "Looks at shelf {group}."
tools = [
    "shelf_{group}_1",
    "shelf_{group}_2",
    "shelf_{group}_3",
    "shelf_{group}_4",
    "shelf_{group}_5",
    "last",
]
limits = {{ calls = 12, iterations = 6 }}

[[tests]]
name = "finds what is on shelf {group}"
mode = "mode_{group}"
prompt = "What is on shelf {group}?"
script = [
    {{ calls = [{{ tool = "shelf_{group}_1", input = {{ number = {group}, colour = "red" }} }}] }},
    {{ text = "A desk." }},
]
expect = {{ answer = "A desk." }}
"#
    );
}
