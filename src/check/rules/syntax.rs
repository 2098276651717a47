//! `syntax`: what is not TOML.

use crate::check::{Analysis, Code, Diagnostic};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    for error in &analysis.syntax_errors {
        let mut diagnostic = Diagnostic::new(Code::Syntax, error.span, error.message.clone());
        if let Some((span, message)) = &error.related {
            diagnostic = diagnostic.with_related(*span, message.clone());
        }
        found.push(diagnostic);
    }
}
