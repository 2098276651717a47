//! `[model]` and what a scripted model replies.

use super::{key, required, word};
use crate::format::Type::*;
use crate::format::{TableSpec, Word};

/// The efforts.
pub(super) const EFFORTS: &[Word] = &[
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
    word("openai", "OpenAI's Responses API"),
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

pub(super) static REPLY: TableSpec = TableSpec {
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
static SCRIPTED_CALL: TableSpec = TableSpec {
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
