//! `invalid_value` and `missing_key` where a rule of one key decides, and pairs of keys of which one may stand.

use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::{Definition, Field, Model};
use crate::text::{Span, Text};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    if let Some(format) = definition
        .format
        .spanned()
        .filter(|format| format.value != 1)
    {
        let message = format!(
            "there is no format {}; this loopls reads format 1",
            format.value
        );
        found.push(Diagnostic::new(Code::InvalidValue, format.span, message));
    }
    one_of(
        "system",
        &definition.system,
        "system_file",
        &definition.system_file,
        found,
    );
    for mode in &definition.modes {
        one_of(
            "instructions",
            &mode.instructions,
            "instructions_file",
            &mode.instructions_file,
            found,
        );
    }
    for model in models(definition) {
        if let Some(tokens) = model
            .max_tokens
            .spanned()
            .filter(|tokens| tokens.value <= 0)
        {
            found.push(Diagnostic::new(
                Code::InvalidValue,
                tokens.span,
                format!("`max_tokens` is {}; a reply needs at least one token (leave it out for no cap)", tokens.value),
            ));
        }
    }
    for tool in &definition.tools {
        if let Some(timeout) = tool.timeout.spanned().filter(|timeout| timeout.value <= 0) {
            let message = "a call needs some time; leave `timeout` out for the default";
            found.push(Diagnostic::new(Code::InvalidValue, timeout.span, message));
        }
    }
}

/// Every model of a definition, the base's first.
fn models(definition: &Definition) -> impl Iterator<Item = &Model> {
    let own = definition.modes.iter().filter_map(|mode| mode.model.get());
    definition.model.get().into_iter().chain(own)
}

fn one_of(
    first: &str,
    one: &Field<Text>,
    second: &str,
    other: &Field<Text>,
    found: &mut Vec<Diagnostic>,
) {
    let (Some(one), Some(other)) = (one.span(), other.span()) else {
        return;
    };
    let (earlier, later): (Span, Span) = if one < other {
        (one, other)
    } else {
        (other, one)
    };
    let message = format!("`{first}` and `{second}` say the same thing twice; keep one");
    found.push(
        Diagnostic::new(Code::InvalidValue, later, message).with_related(earlier, "the other one"),
    );
}
