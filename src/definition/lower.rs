//! Tables to the typed definition.

use super::model::*;
use super::{
    Expect, ExpectedCall, ExpectedResult, GivenResult, Milliseconds, Test, parse_duration,
};
use crate::syntax::{Node, NodeKind, Table};
use crate::text::{Span, Text};

/// The definition that `table` means. Keys that are unknown or of a wrong type are passed over here; the rules
/// that read the format say so.
pub fn lower(table: &Table) -> Definition {
    let keys = Keys(table);
    Definition {
        format: keys.integer("format"),
        name: keys.string("name"),
        display_name: keys.string("display_name"),
        description: keys.string("description"),
        system: keys.string("system"),
        system_file: keys.string("system_file"),
        prompt: keys.string("prompt"),
        initial_mode: keys.string("initial_mode"),
        drain_timeout: keys.duration("drain_timeout"),
        cwd: keys.string("cwd"),
        secrets: keys.strings("secrets"),
        delegates: keys.strings("delegates"),
        model: keys.table("model", model),
        limits: keys.table("limits", limits),
        access: keys.table("access", access),
        output: keys.table("output", output),
        tools: keys.tables("tools", tool),
        middlewares: keys.tables("middlewares", middleware),
        modes: keys.tables("modes", mode),
        tests: keys.tables("tests", test),
    }
}

fn model(keys: Keys) -> Model {
    Model {
        provider: keys.string("provider"),
        name: keys.string("name"),
        base_url: keys.string("base_url"),
        api_key_env: keys.string("api_key_env"),
        effort: keys.string("effort"),
        temperature: keys.number("temperature"),
        top_p: keys.number("top_p"),
        max_tokens: keys.integer("max_tokens"),
        stop: keys.strings("stop"),
        script: keys.list_of_tables("script", reply),
    }
}

fn reply(keys: Keys) -> Reply {
    Reply {
        span: keys.span(),
        text: keys.string("text"),
        calls: keys.tables("calls", |keys| ScriptedCall {
            span: keys.span(),
            tool: keys.string("tool"),
            input: keys.node("input"),
        }),
        stop_reason: keys.string("stop_reason"),
        usage: keys.table("usage", |keys| {
            let tokens = |key| keys.integer(key).get().copied().unwrap_or(0);
            (tokens("input"), tokens("output"))
        }),
        delay: keys.duration("delay"),
        error: keys.string("error"),
    }
}

fn limits(keys: Keys) -> Limits {
    Limits {
        iterations: keys.integer("iterations"),
        calls: keys.integer("calls"),
        parallel: keys.integer("parallel"),
        result_bytes: keys.integer("result_bytes"),
        tokens: keys.integer("tokens"),
        time: keys.duration("time"),
    }
}

fn access(keys: Keys) -> Access {
    Access {
        allow: keys.strings("allow"),
        ask: keys.strings("ask"),
        deny: keys.strings("deny"),
    }
}

fn output(keys: Keys) -> Output {
    Output {
        name: keys.string("name"),
        description: keys.string("description"),
        strict: keys.boolean("strict"),
        schema: keys.node("schema"),
    }
}

fn tool(keys: Keys) -> Tool {
    Tool {
        span: keys.span(),
        extent: keys.0.extent,
        name: keys.string("name"),
        description: keys.string("description"),
        input: keys.node("input"),
        produces: keys.strings("produces"),
        sources: sources(keys),
        stdin: keys.string("stdin"),
        ok_exit: keys.list("ok_exit", integer),
        effect: keys.string("effect"),
        effects: keys.map("effects"),
        timeout: keys.duration("timeout"),
        cwd: keys.string("cwd"),
        env: keys.map("env"),
        sequential: keys.boolean("sequential"),
    }
}

fn sources(keys: Keys) -> Vec<Spanned<Source>> {
    let of = |node: &Node, name: &str| match name {
        "command" => Some(Source::Command(
            items(node).map(|items| items.map(command_argument).collect()),
        )),
        "http" => Some(Source::Http(node.as_table().map(|table| http(Keys(table))))),
        "mcp" => Some(Source::Mcp(node.as_table().map(|table| mcp(Keys(table))))),
        "loop" => Some(Source::Loop(field(node, string))),
        "reply" => Some(Source::Reply(node.clone())),
        _ => None,
    };
    let entries = keys.0.entries.iter();
    entries
        .filter_map(|entry| {
            of(&entry.value, &entry.key.name).map(|value| Spanned {
                value,
                span: entry.key.span,
            })
        })
        .collect()
}

fn command_argument(node: &Node) -> CommandArgument {
    match &node.kind {
        NodeKind::String(text) => CommandArgument::One(Spanned {
            value: text.clone(),
            span: node.span,
        }),
        NodeKind::Array(items) => {
            CommandArgument::Optional(items.iter().map(|item| field(item, string)).collect())
        }
        _ => CommandArgument::Invalid(node.span),
    }
}

fn http(keys: Keys) -> Http {
    Http {
        method: keys.string("method"),
        url: keys.string("url"),
        headers: keys.map("headers"),
        body: keys.node("body"),
    }
}

fn mcp(keys: Keys) -> Mcp {
    Mcp {
        command: keys.strings("command"),
        url: keys.string("url"),
        headers: keys.map("headers"),
        prefix: keys.string("prefix"),
    }
}

fn middleware(keys: Keys) -> Middleware {
    Middleware {
        span: keys.span(),
        kind: keys.string("kind"),
        tools: keys.strings("tools"),
        file: keys.string("file"),
        attempts: keys.integer("attempts"),
        backoff: keys.duration("backoff"),
        patterns: keys.strings("patterns"),
    }
}

fn mode(keys: Keys) -> Mode {
    Mode {
        span: keys.span(),
        extent: keys.0.extent,
        name: keys.string("name"),
        description: keys.string("description"),
        instructions: keys.string("instructions"),
        instructions_file: keys.string("instructions_file"),
        tools: keys.strings("tools"),
        limits: keys.table("limits", limits),
        effort: keys.string("effort"),
        model: keys.table("model", model),
    }
}

fn test(keys: Keys) -> Test {
    Test {
        span: keys.span(),
        extent: keys.0.extent,
        name: keys.string("name"),
        prompt: keys.string("prompt"),
        mode: keys.string("mode"),
        script: keys.list_of_tables("script", reply),
        results: keys.tables("results", |keys| GivenResult {
            span: keys.span(),
            tool: keys.string("tool"),
            input: keys.node("input"),
            result: keys.node("result"),
            error: keys.boolean("error"),
        }),
        expect: keys.table("expect", expect),
    }
}

fn expect(keys: Keys) -> Expect {
    Expect {
        answer: keys.string("answer"),
        contains: keys.string("contains"),
        matches: keys.string("matches"),
        calls: keys.list_of_tables("calls", |keys| ExpectedCall {
            span: keys.span(),
            tool: keys.string("tool"),
            input: keys.node("input"),
        }),
        results: keys.list_of_tables("results", |keys| ExpectedResult {
            span: keys.span(),
            tool: keys.string("tool"),
            contains: keys.string("contains"),
            is_error: keys.boolean("is_error"),
        }),
        iterations: keys.integer("iterations"),
        stop: keys.string("stop"),
    }
}

/// The keys of one table, read by type.
#[derive(Clone, Copy)]
struct Keys<'a>(&'a Table);

impl Keys<'_> {
    fn span(&self) -> Span {
        self.0.span
    }

    fn read<T>(&self, key: &str, read: impl Fn(&Node) -> Option<T>) -> Field<T> {
        self.0
            .get(key)
            .map_or(Field::Missing, |node| field(node, read))
    }

    fn string(&self, key: &str) -> Field<Text> {
        self.read(key, string)
    }

    fn duration(&self, key: &str) -> Field<Milliseconds> {
        self.read(key, |node| {
            node.as_str().and_then(|text| parse_duration(text).ok())
        })
    }

    fn integer(&self, key: &str) -> Field<i64> {
        self.read(key, integer)
    }

    fn number(&self, key: &str) -> Field<f64> {
        self.read(key, |node| match node.kind {
            NodeKind::Float(number) => Some(number),
            NodeKind::Integer(number) => Some(number as f64),
            _ => None,
        })
    }

    fn boolean(&self, key: &str) -> Field<bool> {
        self.read(key, |node| match node.kind {
            NodeKind::Boolean(value) => Some(value),
            _ => None,
        })
    }

    /// Any value that is there at all.
    fn node(&self, key: &str) -> Field<Node> {
        self.read(key, |node| match node.kind {
            NodeKind::Missing | NodeKind::Bad => None,
            _ => Some(node.clone()),
        })
    }

    fn list<T>(&self, key: &str, read: impl Fn(&Node) -> Option<T>) -> List<T> {
        self.read(key, |node| {
            Some(items(node)?.map(|item| field(item, &read)).collect())
        })
    }

    fn strings(&self, key: &str) -> List<Text> {
        self.list(key, string)
    }

    fn table<T>(&self, key: &str, read: impl Fn(Keys) -> T) -> Field<T> {
        let Some(node) = self.0.get(key) else {
            return Field::Missing;
        };
        match node.as_table() {
            Some(table) => Field::Present(Spanned {
                value: read(Keys(table)),
                span: table.span,
            }),
            None => Field::Invalid(node.span),
        }
    }

    fn list_of_tables<T>(&self, key: &str, read: impl Fn(Keys) -> T) -> Field<Vec<T>> {
        self.read(key, |node| {
            Some(tables(node)?.map(|table| read(Keys(table))).collect())
        })
    }

    fn tables<T>(&self, key: &str, read: impl Fn(Keys) -> T) -> Vec<T> {
        let tables = self.0.get(key).and_then(tables);
        tables.map_or_else(Vec::new, |tables| {
            tables.map(|table| read(Keys(table))).collect()
        })
    }

    fn map(&self, key: &str) -> Vec<(Spanned<Text>, Field<Text>)> {
        let entries = self
            .0
            .get(key)
            .and_then(Node::as_table)
            .map(|table| &table.entries);
        let entries = entries.into_iter().flatten();
        entries
            .map(|entry| {
                let key = Spanned {
                    value: entry.key.name.clone(),
                    span: entry.key.span,
                };
                (key, field(&entry.value, string))
            })
            .collect()
    }
}

fn field<T>(node: &Node, read: impl Fn(&Node) -> Option<T>) -> Field<T> {
    match read(node) {
        Some(value) => Field::Present(Spanned {
            value,
            span: node.span,
        }),
        None => Field::Invalid(node.span),
    }
}

fn string(node: &Node) -> Option<Text> {
    match &node.kind {
        NodeKind::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn integer(node: &Node) -> Option<i64> {
    match node.kind {
        NodeKind::Integer(number) => Some(number),
        _ => None,
    }
}

fn items(node: &Node) -> Option<std::slice::Iter<'_, Node>> {
    match &node.kind {
        NodeKind::Array(items) => Some(items.iter()),
        _ => None,
    }
}

/// The tables of an array of tables, however it is written; what is no table is passed over.
fn tables(node: &Node) -> Option<Box<dyn Iterator<Item = &Table> + '_>> {
    match &node.kind {
        NodeKind::Tables(tables) => Some(Box::new(tables.iter())),
        NodeKind::Array(items) => Some(Box::new(items.iter().filter_map(Node::as_table))),
        _ => None,
    }
}
