//! Where names stand: every tool, produced name, mode, delegate and input property with its places.
//!
//! A pattern of `access` or of a middleware is a mention if it is no more than a name; wildcards mention nobody
//! ([`Pattern`](super::Pattern)).

use super::names::{Names, Target, listed};
use super::pattern::literal;
use super::placeholder::placeholders;
use super::{
    CommandArgument, Definition, Expect, Field, List, Model, Reply, Source, Spanned, StringPlaces,
    Tool,
};
use crate::syntax::{Entry, Node, NodeKind, Table};
use crate::text::{NameIndex, Span, Text};
use std::sync::OnceLock;

/// A place where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The name as written, with its quotes or braces.
    pub span: Span,
    /// What it names.
    pub target: Target,
    /// Whether this is where the name is given.
    pub declares: bool,
    /// How it is written.
    pub written: Written,
}

/// How a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// As a string.
    String,
    /// As a string that is a pattern.
    Pattern,
    /// As a key.
    Key,
    /// In a string, as `{{name}}`.
    Placeholder,
}

/// All mentions of a definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mentions {
    /// In order of the text; no two overlap.
    list: Vec<Mention>,
    /// Indexes into `list`, by target and then by place; made when somebody asks for a target.
    by_target: OnceLock<Vec<usize>>,
}

impl Mentions {
    /// The mentions of `definition`, which `names` is of and whose places are places of `text`.
    pub fn of(definition: &Definition, names: &Names, text: &str) -> Self {
        let collector = Collector {
            names,
            text,
            properties: definition.tools.iter().map(properties).collect(),
            mentions: Vec::new(),
        };
        let mut list = collector.all(definition);
        // They come in runs that are sorted already, from which a stable sort gains.
        list.sort_by_key(|mention| mention.span);
        Self {
            list,
            by_target: OnceLock::new(),
        }
    }

    /// All mentions, in order of the text.
    pub fn all(&self) -> &[Mention] {
        &self.list
    }

    /// The mention under the cursor; between two, the one that begins there.
    pub fn at(&self, offset: usize) -> Option<Mention> {
        let after = self
            .list
            .partition_point(|mention| mention.span.start <= offset);
        let mention = self.list[..after].last()?;
        mention.span.touches(offset).then_some(*mention)
    }

    /// Every mention of `target`, in order of the text.
    pub fn of_target(&self, target: Target) -> impl Iterator<Item = Mention> + '_ {
        let of = |index: &usize| self.list[*index].target;
        let by_target = self.by_target.get_or_init(|| {
            let mut by_target: Vec<usize> = (0..self.list.len()).collect();
            by_target.sort_by_key(of);
            by_target
        });
        let start = by_target.partition_point(|index| of(index) < target);
        let end = by_target.partition_point(|index| of(index) <= target);
        by_target[start..end].iter().map(|index| self.list[*index])
    }

    /// Where the name of `target` is given.
    pub fn declaration(&self, target: Target) -> Option<Mention> {
        self.of_target(target).find(|mention| mention.declares)
    }
}

/// The names of the properties of a tool's input.
fn properties(tool: &Tool) -> NameIndex<'_> {
    let entries = tool.properties().map_or(&[][..], |table| &table.entries);
    entries
        .iter()
        .map(|entry| entry.key.name.as_str())
        .collect()
}

struct Collector<'a> {
    names: &'a Names,
    text: &'a str,
    /// By tool.
    properties: Vec<NameIndex<'a>>,
    mentions: Vec<Mention>,
}

impl<'a> Collector<'a> {
    fn add(&mut self, span: Span, target: Target, declares: bool, written: Written) {
        self.mentions.push(Mention {
            span,
            target,
            declares,
            written,
        });
    }

    fn mention(&mut self, span: Span, target: Option<Target>) {
        if let Some(target) = target {
            self.add(span, target, false, Written::String);
        }
    }

    /// The mentions of all of `definition`, in no order.
    fn all(mut self, definition: &'a Definition) -> Vec<Mention> {
        self.definition(definition);
        self.mentions
    }

    fn definition(&mut self, definition: &'a Definition) {
        for (index, tool) in definition.tools.iter().enumerate() {
            self.tool(index, tool);
        }
        for (index, mode) in definition.modes.iter().enumerate() {
            if let Some(name) = mode.name.spanned() {
                self.add(name.span, Target::Mode(index), true, Written::String);
            }
            for name in mode.tools.items() {
                self.mention(name.span, self.names.tool(&name.value).map(Target::Tool));
            }
            self.model(&mode.model);
        }
        self.model(&definition.model);
        for test in &definition.tests {
            self.mode(&test.mode);
            self.script(&test.script);
            for result in &test.results {
                self.call(result.tool.spanned(), result.input.get());
            }
            if let Some(expect) = test.expect.get() {
                self.expect(expect);
            }
        }
        self.mode(&definition.initial_mode);
        if let Some(access) = definition.access.get() {
            self.patterns(&access.allow, false);
            // Of these the name of an entry is matched too.
            self.patterns(&access.ask, true);
            self.patterns(&access.deny, true);
        }
        for middleware in &definition.middlewares {
            self.patterns(&middleware.tools, false);
        }
        for delegate in definition.delegates.items() {
            let target = self.names.produced(&delegate.value);
            let is_delegate = |target: &Target| matches!(target, Target::Delegate(_));
            self.mention(delegate.span, target.filter(is_delegate));
        }
    }

    fn mode(&mut self, name: &Field<Text>) {
        if let Some(name) = name.spanned() {
            self.mention(name.span, self.names.mode(&name.value).map(Target::Mode));
        }
    }

    fn patterns(&mut self, list: &List<Text>, also_entries: bool) {
        for pattern in list.items() {
            let Some(name) = literal(&pattern.value) else {
                continue;
            };
            let entry = || {
                let tool = self.names.tool(&name).filter(|_| also_entries);
                tool.map(Target::Tool)
            };
            if let Some(target) = self.names.produced(&name).or_else(entry) {
                self.add(pattern.span, target, false, Written::Pattern);
            }
        }
    }

    fn model(&mut self, model: &'a Field<Model>) {
        if let Some(model) = model.get() {
            self.script(&model.script);
        }
    }

    fn script(&mut self, script: &'a Field<Vec<Reply>>) {
        let replies = script.get().into_iter().flatten();
        for call in replies.flat_map(|reply| &reply.calls) {
            self.call(call.tool.spanned(), call.input.get());
        }
    }

    /// A call by its model-facing name, and the properties that its input gives.
    fn call(&mut self, tool: Option<&Spanned<Text>>, input: Option<&Node>) {
        let Some(name) = tool else { return };
        let Some(produced) = self.names.owner(&name.value) else {
            return;
        };
        self.mention(name.span, Some(produced.target));
        let input = input.and_then(Node::as_table);
        // Where two tools share the name, nobody knows whose input it is.
        if let (Some(tool), Some(input), true) = (produced.target.tool(), input, produced.unique) {
            for entry in &input.entries {
                self.keys(tool, entry, false);
            }
        }
    }

    fn expect(&mut self, expect: &Expect) {
        for call in expect.calls.get().into_iter().flatten() {
            self.call(call.tool.spanned(), call.input.get());
        }
        for result in expect.results.get().into_iter().flatten() {
            self.call(result.tool.spanned(), None);
        }
    }

    fn tool(&mut self, index: usize, tool: &'a Tool) {
        if let Some(name) = tool.name.spanned() {
            self.add(name.span, Target::Tool(index), true, Written::String);
        }
        for (name, item) in listed(&tool.produces) {
            let target = Target::Produced { tool: index, name };
            self.add(item.span, target, true, Written::String);
        }
        for (name, _) in &tool.effects {
            let target = self.names.produced(&name.value);
            if let Some(target) = target.filter(|target| target.tool() == Some(index)) {
                self.add(name.span, target, false, Written::Key);
            }
        }
        let schema = tool.input.get().and_then(Node::as_table);
        for entry in tool
            .properties()
            .into_iter()
            .flat_map(|table| &table.entries)
        {
            self.keys(index, entry, true);
        }
        if let Some(NodeKind::Array(required)) = schema
            .and_then(|schema| schema.get("required"))
            .map(|node| &node.kind)
        {
            for item in required {
                let property = item.as_str().and_then(|name| self.property(index, name));
                self.mention(item.span, property);
            }
        }
        self.placeholders_of(index, tool);
    }

    fn property(&self, tool: usize, name: &str) -> Option<Target> {
        let property = self.properties[tool].position(name)?;
        Some(Target::Property { tool, property })
    }

    /// A key that is a property, wherever it is written: a table can be begun several times.
    fn keys(&mut self, tool: usize, entry: &Entry, declares: bool) {
        if let Some(target) = self.property(tool, &entry.key.name) {
            self.add(entry.key.span, target, declares, Written::Key);
            for span in &entry.mentions {
                self.add(*span, target, false, Written::Key);
            }
        }
    }

    fn placeholders_of(&mut self, index: usize, tool: &Tool) {
        self.field(index, &tool.stdin);
        for source in &tool.sources {
            match &source.value {
                Source::Command(arguments) => {
                    for argument in arguments.iter().flatten() {
                        match argument {
                            CommandArgument::One(text) => {
                                self.placeholders(index, &text.value, text.span);
                            }
                            CommandArgument::Optional(group) => {
                                group.iter().for_each(|item| self.field(index, item));
                            }
                            CommandArgument::Invalid(_) => {}
                        }
                    }
                }
                Source::Http(Some(http)) => {
                    self.field(index, &http.url);
                    for (_, value) in &http.headers {
                        self.field(index, value);
                    }
                    if let Some(body) = http.body.get() {
                        self.strings(index, body);
                    }
                }
                _ => {}
            }
        }
    }

    fn field(&mut self, tool: usize, text: &Field<Text>) {
        if let Some(text) = text.spanned() {
            self.placeholders(tool, &text.value, text.span);
        }
    }

    fn strings(&mut self, tool: usize, node: &Node) {
        let table = |collector: &mut Self, table: &Table| {
            let entries = table.entries.iter();
            entries.for_each(|entry| collector.strings(tool, &entry.value));
        };
        match &node.kind {
            NodeKind::String(text) => self.placeholders(tool, text, node.span),
            NodeKind::Array(items) => items.iter().for_each(|item| self.strings(tool, item)),
            NodeKind::Tables(tables) => tables.iter().for_each(|inner| table(self, inner)),
            NodeKind::Table(inner) => table(self, inner),
            _ => {}
        }
    }

    fn placeholders(&mut self, tool: usize, text: &str, span: Span) {
        if !text.contains("{{") {
            return;
        }
        let Some(mut places) = StringPlaces::new(self.text, span) else {
            return;
        };
        for placeholder in placeholders(text) {
            if let (Some(target), Some(span)) = (
                self.property(tool, placeholder.name),
                places.place(&placeholder.range),
            ) {
                self.add(span, target, false, Written::Placeholder);
            }
        }
    }
}
