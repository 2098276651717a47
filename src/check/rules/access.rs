//! `invalid_value` for a pattern that is no glob.

use crate::check::{Analysis, Code, Diagnostic};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    let access = definition.access.get();
    let of_access = access
        .into_iter()
        .flat_map(|access| [&access.allow, &access.ask, &access.deny]);
    let of_middlewares = definition
        .middlewares
        .iter()
        .map(|middleware| &middleware.tools);
    for pattern in of_access
        .chain(of_middlewares)
        .flat_map(|list| list.items())
    {
        let problem = match globset::Glob::new(&pattern.value) {
            _ if pattern.value.trim().is_empty() => "it is blank".to_owned(),
            Err(error) => error.kind().to_string(),
            Ok(_) => continue,
        };
        let message = format!(
            "`{}` is no name or pattern of tools: {problem}",
            pattern.value.escape_debug()
        );
        found.push(Diagnostic::new(Code::InvalidValue, pattern.span, message));
    }
}
