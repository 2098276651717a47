//! Where the thing under the cursor is defined, in this file or in another.

use super::patterns::pattern_at;
use super::place::{On, place_at};
use crate::check::Analysis;
use crate::definition::{Mention, Surroundings, Target, beside};
use crate::format::{self, Type};
use crate::syntax::{Entry, Table};
use crate::text::Span;
use std::path::{Path, PathBuf};

/// Where a name leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jump {
    /// What is under the cursor.
    pub origin: Span,
    /// Where it leads; a pattern can lead to several places.
    pub destinations: Vec<Destination>,
}

/// Where something is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// In this file.
    Here {
        /// All of it.
        whole: Span,
        /// Its name, within.
        name: Span,
    },
    /// In this file, absolute.
    File(PathBuf),
}

/// Where the thing at byte `offset` is defined.
pub fn definition(
    analysis: &Analysis,
    surroundings: &dyn Surroundings,
    offset: usize,
) -> Option<Jump> {
    if let Some(mention) = analysis.mentions().at(offset) {
        let destinations = match mention.target {
            Target::Delegate(_) => loops_called(analysis, surroundings, mention),
            target => declared(analysis, target).into_iter().collect(),
        };
        return jump(mention.span, destinations);
    }
    if let Some(pattern) = pattern_at(analysis, offset) {
        let targets = pattern.targets(analysis).into_iter();
        let destinations = targets.filter_map(|target| declared(analysis, target));
        return jump(pattern.written.span, destinations.collect());
    }
    let place = place_at(&analysis.table, offset)?;
    let key = format::key_at(place.keys())?;
    let (On::Value, Type::Path) = (place.on, key.kind) else {
        return None;
    };
    let path = place.text()?;
    let file = file(surroundings, path)?;
    jump(place.span, vec![Destination::File(file)])
}

fn jump(origin: Span, destinations: Vec<Destination>) -> Option<Jump> {
    (!destinations.is_empty()).then_some(Jump {
        origin,
        destinations,
    })
}

/// Where `target` is declared in this file.
pub(super) fn declared(analysis: &Analysis, target: Target) -> Option<Destination> {
    let definition = &analysis.definition;
    let name = analysis.mentions().declaration(target)?.span;
    let whole = match target {
        Target::Tool(tool) | Target::Produced { tool, .. } => definition.tools.get(tool)?.extent,
        Target::Mode(mode) => definition.modes.get(mode)?.extent,
        Target::Property { tool, property } => {
            let properties = definition.tools.get(tool)?.properties()?;
            whole_of(properties.entries.get(property)?)
        }
        Target::Delegate(_) => name,
    };
    Some(Destination::Here {
        whole: whole.cover(name),
        name,
    })
}

/// All the text of an entry.
pub(super) fn whole_of(entry: &Entry) -> Span {
    let extent = entry.value.as_table().map(|table: &Table| table.extent);
    extent.map_or(entry.span, |extent| entry.span.cover(extent))
}

fn loops_called(
    analysis: &Analysis,
    surroundings: &dyn Surroundings,
    mention: Mention,
) -> Vec<Destination> {
    let Target::Delegate(index) = mention.target else {
        return Vec::new();
    };
    let items = analysis.definition.delegates.get();
    let name = items.and_then(|items| items.get(index)?.get());
    let loops = surroundings.loops().unwrap_or_default();
    let called = loops
        .iter()
        .filter(|known| name.is_some_and(|name| known.name == *name));
    called
        .map(|known| Destination::File(known.path.clone()))
        .collect()
}

/// The file at `path`, if it is there.
fn file(surroundings: &dyn Surroundings, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let place = surroundings.place()?;
    surroundings.file(path).ok()?;
    Some(beside(place.parent()?, path))
}
