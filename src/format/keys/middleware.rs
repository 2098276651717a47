//! `[[middlewares]]`

use super::{key, required, word};
use crate::format::Type::*;
use crate::format::{TableSpec, Word};

const MIDDLEWARE_KINDS: &[Word] = &[
    word("log", "writes one JSON line a call to `file`"),
    word("retry", "tries calls of `read` tools again"),
    word("redact", "replaces what fits `patterns` in results"),
];

pub(super) static MIDDLEWARE: TableSpec = TableSpec {
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
