//! `invalid_delegate`: a blank delegate.

use crate::check::{Analysis, Code, Diagnostic, Repair};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    for delegate in analysis
        .definition
        .delegates
        .items()
        .filter(|delegate| delegate.value.trim().is_empty())
    {
        let message =
            "the delegate's name is blank; write the `name` of another loop, or remove it";
        found.push(
            Diagnostic::new(Code::InvalidDelegate, delegate.span, message)
                .with_remedy("Remove the blank delegate", Repair::RemoveItem),
        );
    }
}
