//! The outline of a definition.

use super::definition::whole_of;
use crate::check::Analysis;
use crate::definition::{Limits, Mode, Test, Tool, format_duration};
use crate::syntax::{Entry, Node};
use crate::text::{self, Span};

/// A part of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, on one line; never empty.
    pub name: String,
    /// A few words beside it; may be empty.
    pub detail: String,
    /// What it is.
    pub kind: SymbolKind,
    /// All its text.
    pub range: Span,
    /// What is selected when somebody goes there; within `range`.
    pub selection: Span,
    /// Its parts, in order of the text.
    pub children: Vec<Symbol>,
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// The whole definition.
    Loop,
    /// `[model]`
    Model,
    /// `[limits]`
    Limits,
    /// `[access]`
    Access,
    /// `[output]`
    Output,
    /// One of `[[tools]]`.
    Tool,
    /// A property of a tool's input.
    Property,
    /// One of `[[middlewares]]`.
    Middleware,
    /// One of `[[modes]]`.
    Mode,
    /// One of `[[tests]]`.
    Test,
}

/// The loop with its parts; nothing for a text in which nothing is written.
pub fn symbols(analysis: &Analysis) -> Vec<Symbol> {
    let Some(first) = analysis.table.entries.first() else {
        return Vec::new();
    };
    let definition = &analysis.definition;
    let mut children = tables(analysis);
    let tools = definition.tools.iter();
    children.extend(tools.map(tool));
    children.extend(definition.modes.iter().map(mode));
    children.extend(definition.tests.iter().map(test));
    let middlewares = definition.middlewares.iter().map(|middleware| {
        let name = named(middleware.kind.text(), "middleware");
        Symbol::new(
            name,
            SymbolKind::Middleware,
            middleware.span,
            middleware.span,
        )
    });
    children.extend(middlewares);
    children.sort_by_key(|child| child.range);
    let selection = definition.name.span().unwrap_or(first.key.span);
    let mut whole = Symbol::new(
        named(definition.name.text(), "loop"),
        SymbolKind::Loop,
        analysis.tree.span,
        selection,
    );
    whole.detail = one_line(definition.display_name.text());
    whole.children = children;
    vec![whole]
}

impl Symbol {
    fn new(name: String, kind: SymbolKind, range: Span, selection: Span) -> Self {
        Self {
            name,
            detail: String::new(),
            kind,
            range: range.cover(selection),
            selection,
            children: Vec::new(),
        }
    }

    fn with_detail(mut self, detail: String) -> Self {
        self.detail = detail;
        self
    }
}

/// The most characters of a name or detail.
const LONGEST: usize = 80;

fn one_line(text: &str) -> String {
    text::one_line(text, LONGEST)
}

/// `name` on one line, or what stands for it while there is none.
fn named(name: &str, kind: &str) -> String {
    match one_line(name) {
        name if name.is_empty() => format!("{kind} without a name"),
        name => name,
    }
}

/// The tables of which there is one.
fn tables(analysis: &Analysis) -> Vec<Symbol> {
    let definition = &analysis.definition;
    let entries = analysis.table.entries.iter();
    entries
        .filter_map(|entry| {
            let (kind, detail) = match entry.key.name.as_str() {
                "model" => {
                    let model = definition.model.get();
                    let detail = model
                        .map(|model| format!("{}/{}", model.provider.text(), model.name.text()));
                    (SymbolKind::Model, detail)
                }
                "limits" => (SymbolKind::Limits, definition.limits.get().map(limits)),
                "access" => (SymbolKind::Access, None),
                "output" => (SymbolKind::Output, None),
                _ => return None,
            };
            let detail = one_line(&detail.unwrap_or_default());
            let symbol = Symbol::new(
                entry.key.name.to_string(),
                kind,
                whole_of(entry),
                entry.key.span,
            );
            Some(symbol.with_detail(detail))
        })
        .collect()
}

/// The limits that are set.
fn limits(limits: &Limits) -> String {
    let numbers = [
        ("iterations", &limits.iterations),
        ("calls", &limits.calls),
        ("parallel", &limits.parallel),
        ("result_bytes", &limits.result_bytes),
        ("tokens", &limits.tokens),
    ];
    let numbers = numbers
        .into_iter()
        .filter_map(|(name, limit)| Some(format!("{} {name}", limit.get()?)));
    let time = limits.time.get().map(|time| format_duration(*time));
    numbers.chain(time).collect::<Vec<_>>().join(" · ")
}

fn tool(tool: &Tool) -> Symbol {
    let selection = tool.name.span().unwrap_or(tool.span);
    let name = named(tool.name.text(), "tool");
    let mut symbol = Symbol::new(name, SymbolKind::Tool, tool.extent, selection)
        .with_detail(tool.effect().as_str().into());
    let properties = tool.properties().map(|table| table.entries.iter());
    symbol.children = properties.into_iter().flatten().map(property).collect();
    for child in &symbol.children {
        symbol.range = symbol.range.cover(child.range);
    }
    symbol
}

fn property(entry: &Entry) -> Symbol {
    let name = named(&entry.key.name, "property");
    let kind = entry.value.as_table().and_then(|table| table.get("type"));
    let kind = kind.and_then(Node::as_str).unwrap_or_default();
    Symbol::new(name, SymbolKind::Property, whole_of(entry), entry.key.span)
        .with_detail(one_line(kind))
}

fn mode(mode: &Mode) -> Symbol {
    let selection = mode.name.span().unwrap_or(mode.span);
    let name = named(mode.name.text(), "mode");
    Symbol::new(name, SymbolKind::Mode, mode.extent, selection)
        .with_detail(one_line(mode.description.text()))
}

fn test(test: &Test) -> Symbol {
    let selection = test.name.span().unwrap_or(test.span);
    let name = named(test.name.text(), "test");
    Symbol::new(name, SymbolKind::Test, test.extent, selection)
        .with_detail(one_line(test.mode.text()))
}
