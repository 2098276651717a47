//! `missing_name`: a loop needs a name.

use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::Field;
use crate::text::Span;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    match &definition.name {
        Field::Missing => found.push(Diagnostic::new(
            Code::MissingName,
            Span::empty(analysis.start()),
            "the loop has no `name`; add one at the top, such as `name = \"order-desk\"`",
        )),
        Field::Present(name) if name.value.trim().is_empty() => {
            found.push(Diagnostic::new(
                Code::MissingName,
                name.span,
                "the loop's name is blank; give it one",
            ));
        }
        _ => {}
    }
}
