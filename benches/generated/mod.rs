//! Definitions of any length, each a valid one that has something of everything.

use std::fmt::Write;

const HEAD: &str = r#"# A desk with many hands.
name = "many-hands"
display_name = "Many hands"
description = "Looks things up in many places."
system = """
You are the desk of a shop for office furniture. Look things up before you answer, several at a time
where you can. Give dates, and say where you have them from."""
prompt = "Where is order 1042?"
initial_mode = "mode_0"

[model]
provider = "scripted"
name = "desk"

[limits]
iterations = 6
calls = 12
parallel = 4

"#;

/// A definition of about `lines` lines.
pub fn definition(lines: usize) -> String {
    let mut text = HEAD.to_owned();
    let mut have = HEAD.lines().count();
    let mut number = 0;
    while number == 0 || have < lines {
        let start = text.len();
        part(&mut text, number);
        have += text[start..].lines().count();
        number += 1;
    }
    text
}

/// Two tools, a mode and a test.
fn part(text: &mut String, number: usize) {
    // Writing into a string does not fail.
    let _ = write!(
        text,
        r#"[[tools]]
name = "find_order_{number}"
description = "Finds one order of desk {number} by its number: customer, item, total, status, and the days it is due."
command = ["sh", "tools/order.sh", "--", "{{{{id}}}}", ["--since={{{{since}}}}"]]
effect = "read" # runs without a question
timeout = "5s"

[tools.input]
properties.id = {{ type = "integer", description = "Order number, such as 1042." }}
properties.since = {{ type = "string", description = "The first day, such as 2026-03-01." }}
required = ["id"]

[[tools]]
name = "record_refund_{number}"
description = "Books a refund for an order of desk {number}. It cannot be taken back here."
effect = "write"
sequential = true

[tools.http]
method = "POST"
url = "https://refunds.example/orders/{{{{id}}}}"
headers = {{ "X-Desk" = "desk" }}

[tools.input]
required = ["id", "amount"]

[tools.input.properties.id]
type = "integer"
description = "Order number, such as 1042."

[tools.input.properties.amount]
type = "number"
description = "What is paid back, in euros."

[[modes]]
name = "mode_{number}"
description = "Looks things up and books refunds."
instructions = "Read the rules before you book a refund, and book one refund at most."
tools = ["find_order_{number}", "record_refund_{number}"]
limits = {{ iterations = 4, calls = 8 }}

# What writes runs in no test unless it is allowed by name: here its result is given.
[[tests]]
name = "books the delivery fee of late parcel {number}"
mode = "mode_{number}"
script = [
    {{ calls = [
        {{ tool = "find_order_{number}", input = {{ id = 1042 }} }},
        {{ tool = "record_refund_{number}", input = {{ id = 1042, amount = 4.9 }} }},
    ] }},
    {{ text = "The fee of 4.90 is booked." }},
]
results = [{{ tool = "record_refund_{number}", result = "booked 4.9 for order 1042" }}]

[tests.expect]
answer = "The fee of 4.90 is booked."
calls = [{{ tool = "find_order_{number}", input = {{ id = 1042 }} }}, {{ tool = "record_refund_{number}" }}]

"#
    );
}
