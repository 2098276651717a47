//! What can be started from a definition: lenses over the loop, its modes and tests, and the same as actions.

use crate::check::Analysis;
use crate::definition::{Source, Tool};
use crate::text::{Span, one_line};

/// Something a person can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Run the loop in this mode; `None` is the initial one.
    Run {
        /// The mode's name.
        mode: Option<String>,
    },
    /// Bind the loop and tell what came of it.
    Bind,
    /// Ask the server of this entry what it offers.
    Probe {
        /// The entry's name.
        tool: String,
    },
    /// Run the test of this name.
    RunTest {
        /// The test's name.
        test: String,
    },
}

/// A line of its own over a place, which does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The place it stands over.
    pub span: Span,
    /// What it says.
    pub title: String,
    /// What it does.
    pub act: Act,
}

/// All lenses of a definition, in order of the text. Also for a text with errors: running then says why it cannot.
pub fn lenses(analysis: &Analysis) -> Vec<Lens> {
    let definition = &analysis.definition;
    let mut lenses = Vec::new();
    if let Some(top) = top(analysis) {
        lenses.push(Lens {
            span: top,
            title: "▶ Run".into(),
            act: Act::Run { mode: None },
        });
        lenses.push(Lens {
            span: top,
            title: "Check bind".into(),
            act: Act::Bind,
        });
    }
    for mode in &definition.modes {
        let name = mode.name.text();
        if !name.trim().is_empty() {
            let act = Act::Run {
                mode: Some(name.into()),
            };
            lenses.push(Lens {
                span: mode.span,
                title: format!("▶ Run {}", shown(name)),
                act,
            });
        }
    }
    for test in &definition.tests {
        let name = test.name.text();
        if !name.trim().is_empty() {
            lenses.push(Lens {
                span: test.span,
                title: "▶ Run test".into(),
                act: Act::RunTest { test: name.into() },
            });
        }
    }
    for tool in servers(analysis) {
        let name = tool.name.text();
        lenses.push(Lens {
            span: tool.span,
            title: "Probe".into(),
            act: Act::Probe { tool: name.into() },
        });
    }
    lenses.sort_by_key(|lens| lens.span.start);
    lenses
}

/// The acts offered as code actions for the range `span`, with their titles: the loop's, and those of what it is in.
pub fn acts_at(analysis: &Analysis, span: Span) -> Vec<(String, Act)> {
    let definition = &analysis.definition;
    let mut acts = Vec::new();
    if top(analysis).is_none() {
        return acts;
    }
    acts.push(("Run loop".into(), Act::Run { mode: None }));
    let inside = |extent: Span| extent.start <= span.end && span.start <= extent.end;
    for mode in definition.modes.iter().filter(|mode| inside(mode.extent)) {
        let name = mode.name.text();
        if !name.trim().is_empty() {
            acts.push((
                format!("Run loop in mode {}", shown(name)),
                Act::Run {
                    mode: Some(name.into()),
                },
            ));
        }
    }
    for test in definition.tests.iter().filter(|test| inside(test.extent)) {
        let name = test.name.text();
        if !name.trim().is_empty() {
            acts.push((
                format!("Run test {}", shown(name)),
                Act::RunTest { test: name.into() },
            ));
        }
    }
    for tool in servers(analysis).filter(|tool| inside(tool.extent)) {
        let name = tool.name.text();
        let act = Act::Probe { tool: name.into() };
        acts.push((format!("Probe {}", shown(name)), act));
    }
    acts.push(("Check bind".into(), Act::Bind));
    acts
}

/// The entries whose tools a server offers, those that can be named.
fn servers(analysis: &Analysis) -> impl Iterator<Item = &Tool> {
    let tools = analysis.definition.tools.iter();
    tools.filter(|tool| {
        let source = tool.sources.first().map(|source| &source.value);
        matches!(source, Some(Source::Mcp(_))) && !tool.name.text().trim().is_empty()
    })
}

/// Where the lenses of the loop itself stand: over its name, else over its first key. An empty file has none.
fn top(analysis: &Analysis) -> Option<Span> {
    let name = analysis
        .table
        .entry("name")
        .or_else(|| analysis.table.entries.first());
    name.map(|entry| entry.span)
}

/// A name in a title.
fn shown(name: &str) -> String {
    const LONGEST: usize = 40;
    one_line(name, LONGEST)
}
