//! `[[tools]]` and their sources.

use super::{key, required, word};
use crate::format::Type::*;
use crate::format::{TableSpec, Word};

const EFFECTS: &[Word] = &[
    word("read", "nothing changes; calls run without a question"),
    word("write", "something changes; a person is asked"),
    word(
        "irreversible",
        "it cannot be undone; a person is asked each time",
    ),
];

/// `[[tools]]`
pub static TOOL: TableSpec = TableSpec {
    title: "`[[tools]]`",
    keys: &[
        required(
            "name",
            String,
            "The tool's name: what modes list, and what the model calls it unless `produces` says otherwise. It must not be blank.",
            "\"find_order\"",
        ),
        key(
            "description",
            String,
            "",
            "What the model reads: what the tool does, when to use it, what it returns.",
            "\"Finds an order by its number.\"",
        ),
        key(
            "input",
            JsonSchema,
            "no properties",
            "JSON Schema of the input. `type = \"object\"` is implied.",
            "{ properties = { id = { type = \"string\", description = \"Order number\" } }, required = [\"id\"] }",
        ),
        key(
            "produces",
            Array(&String),
            "the tool's name; for `mcp` all that the server offers",
            "The model-facing names of this entry. Each is a tool that runs the same source; the variable `LOOPLS_TOOL` tells a command which one was called.",
            "[\"find_order\"]",
        ),
        key(
            "command",
            Array(&Argument),
            "",
            "A program and its arguments, without a shell. `{{key}}` is replaced by that property of the input and stays within its argument. An array inside is left out when a placeholder in it is absent. The input arrives as JSON on standard input; what the program prints is the result, and `(no output)` if it prints nothing.",
            "[\"grep\", \"-n\", \"--\", \"{{id}}\", \"orders.csv\"]",
        ),
        key(
            "stdin",
            String,
            "the input as JSON",
            "What the command reads on standard input.",
            "\"{{text}}\"",
        ),
        key(
            "ok_exit",
            Array(&Integer),
            "`[0]`",
            "Exit codes that are no error. With any other the result is an error, with what was printed and the code.",
            "[0, 1]",
        ),
        key(
            "http",
            Table(&HTTP),
            "",
            "An HTTP request. A status outside 2xx makes the result an error, with the status and the body.",
            "url = \"https://shop.example.com/orders/{{id}}\"",
        ),
        key(
            "mcp",
            Table(&MCP),
            "",
            "A Model Context Protocol server, whose tools become tools of the loop.",
            "command = [\"mcp-server-time\"]",
        ),
        key(
            "loop",
            Path,
            "",
            "Another loop definition; the tool takes `{ message }`, runs that loop and returns its answer.",
            "\"refund-desk.loop.toml\"",
        ),
        key(
            "reply",
            Any,
            "",
            "A fixed result, for sketches and tests. A table or an array is returned as JSON.",
            "\"shipped\"",
        ),
        key(
            "effect",
            Word(EFFECTS),
            "`\"write\"`; for `loop` `\"read\"`",
            "What a call does to the world; the access policy decides from it.",
            "\"read\"",
        ),
        key(
            "effects",
            Map(&Word(EFFECTS)),
            "",
            "For `mcp`: the effect of single tools by name, before `effect`.",
            "{ list_files = \"read\" }",
        ),
        key(
            "timeout",
            Duration,
            "`\"60s\"`; for `loop` none",
            "The wall time of one call. Past it every process of the call is ended and the call is an error.",
            "\"10s\"",
        ),
        key(
            "cwd",
            Path,
            "the loop's `cwd`",
            "The folder in which the command runs.",
            "\"data\"",
        ),
        key(
            "env",
            Map(&String),
            "",
            "Environment variables of the command, beside a short list of harmless ones. `${NAME}` reads the environment of the run.",
            "{ SHOP_TOKEN = \"${SHOP_TOKEN}\" }",
        ),
        key(
            "sequential",
            Boolean,
            "`false`",
            "Whether a call never runs beside another one of its batch.",
            "true",
        ),
    ],
};

const METHODS: &[Word] = &[
    word("GET", "reads"),
    word("HEAD", "reads the headers"),
    word("POST", "creates or does"),
    word("PUT", "replaces"),
    word("PATCH", "changes"),
    word("DELETE", "deletes"),
];

/// `http`
static HTTP: TableSpec = TableSpec {
    title: "`http`",
    keys: &[
        key(
            "method",
            Word(METHODS),
            "`\"GET\"`",
            "The method.",
            "\"POST\"",
        ),
        required(
            "url",
            String,
            "The address. `{{key}}` behind the host is replaced and percent-encoded.",
            "\"https://shop.example.com/orders/{{id}}\"",
        ),
        key(
            "headers",
            Map(&String),
            "",
            "Headers.",
            "{ Accept = \"application/json\" }",
        ),
        key(
            "body",
            StringOrTable,
            "inputs that the URL does not use",
            "The body; a table is sent as JSON.",
            "{ id = \"{{id}}\" }",
        ),
    ],
};

/// `mcp`
static MCP: TableSpec = TableSpec {
    title: "`mcp`",
    keys: &[
        key(
            "command",
            Array(&String),
            "",
            "The server's program and arguments; it speaks on its standard streams.",
            "[\"mcp-server-time\"]",
        ),
        key(
            "url",
            String,
            "",
            "The address of a server that speaks streamable HTTP.",
            "\"https://tools.example.com/mcp\"",
        ),
        key(
            "headers",
            Map(&String),
            "",
            "Headers of its requests.",
            "{ Authorization = \"Bearer ${TOOLS_TOKEN}\" }",
        ),
        key(
            "prefix",
            String,
            "",
            "What stands before the server's own tool names.",
            "\"time_\"",
        ),
    ],
};
