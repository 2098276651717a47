//! `invalid_model`, and `invalid_mode` for the model of a mode: provider, name, `base_url`, effort.

use super::{base_url, choices, did_you_mean, listed};
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::provider::{Address, provider};
use crate::definition::{Effort, Field, Model, Spanned};
use crate::format::{self, Type};
use crate::syntax::render;
use crate::text::{Span, Text};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    match &definition.model {
        Field::Missing => found.push(Diagnostic::new(
            Code::InvalidModel,
            Span::empty(analysis.start()),
            "the loop has no `[model]`; add one with a `provider` and a `name`",
        )),
        Field::Invalid(_) => {}
        Field::Present(model) => check_model(&model.value, model.span, Code::InvalidModel, found),
    }
    for mode in &definition.modes {
        if let Some(model) = mode.model.spanned() {
            check_model(&model.value, model.span, Code::InvalidMode, found);
        }
        effort(&mode.effort, Code::InvalidMode, found);
    }
}

fn check_model(model: &Model, header: Span, code: Code, found: &mut Vec<Diagnostic>) {
    match &model.provider {
        Field::Missing => found.push(Diagnostic::new(
            code,
            header,
            format!(
                "the model has no `provider`; it is one of {}",
                listed(providers())
            ),
        )),
        Field::Present(provider) if !providers().any(|known| known == provider.value) => {
            let meant = did_you_mean(&provider.value, providers());
            found.push(
                Diagnostic::new(code, provider.span, unknown_provider(&provider.value))
                    .with_meant(meant, render::string),
            );
        }
        _ => {}
    }
    match &model.name {
        Field::Missing => {
            found.push(Diagnostic::new(
                code,
                header,
                "the model has no `name`; write the provider's id of the model",
            ));
        }
        Field::Present(name) if name.value.trim().is_empty() => {
            found.push(Diagnostic::new(
                code,
                name.span,
                "the model's name is blank; write the provider's id of the model",
            ));
        }
        _ => {}
    }
    match &model.base_url {
        Field::Present(url) if !url.value.is_empty() => {
            if let Err(problem) = base_url::check(&url.value) {
                found.push(Diagnostic::new(
                    code,
                    url.span,
                    format!("`base_url` {problem}"),
                ));
            }
        }
        Field::Missing | Field::Present(_) if has_no_address(&model.provider) => {
            let span = model.provider.span().unwrap_or(header);
            let message = format!(
                "the provider `{}` has no address of its own; add a `base_url`",
                model.provider.text()
            );
            found.push(Diagnostic::new(code, span, message));
        }
        _ => {}
    }
    effort(&model.effort, code, found);
}

fn has_no_address(name: &Field<Text>) -> bool {
    provider(name.text()).is_some_and(|provider| provider.address == Address::Given)
}

fn effort(field: &Field<Text>, code: Code, found: &mut Vec<Diagnostic>) {
    let Some(Spanned { value, span }) = field.spanned() else {
        return;
    };
    if value.is_empty() || Effort::from_word(value).is_some() {
        return;
    }
    let words = || Effort::ALL.into_iter().map(Effort::as_str);
    let message = format!(
        "`{}` is no effort{}",
        value.escape_debug(),
        choices(value, words())
    );
    found.push(
        Diagnostic::new(code, *span, message)
            .with_meant(did_you_mean(value, words()), render::string),
    );
}

/// The providers, as the format lists them.
fn providers() -> impl Iterator<Item = &'static str> + Clone {
    let words = match format::MODEL.key("provider").map(|key| key.kind) {
        Some(Type::Word(words)) => words,
        _ => &[],
    };
    words.iter().map(|word| word.name)
}

fn unknown_provider(name: &str) -> String {
    if name.trim().is_empty() {
        return format!(
            "the model's provider is blank; it is one of {}",
            listed(providers())
        );
    }
    format!(
        "`{}` is no provider{}",
        name.escape_debug(),
        choices(name, providers())
    )
}
