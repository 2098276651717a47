//! Which providers a definition's models are served by, and which of them see a tool.

use super::{Provider, provider};
use crate::definition::{Definition, resolve};

/// The providers that the base and the modes of a definition use, each once.
#[derive(Debug)]
pub struct ProvidersInUse {
    all: Vec<&'static Provider>,
    by_tool: Vec<Vec<&'static Provider>>,
}

impl ProvidersInUse {
    /// The providers of `definition`'s models. A model whose provider is none of ours counts for nothing.
    pub fn of(definition: &Definition) -> Self {
        let mut in_use = Self {
            all: Vec::new(),
            by_tool: vec![Vec::new(); definition.tools.len()],
        };
        // Most modes share the base's tools: those are gone through once a provider, not once a mode.
        let mut of_base = Vec::new();
        for mode in resolve(definition) {
            let Some(provider) = mode.model.and_then(|model| provider(model.provider.text()))
            else {
                continue;
            };
            add(&mut in_use.all, provider);
            if mode.own_tools || add(&mut of_base, provider) {
                for tool in mode.tools.iter() {
                    add(&mut in_use.by_tool[*tool], provider);
                }
            }
        }
        in_use
    }

    /// All of them; every delegate is seen by each.
    pub fn all(&self) -> &[&'static Provider] {
        &self.all
    }

    /// Those that see the tool `Definition::tools[index]`: of the base, and of every mode that has the tool.
    pub fn of_tool(&self, index: usize) -> &[&'static Provider] {
        &self.by_tool[index]
    }
}

/// Whether `provider` was not there yet.
fn add(providers: &mut Vec<&'static Provider>, provider: &'static Provider) -> bool {
    let new = !providers.iter().any(|known| known.name == provider.name);
    if new {
        providers.push(provider);
    }
    new
}
