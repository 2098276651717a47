//! The tables and keys of the format.

use super::Type::{self, *};
use super::{KeySpec, TableSpec, Word};

const fn key(
    name: &'static str,
    kind: Type,
    default: &'static str,
    meaning: &'static str,
    example: &'static str,
) -> KeySpec {
    KeySpec {
        name,
        kind,
        required: false,
        default,
        meaning,
        example,
    }
}

const fn required(
    name: &'static str,
    kind: Type,
    meaning: &'static str,
    example: &'static str,
) -> KeySpec {
    KeySpec {
        name,
        kind,
        required: true,
        default: "",
        meaning,
        example,
    }
}

const fn word(name: &'static str, meaning: &'static str) -> Word {
    Word { name, meaning }
}

/// What harness has and a definition file has not; a key of one of these names gets a hint of its own.
pub const NOT_IN_FORMAT: &[&str] = &[
    "engine",
    "compaction",
    "context_counter",
    "context_transport",
    "context_transports",
    "runtime_context",
    "delegation",
    "delegation_style",
    "policy_revision",
];

/// The top level of a definition.
pub static DEFINITION: TableSpec = TableSpec {
    title: "the top level",
    keys: &[
        key(
            "format",
            Integer,
            "`1`",
            "The version of the format. There is one version, `1`.",
            "1",
        ),
        required(
            "name",
            String,
            "The loop's name: what runs, transcripts and other loops call it. It must not be blank.",
            "\"order-desk\"",
        ),
        key(
            "display_name",
            String,
            "",
            "A label for people.",
            "\"Order desk\"",
        ),
        key(
            "description",
            String,
            "",
            "What the loop is for. A loop that delegates to this one shows it to its model.",
            "\"Answers questions about orders.\"",
        ),
        key(
            "system",
            String,
            "",
            "The system prompt of every mode.",
            "\"You answer questions about orders.\"",
        ),
        key(
            "system_file",
            Path,
            "",
            "A UTF-8 file with the system prompt. A byte order mark and newlines at its end are dropped. It cannot stand together with `system`.",
            "\"prompts/order-desk.md\"",
        ),
        key(
            "prompt",
            String,
            "a person is asked",
            "The user message of a run for which none is given.",
            "\"Is order 1042 shipped?\"",
        ),
        key(
            "initial_mode",
            String,
            "",
            "The mode in which a run starts. It is required as soon as there is a mode, and cannot stand where there is none: a run starts in the base only where there are no modes.",
            "\"lookup\"",
        ),
        key(
            "drain_timeout",
            Duration,
            "`\"5s\"`",
            "How long a cancelled run may take to wind down.",
            "\"10s\"",
        ),
        key(
            "cwd",
            Path,
            "the file's folder",
            "The folder in which tools without a `cwd` of their own run.",
            "\"data\"",
        ),
        key(
            "secrets",
            Array(&String),
            "",
            "Environment variables whose values are secret, beside those that are by their name.",
            "[\"SHOP_LOGIN\"]",
        ),
        key(
            "delegates",
            Array(&String),
            "",
            "Loops this one may hand work to, by their `name`. At bind each becomes one more tool, which takes `{ message }`.",
            "[\"refund-desk\"]",
        ),
        required(
            "model",
            Table(&MODEL),
            "The model of the base, and of every mode that has none of its own.",
            "provider = \"scripted\"\nname = \"demo\"",
        ),
        key(
            "limits",
            Table(&LIMITS),
            "",
            "Limits of one turn. A mode can override each.",
            "iterations = 8",
        ),
        key(
            "access",
            Table(&ACCESS),
            "",
            "Which calls run, which are asked about, which never run. The first pattern that fits decides, in the order deny, ask, allow; else the tool's `effect` does.",
            "deny = [\"refund\"]",
        ),
        key(
            "output",
            Table(&OUTPUT),
            "",
            "The answer is one JSON object of a schema.",
            "name = \"answer\"\nschema = { type = \"object\", additionalProperties = false }",
        ),
        key(
            "tools",
            Tables(&TOOL),
            "",
            "The tools.",
            "name = \"find_order\"\ndescription = \"Finds an order by its number.\"\nreply = \"shipped\"",
        ),
        key(
            "middlewares",
            Tables(&MIDDLEWARE),
            "",
            "What is done around each call; the first is outermost.",
            "kind = \"log\"\nfile = \"calls.jsonl\"",
        ),
        key(
            "modes",
            Tables(&MODE),
            "",
            "The modes: each a choice of tools, limits, instructions and effort. What a mode leaves out comes from the base.",
            "name = \"lookup\"",
        ),
        key(
            "tests",
            Tables(&TEST),
            "",
            "Tests of the loop, which `loopls test` runs.",
            "name = \"finds an order\"\nprompt = \"Is order 1042 shipped?\"\nexpect = { contains = \"shipped\" }",
        ),
    ],
};

/// The efforts.
pub const EFFORTS: &[Word] = &[
    word("minimal", "hardly any thinking"),
    word("low", "little thinking"),
    word("medium", "some thinking"),
    word("high", "much thinking"),
    word("xhigh", "very much thinking"),
    word("max", "as much thinking as there is"),
];

const PROVIDERS: &[Word] = &[
    word(
        "scripted",
        "embedded; replies from `script`, needs no key and no network",
    ),
    word("anthropic", "Anthropic's Messages API"),
    word("openai", "OpenAI's API"),
    word("gemini", "Google's Gemini API"),
    word("ollama", "models on an Ollama server"),
    word(
        "openai-compatible",
        "any server that speaks OpenAI chat completions; needs `base_url`",
    ),
];

/// `[model]`
pub static MODEL: TableSpec = TableSpec {
    title: "`[model]`",
    keys: &[
        required(
            "provider",
            Word(PROVIDERS),
            "Who serves the model.",
            "\"scripted\"",
        ),
        required(
            "name",
            String,
            "The provider's id of the model. It must not be blank.",
            "\"demo\"",
        ),
        key(
            "base_url",
            String,
            "the provider's own",
            "Where the provider is served: `https`, or `http` for this machine alone; no user name or password. With it a provider's usual key variable is not used.",
            "\"https://models.example.com/v1\"",
        ),
        key(
            "api_key_env",
            String,
            "the provider's usual variable",
            "The environment variable that holds the key. The key itself never stands in a file.",
            "\"ANTHROPIC_API_KEY\"",
        ),
        key(
            "effort",
            Word(EFFORTS),
            "the model decides",
            "How hard the model thinks. Where a provider lacks an effort the next lower one is sent, else the lowest it has.",
            "\"medium\"",
        ),
        key(
            "temperature",
            Number,
            "the provider's",
            "Sampling temperature.",
            "0.2",
        ),
        key(
            "top_p",
            Number,
            "the provider's",
            "Nucleus sampling.",
            "0.9",
        ),
        key(
            "max_tokens",
            Integer,
            "the provider's; 16384 where it demands one",
            "The most tokens of one reply. It is at least 1.",
            "4096",
        ),
        key(
            "stop",
            Array(&String),
            "",
            "Texts at which a reply stops.",
            "[\"END\"]",
        ),
        key(
            "script",
            Tables(&REPLY),
            "",
            "The replies of a `scripted` model, in order.",
            "text = \"Yes, it was shipped.\"",
        ),
    ],
};

const STOP_REASONS: &[Word] = &[
    word("end_turn", "the model is done"),
    word("tool_use", "the model waits for results"),
    word("max_tokens", "the reply was cut"),
    word("refusal", "the model refused"),
];

static REPLY: TableSpec = TableSpec {
    title: "a `script` reply",
    keys: &[
        key(
            "text",
            String,
            "",
            "What the model says.",
            "\"Let me look.\"",
        ),
        key(
            "calls",
            Tables(&SCRIPTED_CALL),
            "",
            "The tools it calls.",
            "tool = \"find_order\"\ninput = { id = \"1042\" }",
        ),
        key(
            "stop_reason",
            Word(STOP_REASONS),
            "`tool_use` with calls, else `end_turn`",
            "Why the reply ends.",
            "\"end_turn\"",
        ),
        key(
            "usage",
            Table(&USAGE),
            "",
            "The tokens that the reply reports.",
            "input = 120\noutput = 30",
        ),
        key(
            "delay",
            Duration,
            "",
            "How long the reply takes to come.",
            "\"200ms\"",
        ),
        key(
            "error",
            String,
            "",
            "The request fails with this.",
            "\"overloaded\"",
        ),
    ],
};

/// One of a reply's `calls`.
pub static SCRIPTED_CALL: TableSpec = TableSpec {
    title: "a scripted call",
    keys: &[
        required(
            "tool",
            String,
            "The tool's model-facing name; one that does not exist is allowed.",
            "\"find_order\"",
        ),
        key(
            "input",
            StringOrTable,
            "`{}`",
            "The input; a string goes out as raw text.",
            "{ id = \"1042\" }",
        ),
    ],
};

static USAGE: TableSpec = TableSpec {
    title: "`usage`",
    keys: &[
        key("input", Integer, "0", "Input tokens.", "120"),
        key("output", Integer, "0", "Output tokens.", "30"),
    ],
};

/// `[limits]`, of the base or of a mode.
pub static LIMITS: TableSpec = TableSpec {
    title: "`[limits]`",
    keys: &[
        key(
            "iterations",
            Integer,
            "25",
            "Tool-loop iterations in one turn: how often the model may ask for calls.",
            "8",
        ),
        key("calls", Integer, "100", "Tool calls in one turn.", "20"),
        key(
            "parallel",
            Integer,
            "8",
            "Calls of one batch that run at the same time.",
            "4",
        ),
        key(
            "result_bytes",
            Integer,
            "0",
            "Bytes of one tool result that reach the model; a longer one is cut in the middle. 0 leaves only the hard bound of 8 MiB, and other values are at least 256.",
            "4096",
        ),
        key(
            "tokens",
            Integer,
            "0",
            "Input and output tokens of one turn. 0 is no cap.",
            "20000",
        ),
        key(
            "time",
            Duration,
            "none",
            "Wall time of one turn, without the time that a person takes to answer.",
            "\"2m\"",
        ),
    ],
};

static ACCESS: TableSpec = TableSpec {
    title: "`[access]`",
    keys: &[
        key(
            "allow",
            Array(&String),
            "",
            "Tools whose calls run without a question, as names or globs. Calls with an irreversible effect are asked about all the same.",
            "[\"find_*\"]",
        ),
        key(
            "ask",
            Array(&String),
            "",
            "Tools whose calls a person is asked about.",
            "[\"cancel_order\"]",
        ),
        key(
            "deny",
            Array(&String),
            "",
            "Tools whose calls never run.",
            "[\"refund\"]",
        ),
    ],
};

static OUTPUT: TableSpec = TableSpec {
    title: "`[output]`",
    keys: &[
        required(
            "name",
            String,
            "The name of the answer: a letter or `_`, then letters, digits, `_` and `-`, at most 64 in all.",
            "\"answer\"",
        ),
        key(
            "description",
            String,
            "",
            "What the answer is, for the model.",
            "\"Where the order is.\"",
        ),
        key(
            "strict",
            Boolean,
            "`false`",
            "Whether the provider is asked to hold the answer to the schema.",
            "true",
        ),
        required(
            "schema",
            FreeTable,
            "The answer's JSON Schema, in the subset that all providers take: objects that list every property as required and allow no others, arrays, and scalars with or without `enum`.",
            "{ type = \"object\", additionalProperties = false, required = [\"shipped\"], properties = { shipped = { type = \"boolean\" } } }",
        ),
    ],
};

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
pub static HTTP: TableSpec = TableSpec {
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
pub static MCP: TableSpec = TableSpec {
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

const MIDDLEWARE_KINDS: &[Word] = &[
    word("log", "writes one JSON line a call to `file`"),
    word("retry", "tries calls of `read` tools again"),
    word("redact", "replaces what fits `patterns` in results"),
];

static MIDDLEWARE: TableSpec = TableSpec {
    title: "`[[middlewares]]`",
    keys: &[
        required("kind", Word(MIDDLEWARE_KINDS), "What it does.", "\"log\""),
        key(
            "tools",
            Array(&String),
            "all; for `retry` those that only read",
            "The tools it is for, as model-facing names or globs.",
            "[\"find_*\"]",
        ),
        key(
            "file",
            Path,
            "",
            "For `log`: the file, which ends in `.jsonl`.",
            "\"calls.jsonl\"",
        ),
        key(
            "attempts",
            Integer,
            "3",
            "For `retry`: how often a call is tried in all.",
            "3",
        ),
        key(
            "backoff",
            Duration,
            "500ms",
            "For `retry`: the wait before the second attempt; it doubles.",
            "\"200ms\"",
        ),
        key(
            "patterns",
            Array(&String),
            "",
            "For `redact`: regular expressions.",
            "[\"[0-9]{16}\"]",
        ),
    ],
};

/// `[[modes]]`
pub static MODE: TableSpec = TableSpec {
    title: "`[[modes]]`",
    keys: &[
        required(
            "name",
            String,
            "The mode's name. It must not be blank, and no two modes share one.",
            "\"lookup\"",
        ),
        key(
            "description",
            String,
            "",
            "What the mode is for, for people.",
            "\"Only looks.\"",
        ),
        key(
            "instructions",
            String,
            "",
            "Added to the system prompt after a blank line.",
            "\"Only look, change nothing.\"",
        ),
        key(
            "instructions_file",
            Path,
            "",
            "A UTF-8 file with the instructions. It cannot stand together with `instructions`.",
            "\"prompts/lookup.md\"",
        ),
        key(
            "tools",
            Array(&String),
            "the base tools",
            "The mode's tools, by the names of their entries. An empty list is no list: the mode then has all base tools.",
            "[\"find_order\"]",
        ),
        key(
            "limits",
            Table(&LIMITS),
            "",
            "Limits that override those of the base. Zero keeps the base's.",
            "calls = 5",
        ),
        key(
            "effort",
            Word(EFFORTS),
            "the base's",
            "How hard the model thinks in this mode.",
            "\"low\"",
        ),
        key(
            "model",
            Table(&MODEL),
            "the base's",
            "The mode's own model. It replaces the base's whole; only the effort is not taken from it.",
            "provider = \"scripted\"\nname = \"small\"",
        ),
    ],
};

/// `[[tests]]`
pub static TEST: TableSpec = TableSpec {
    title: "`[[tests]]`",
    keys: &[
        required("name", String, "The test's name.", "\"finds an order\""),
        key(
            "prompt",
            String,
            "the definition's `prompt`",
            "The user message.",
            "\"Is order 1042 shipped?\"",
        ),
        key(
            "mode",
            String,
            "`initial_mode`",
            "The mode the test runs in.",
            "\"lookup\"",
        ),
        key(
            "script",
            Tables(&REPLY),
            "the real model, with `--live` only",
            "The model's replies.",
            "text = \"Yes.\"",
        ),
        key(
            "results",
            Tables(&GIVEN_RESULT),
            "",
            "Results that are given instead of running tools.",
            "tool = \"find_order\"\nresult = \"shipped\"",
        ),
        required(
            "expect",
            Table(&EXPECT),
            "What must come of it; at least one expectation.",
            "contains = \"shipped\"",
        ),
    ],
};

/// One of a test's `results`.
pub static GIVEN_RESULT: TableSpec = TableSpec {
    title: "a given result",
    keys: &[
        required(
            "tool",
            String,
            "The tool's model-facing name.",
            "\"find_order\"",
        ),
        key(
            "input",
            StringOrTable,
            "any input",
            "The input for which it is given.",
            "{ id = \"1042\" }",
        ),
        required("result", Any, "The result.", "\"shipped\""),
        key(
            "error",
            Boolean,
            "`false`",
            "Whether the result is an error.",
            "true",
        ),
    ],
};

const STOPS: &[Word] = &[
    word("answer", "the model answered"),
    word("limit", "a limit was reached"),
    word("cancelled", "somebody cancelled"),
    word("refusal", "the model refused"),
    word("max_tokens", "the reply was cut"),
    word("failed", "something failed"),
];

static EXPECT: TableSpec = TableSpec {
    title: "`expect`",
    keys: &[
        key(
            "answer",
            String,
            "",
            "The answer, exactly.",
            "\"Yes, it was shipped.\"",
        ),
        key(
            "contains",
            String,
            "",
            "A part of the answer.",
            "\"shipped\"",
        ),
        key(
            "matches",
            String,
            "",
            "A regular expression that the answer matches.",
            "\"(?i)shipped\"",
        ),
        key(
            "calls",
            Tables(&EXPECTED_CALL),
            "",
            "The calls, in order.",
            "tool = \"find_order\"",
        ),
        key(
            "results",
            Tables(&EXPECTED_RESULT),
            "",
            "Results, in order.",
            "tool = \"find_order\"\ncontains = \"shipped\"",
        ),
        key("iterations", Integer, "", "The number of iterations.", "1"),
        key(
            "stop",
            Word(STOPS),
            "`\"answer\"`",
            "Why the turn ends.",
            "\"answer\"",
        ),
    ],
};

static EXPECTED_CALL: TableSpec = TableSpec {
    title: "an expected call",
    keys: &[
        required(
            "tool",
            String,
            "The tool's model-facing name.",
            "\"find_order\"",
        ),
        key(
            "input",
            StringOrTable,
            "any input",
            "Its input.",
            "{ id = \"1042\" }",
        ),
    ],
};

static EXPECTED_RESULT: TableSpec = TableSpec {
    title: "an expected result",
    keys: &[
        required(
            "tool",
            String,
            "The tool's model-facing name.",
            "\"find_order\"",
        ),
        key(
            "contains",
            String,
            "",
            "A part of the result.",
            "\"shipped\"",
        ),
        key(
            "is_error",
            Boolean,
            "",
            "Whether the result is an error.",
            "false",
        ),
    ],
};
