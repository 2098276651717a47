//! The keys of models: read once, at bind, and never shown.

use crate::definition::provider::provider;
use crate::definition::{Definition, Field, Model};
use std::collections::HashMap;
use std::fmt;

/// The values of the environment variables that the models of a definition name as their keys'.
#[derive(Clone, Default)]
pub struct Keys(HashMap<String, String>);

/// A key that a model needs and that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable `{0}` is not set, and the model's key is read from it")]
pub struct KeyMissing(pub String);

impl Keys {
    /// The keys of `definition` that `environment` has.
    pub fn of(definition: &Definition, environment: &[(String, String)]) -> Self {
        let modes = definition.modes.iter().map(|mode| &mode.model);
        let models = modes.chain([&definition.model]).filter_map(Field::get);
        let named = models.filter_map(variable);
        let found = named.filter_map(|name| {
            let value = environment
                .iter()
                .rfind(|(known, _)| known == name)?
                .1
                .clone();
            Some((name.to_owned(), value))
        });
        Self(found.collect())
    }

    /// The key of `model`; none where nothing says that it needs one.
    ///
    /// # Errors
    ///
    /// The variable that holds it is not set, or is blank.
    pub fn of_model(&self, model: &Model) -> Result<Option<String>, KeyMissing> {
        let Some(name) = variable(model) else {
            return Ok(None);
        };
        let key = self
            .0
            .get(name)
            .map(|key| key.trim())
            .filter(|key| !key.is_empty());
        key.map(|key| Some(key.to_owned()))
            .ok_or_else(|| KeyMissing(name.to_owned()))
    }
}

/// The variable that holds the key of `model`: the one it names, else its provider's usual one, but never that for an
/// address of the definition's own.
pub(super) fn variable(model: &Model) -> Option<&str> {
    let named = model.api_key_env.text();
    if !named.is_empty() {
        return Some(named);
    }
    let usual = provider(model.provider.text())?.key_variable.as_ref()?;
    model.base_url.text().is_empty().then_some(usual.value)
}

impl fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}
