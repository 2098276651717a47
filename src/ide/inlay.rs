//! Hints within the text: what a mode's limits come to, behind its header.

use super::hover::limit_value;
use crate::check::Analysis;
use crate::definition::{Origin, ResolvedLimits, resolve};
use crate::text::Span;

/// Words that an editor shows at a place without their being there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// Where they stand: behind this byte.
    pub offset: usize,
    /// The words.
    pub label: String,
    /// What is told about them, as Markdown.
    pub tooltip: String,
}

/// The hints within `span`, in order of the text: behind the header of each mode its three counts, and its other limits
/// where there are any. What the mode itself says stands plain, what it takes from the base or the defaults in
/// brackets: `8 iterations · (100 calls) · (8 parallel)`.
pub fn inlay_hints(analysis: &Analysis, span: Span) -> Vec<InlayHint> {
    let resolved = resolve(&analysis.definition);
    let modes = resolved
        .iter()
        .filter_map(|resolved| Some((resolved.mode?, resolved)));
    let mut hints: Vec<InlayHint> = modes
        .filter(|(mode, _)| span.touches(mode.span.end))
        .map(|(mode, resolved)| InlayHint {
            offset: mode.span.end,
            label: label(&resolved.limits),
            tooltip: super::hover::limits_table(analysis, &resolved.limits),
        })
        .collect();
    hints.sort_by_key(|hint| hint.offset);
    hints
}

fn label(limits: &ResolvedLimits) -> String {
    let limits = limits.named().into_iter();
    let counted = |name: &str| matches!(name, "iterations" | "calls" | "parallel");
    let shown = limits.filter(|(name, limit)| counted(name) || limit.value != 0);
    let parts = shown.map(|(name, limit)| {
        let text = match name {
            "time" => limit_value(name, limit),
            "result_bytes" => format!("{} bytes a result", limit.value),
            _ => format!("{} {name}", limit.value),
        };
        match limit.origin {
            Origin::Mode(_) => text,
            Origin::Base(_) | Origin::Default => format!("({text})"),
        }
    });
    parts.collect::<Vec<_>>().join(" · ")
}
