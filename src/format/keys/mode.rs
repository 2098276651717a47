//! `[[modes]]`

use super::limits::LIMITS;
use super::model::{EFFORTS, MODEL};
use super::{key, required};
use crate::format::TableSpec;
use crate::format::Type::*;

/// `[[modes]]`
pub(super) static MODE: TableSpec = TableSpec {
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
