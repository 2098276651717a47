//! `key_for_base_url`: with a `base_url` a provider's usual key variable is not used, so no key is sent.

use super::base_url;
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::provider::{Provider, provider};
use crate::definition::{Field, Model};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    let modes = definition.modes.iter().map(|mode| &mode.model);
    let models = std::iter::once(&definition.model).chain(modes);
    found.extend(models.filter_map(Field::get).filter_map(without_key));
}

fn without_key(model: &Model) -> Option<Diagnostic> {
    let provider = provider(model.provider.text()).filter(|provider| provider.wants_key())?;
    let url = model
        .base_url
        .spanned()
        .filter(|url| base_url::check(&url.value).is_ok())?;
    let silent =
        !model.api_key_env.is_missing() || (is_http(&url.value) && provider.key_variable.is_none());
    (!silent).then(|| Diagnostic::new(Code::KeyForBaseUrl, url.span, message(provider)))
}

/// Whether a safe URL is `http`: then it is this machine, where servers as a rule want no key.
fn is_http(url: &str) -> bool {
    url.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"))
}

fn message(provider: &Provider) -> String {
    match &provider.key_variable {
        Some(variable) => format!(
            "with a `base_url` the usual `{}` is not used, so no key is sent; name the key's variable in `api_key_env`",
            variable.value
        ),
        None => {
            "no key is sent; if the server wants one, name its variable in `api_key_env`".into()
        }
    }
}
