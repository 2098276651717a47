//! Who has which name: tools, produced names, modes and delegates.
//!
//! Names are looked up as the format says: entries of tools and modes exactly, model-facing names trimmed. Of two
//! things with one name the first is meant.

use super::{Definition, List, Spanned};
use crate::text::{Map, Text};

/// Something that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// `Definition::tools[index]`; where it has no `produces`, also what the model sees of it.
    Tool(usize),
    /// The model-facing name `Definition::tools[tool].produces[name]`.
    Produced {
        /// Index of the tool.
        tool: usize,
        /// Index in its `produces`.
        name: usize,
    },
    /// `Definition::modes[index]`.
    Mode(usize),
    /// `Definition::delegates[index]`: a loop that another file defines.
    Delegate(usize),
    /// A property of a tool's input.
    Property {
        /// Index of the tool.
        tool: usize,
        /// Index in the entries of its `input.properties`.
        property: usize,
    },
}

/// Who has which name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    tools: Map<Text, usize>,
    modes: Map<Text, usize>,
    produced: Map<Text, Produced>,
}

/// Who has a model-facing name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Produced {
    pub target: Target,
    /// Whether nobody else has it.
    pub unique: bool,
}

impl Names {
    /// The names of `definition`.
    pub fn of(definition: &Definition) -> Self {
        let mut names = Names::default();
        names.tools.reserve(definition.tools.len());
        names.produced.reserve(definition.tools.len());
        names.look_up(definition);
        names
    }

    fn look_up(&mut self, definition: &Definition) {
        for (index, mode) in definition.modes.iter().enumerate() {
            if let Some(name) = mode.name.get() {
                self.modes.entry(name.clone()).or_insert(index);
            }
        }
        for (index, tool) in definition.tools.iter().enumerate() {
            if let Some(name) = tool.name.get() {
                self.tools.entry(name.clone()).or_insert(index);
            }
            if tool.produces.is_missing() {
                for name in tool.produced_names().unwrap_or_default() {
                    self.produce(name.value, Target::Tool(index), index);
                }
            }
            for (name, value) in listed(&tool.produces) {
                self.produce(
                    value.value.trim(),
                    Target::Produced { tool: index, name },
                    index,
                );
            }
        }
        for (index, name) in listed(&definition.delegates) {
            self.produce(name.value.trim(), Target::Delegate(index), usize::MAX);
        }
    }

    fn produce(&mut self, name: &str, target: Target, tool: usize) {
        if name.is_empty() {
            return;
        }
        let entry = self.produced.entry(name.into());
        let produced = entry.or_insert(Produced {
            target,
            unique: true,
        });
        if produced.target.tool().unwrap_or(usize::MAX) != tool {
            produced.unique = false;
        }
    }

    /// The index of the tool whose entry has exactly this name.
    pub fn tool(&self, name: &str) -> Option<usize> {
        self.tools.get(name).copied()
    }

    /// The index of the mode that has exactly this name.
    pub fn mode(&self, name: &str) -> Option<usize> {
        self.modes.get(name).copied()
    }

    /// What the model sees under this name, trimmed: a tool, a produced name or a delegate.
    pub fn produced(&self, name: &str) -> Option<Target> {
        self.owner(name).map(|found| found.target)
    }

    /// Who has the model-facing name, trimmed, and whether nobody else has.
    pub(super) fn owner(&self, name: &str) -> Option<Produced> {
        self.produced.get(name.trim()).copied()
    }
}

impl Target {
    /// The tool that it is, or is a part of.
    pub fn tool(self) -> Option<usize> {
        match self {
            Target::Tool(tool) | Target::Produced { tool, .. } | Target::Property { tool, .. } => {
                Some(tool)
            }
            Target::Mode(_) | Target::Delegate(_) => None,
        }
    }
}

/// The strings of a list with their indexes in it.
pub(super) fn listed(list: &List<Text>) -> impl Iterator<Item = (usize, &Spanned<Text>)> {
    let items = list.get().into_iter().flatten().enumerate();
    items.filter_map(|(index, item)| Some((index, item.spanned()?)))
}
