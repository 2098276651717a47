//! The top level.

use super::limits::{ACCESS, LIMITS, OUTPUT};
use super::middleware::MIDDLEWARE;
use super::mode::MODE;
use super::model::MODEL;
use super::test::TEST;
use super::tool::TOOL;
use super::{key, required};
use crate::format::TableSpec;
use crate::format::Type::*;

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
