//! Tests that cannot tell anything, or cannot be told apart: `invalid_value` for one that expects nothing, a pattern
//! that is no regular expression, a negative number of iterations, and a name that is blank or taken.

use super::free_name;
use super::no_regular_expression;
use crate::check::{Analysis, Code, Diagnostic, Repair};
use crate::definition::{Expect, Spanned, Test};
use crate::syntax::render;
use crate::text::{Map, Set, Span, Text};
use regex::Regex;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let tests = &analysis.definition.tests;
    names(tests, found);
    for expect in tests.iter().filter_map(|test| test.expect.spanned()) {
        expectations(expect, found);
    }
}

fn names(tests: &[Test], found: &mut Vec<Diagnostic>) {
    let names = tests.iter().filter_map(|test| test.name.get());
    let taken: Set<&str> = names.map(Text::as_str).collect();
    let mut first: Map<&str, Span> = Map::default();
    for name in tests.iter().filter_map(|test| test.name.spanned()) {
        if name.value.trim().is_empty() {
            let message = "the test's name is blank; give it one";
            found.push(Diagnostic::new(Code::InvalidValue, name.span, message));
        } else if let Some(earlier) = first.get(name.value.as_str()) {
            let free = free_name(&name.value, &taken);
            let message = format!(
                "there is already a test `{}`; rename or remove one",
                name.value.escape_debug()
            );
            found.push(
                Diagnostic::new(Code::InvalidValue, name.span, message)
                    .with_related(*earlier, "the first test of this name")
                    .with_guess(
                        format!("Rename to `{}`", free.escape_debug()),
                        Repair::Replace(render::string(&free)),
                    ),
            );
        } else {
            first.insert(&name.value, name.span);
        }
    }
}

fn expectations(expect: &Spanned<Expect>, found: &mut Vec<Diagnostic>) {
    let mut invalid = |span: Span, message: String| {
        found.push(Diagnostic::new(Code::InvalidValue, span, message));
    };
    if expect.value.is_empty() {
        let message = "the test expects nothing; say what must come of it, such as `contains`";
        invalid(expect.span, message.into());
    }
    if let Some(pattern) = expect.value.matches.spanned()
        && let Err(error) = Regex::new(&pattern.value)
    {
        invalid(pattern.span, no_regular_expression(&error));
    }
    if let Some(iterations) = expect.value.iterations.spanned()
        && iterations.value < 0
    {
        let message = "a run has no fewer than 0 iterations".to_owned();
        invalid(iterations.span, message);
    }
}
