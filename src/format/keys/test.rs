//! `[[tests]]` and what they expect.

use super::model::REPLY;
use super::{key, required, word};
use crate::format::Type::*;
use crate::format::{KeySpec, TableSpec, Word};

/// `[[tests]]`
pub(super) static TEST: TableSpec = TableSpec {
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

const TOOL: KeySpec = required(
    "tool",
    String,
    "The tool's model-facing name.",
    "\"find_order\"",
);

/// One of a test's `results`.
static GIVEN_RESULT: TableSpec = TableSpec {
    title: "a given result",
    keys: &[
        TOOL,
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
        TOOL,
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
        TOOL,
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
