//! `[limits]`, `[access]` and `[output]`.

use super::{key, required};
use crate::format::TableSpec;
use crate::format::Type::*;

/// `[limits]`, of the base or of a mode.
pub(super) static LIMITS: TableSpec = TableSpec {
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

pub(super) static ACCESS: TableSpec = TableSpec {
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

pub(super) static OUTPUT: TableSpec = TableSpec {
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
