//! Efforts that do not go out as they stand: `effort_for_provider`, `ignored_effort`.

use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::provider::{Provider, provider};
use crate::definition::{Effort, Field, Mode, Model, Spanned};
use crate::text::{Span, Text};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    let base = definition.model.get();
    let of_base = base.and_then(|model| effort(&model.effort));
    if let (Some(effort), Some(model)) = (of_base, base) {
        found.extend(replaced(effort, model, effort.span));
    }
    for mode in &definition.modes {
        let own_model = mode.model.get();
        match (effort(&mode.effort), own_model.or(base)) {
            (Some(effort), Some(model)) => found.extend(replaced(effort, model, effort.span)),
            (None, _) => found.extend(inherited(of_base, own_model)),
            (Some(_), None) => {}
        }
        if let Some(ignored) = own_model.and_then(|model| effort(&model.effort)) {
            found.push(without_effect(ignored, mode));
        }
    }
}

/// An effort that is there and is one.
fn effort(field: &Field<Text>) -> Option<Spanned<Effort>> {
    let word = field.spanned()?;
    let value = Effort::from_word(&word.value)?;
    Some(Spanned {
        value,
        span: word.span,
    })
}

/// What to say at `span` of an effort that goes to `model` and is another on the way.
fn replaced(effort: Spanned<Effort>, model: &Model, span: Span) -> Option<Diagnostic> {
    let provider = provider(model.provider.text())?;
    let message = replacement(effort.value, provider)?;
    Some(Diagnostic::new(Code::EffortForProvider, span, message))
}

/// The base's effort with a mode's own model: said at its provider, for the effort may be right for the base.
fn inherited(of_base: Option<Spanned<Effort>>, own_model: Option<&Model>) -> Option<Diagnostic> {
    let (effort, model) = (of_base?, own_model?);
    let diagnostic = replaced(effort, model, model.provider.span()?)?;
    Some(diagnostic.with_related(
        effort.span,
        "the effort, which the mode takes from the base",
    ))
}

fn replacement(effort: Effort, provider: &Provider) -> Option<String> {
    let sent = provider.sent_effort(effort);
    let lower = if sent > effort { " and none lower" } else { "" };
    (sent != effort).then(|| {
        format!(
            "`{}` has no effort `{}`{lower}; `{}` goes out instead",
            provider.name,
            effort.as_str(),
            sent.as_str()
        )
    })
}

fn without_effect(ignored: Spanned<Effort>, mode: &Mode) -> Diagnostic {
    let message = match effort(&mode.effort) {
        Some(_) => {
            "an effort in a mode's own model has no effect; the mode's `effort` holds, so remove this one"
        }
        None => "an effort in a mode's own model has no effect; write it as the mode's `effort`",
    };
    let diagnostic = Diagnostic::new(Code::IgnoredEffort, ignored.span, message);
    match mode.effort.span() {
        Some(span) => diagnostic.with_related(span, "the mode's effort"),
        None => diagnostic,
    }
}
