//! Every place that names what is under the cursor.

use super::patterns::{is_wild, patterns};
use crate::check::Analysis;
use crate::definition::Target;
use crate::text::Span;

/// Every place of the file that names what stands at byte `offset`, in order of the text: the declaration if asked for,
/// every mention, and every pattern with wildcards that matches it.
pub fn references(analysis: &Analysis, offset: usize, with_declaration: bool) -> Vec<Span> {
    let Some(mention) = analysis.mentions().at(offset) else {
        return Vec::new();
    };
    let target = mention.target;
    let mentions = analysis.mentions().of_target(target);
    let mut spans: Vec<Span> = mentions
        .filter(|mention| with_declaration || !mention.declares)
        .map(|mention| mention.span)
        .collect();
    if let Some((name, is_produced)) = tool_name(analysis, target) {
        let wild = patterns(analysis, is_wild).into_iter();
        let matching = wild.filter(|pattern| pattern.matches(name, is_produced));
        spans.extend(matching.map(|pattern| pattern.written.span));
        spans.sort();
    }
    spans
}

/// The name of `target` that patterns are tried on, and whether the model sees it.
pub(super) fn tool_name(analysis: &Analysis, target: Target) -> Option<(&str, bool)> {
    let tools = &analysis.definition.tools;
    match target {
        Target::Tool(index) => {
            let tool = tools.get(index)?;
            let is_produced = tool.produces.is_missing() && tool.produced_names().is_some();
            Some((tool.name.text(), is_produced))
        }
        Target::Produced { tool, name } => {
            let names = tools.get(tool)?.produces.get()?;
            Some((names.get(name)?.get()?, true))
        }
        Target::Delegate(index) => {
            let names = analysis.definition.delegates.get()?;
            Some((names.get(index)?.get()?, true))
        }
        Target::Mode(_) | Target::Property { .. } => None,
    }
}
