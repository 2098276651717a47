//! Who names what: every tool, produced name and mode with its places.

use super::Definition;
use crate::text::Span;

/// Something that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// `Definition::tools[index]`.
    Tool(usize),
    /// `Definition::modes[index]`.
    Mode(usize),
}

/// A place where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The value, with its quotes.
    pub span: Span,
    /// What it names.
    pub target: Target,
    /// Whether this is where the name is given.
    pub declares: bool,
}

/// All mentions of a definition, in order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    mentions: Vec<Mention>,
}

impl Names {
    /// Collects the mentions of `definition`.
    pub fn of(definition: &Definition) -> Self {
        let tool = |name: &str| {
            definition
                .tools
                .iter()
                .position(|tool| tool.name.text() == name)
        };
        let mode = |name: &str| {
            definition
                .modes
                .iter()
                .position(|mode| mode.name.text() == name)
        };
        let mut mentions = Vec::new();
        for (index, tool) in definition.tools.iter().enumerate() {
            if let Some(name) = tool.name.spanned() {
                mentions.push(Mention {
                    span: name.span,
                    target: Target::Tool(index),
                    declares: true,
                });
            }
        }
        for (index, entry) in definition.modes.iter().enumerate() {
            if let Some(name) = entry.name.spanned() {
                mentions.push(Mention {
                    span: name.span,
                    target: Target::Mode(index),
                    declares: true,
                });
            }
            for name in entry.tools.items() {
                if let Some(target) = tool(&name.value).map(Target::Tool) {
                    mentions.push(Mention {
                        span: name.span,
                        target,
                        declares: false,
                    });
                }
            }
        }
        let modes = definition
            .tests
            .iter()
            .map(|test| &test.mode)
            .chain([&definition.initial_mode]);
        for name in modes.filter_map(super::Field::spanned) {
            if let Some(target) = mode(&name.value).map(Target::Mode) {
                mentions.push(Mention {
                    span: name.span,
                    target,
                    declares: false,
                });
            }
        }
        mentions.sort_by_key(|mention| mention.span);
        Self { mentions }
    }

    /// The mention under the cursor.
    pub fn at(&self, offset: usize) -> Option<Mention> {
        self.mentions
            .iter()
            .copied()
            .find(|mention| mention.span.touches(offset))
    }

    /// Every mention of `target`, in order of the text.
    pub fn of_target(&self, target: Target) -> impl Iterator<Item = Mention> + '_ {
        self.mentions
            .iter()
            .copied()
            .filter(move |mention| mention.target == target)
    }
}
