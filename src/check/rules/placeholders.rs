//! Where a tool's input is put in: `unknown_placeholder`, `misplaced_placeholder`, `placeholder_in_code`, and the
//! advice `placeholder_as_option`, `optional_placeholder`, `placeholder_as_path`.

use super::interpreters::code_arguments;
use super::{did_you_mean, hint, worth_guessing};
use crate::check::{Analysis, Code, Diagnostic, Repair};
use crate::definition::placeholder::{Placeholder, placeholders};
use crate::definition::{CommandArgument, Field, Http, Mcp, Source, Spanned, StringPlaces, Tool};
use crate::syntax::{Entry, Node, NodeKind, Table};
use crate::text::{Edit, NameIndex, Span, Text};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    for tool in &analysis.definition.tools {
        let mut checker = Checker {
            analysis,
            input: Input::of(tool),
            found,
        };
        for (_, value) in &tool.env {
            checker.misplaced(value, "an environment variable");
        }
        checker.misplaced(&tool.cwd, "the folder");
        if let Some(stdin) = tool.stdin.spanned() {
            checker.each(stdin, |checker, placeholder, span| {
                checker.known(placeholder, span)
            });
        }
        match tool.sources.first().map(|source| &source.value) {
            Some(Source::Command(Some(arguments))) => checker.command(arguments),
            Some(Source::Http(Some(http))) => checker.http(http),
            Some(Source::Mcp(Some(mcp))) => checker.mcp(mcp),
            Some(Source::Loop(path)) => checker.misplaced(path, "the path of a loop"),
            Some(Source::Reply(reply)) => checker.reply(reply),
            _ => {}
        }
    }
}

/// What a tool's schema says of the properties that placeholders name.
struct Input<'a> {
    entries: &'a [Entry],
    /// The names of `entries`.
    names: NameIndex<'a>,
    required: NameIndex<'a>,
}

impl<'a> Input<'a> {
    fn of(tool: &'a Tool) -> Self {
        let schema = tool.input.get().and_then(Node::as_table);
        let entries = tool.properties().map_or(&[][..], |table| &table.entries);
        let required = match schema
            .and_then(|schema| schema.get("required"))
            .map(|node| &node.kind)
        {
            Some(NodeKind::Array(items)) => items.iter().filter_map(Node::as_str).collect(),
            _ => NameIndex::default(),
        };
        let names = entries.iter().map(|entry| entry.key.name.as_str());
        Self {
            entries,
            names: names.collect(),
            required,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn property(&self, name: &str) -> Option<&'a Table> {
        self.entries[self.names.position(name)?].value.as_table()
    }

    /// Whether a value can be absent, with nothing to put in its stead.
    fn can_be_absent(&self, name: &str) -> bool {
        !self.required.contains(name)
            && self
                .property(name)
                .is_none_or(|property| property.get("default").is_none())
    }

    /// Whether a value can begin with `-`, as far as its schema tells.
    fn can_be_an_option(&self, name: &str) -> bool {
        let Some(property) = self.property(name) else {
            return true;
        };
        if matches!(
            property.get("type").and_then(Node::as_str),
            Some("integer" | "number" | "boolean")
        ) {
            return false;
        }
        if let Some(NodeKind::Array(values)) = property.get("enum").map(|values| &values.kind) {
            return values
                .iter()
                .any(|value| value.as_str().is_some_and(|value| value.starts_with('-')));
        }
        // A pattern that is tied to the beginning says itself what a value begins with.
        !property
            .get("pattern")
            .and_then(Node::as_str)
            .is_some_and(|pattern| pattern.starts_with('^'))
    }
}

struct Checker<'a> {
    analysis: &'a Analysis,
    input: Input<'a>,
    found: &'a mut Vec<Diagnostic>,
}

impl Checker<'_> {
    fn say(&mut self, code: Code, span: Span, message: String) {
        self.found.push(Diagnostic::new(code, span, message));
    }

    fn each(&mut self, text: &Spanned<Text>, mut act: impl FnMut(&mut Self, &Placeholder, Span)) {
        let mut places = None;
        for placeholder in placeholders(&text.value) {
            let places =
                places.get_or_insert_with(|| StringPlaces::new(&self.analysis.text, text.span));
            let place = places
                .as_mut()
                .and_then(|places| places.place(&placeholder.range));
            act(self, &placeholder, place.unwrap_or(text.span));
        }
    }

    fn known(&mut self, placeholder: &Placeholder, span: Span) {
        let name = placeholder.name;
        if self.input.has(name) {
            return;
        }
        let guesses = worth_guessing(self.found);
        let entries = self.input.entries.iter().filter(|_| guesses);
        let meant = did_you_mean(name, entries.map(|entry| entry.key.name.as_str()));
        let message = format!("the tool's `input` has no property `{name}`{}", hint(meant));
        self.found.push(
            Diagnostic::new(Code::UnknownPlaceholder, span, message)
                .with_meant(meant, |meant| format!("{{{{{meant}}}}}")),
        );
    }

    fn misplaced(&mut self, field: &Field<Text>, what: &str) {
        if let Some(text) = field.spanned() {
            self.each(text, |checker, placeholder, span| {
                let message = format!(
                    "the model would choose {what}; `{{{{{}}}}}` cannot stand here",
                    placeholder.name
                );
                checker.say(Code::MisplacedPlaceholder, span, message);
            });
        }
    }

    fn command(&mut self, arguments: &[CommandArgument]) {
        let code = code_arguments(arguments);
        let mut options_ended = false;
        for (index, argument) in arguments.iter().enumerate() {
            match argument {
                CommandArgument::One(program) if index == 0 => {
                    self.misplaced(&Field::Present(program.clone()), "the program");
                }
                CommandArgument::One(text) => {
                    self.argument(text, code.contains(&index), false, options_ended);
                    options_ended |= text.value == "--";
                }
                CommandArgument::Optional(group) => {
                    for text in group.iter().filter_map(Field::spanned) {
                        self.argument(text, code.contains(&index), true, options_ended);
                        options_ended |= text.value == "--";
                    }
                }
                CommandArgument::Invalid(_) => {}
            }
        }
    }

    fn argument(
        &mut self,
        text: &Spanned<Text>,
        is_code: bool,
        optional: bool,
        options_ended: bool,
    ) {
        self.each(text, |checker, placeholder, span| {
            let name = placeholder.name;
            if is_code {
                let message = format!(
                    "`{{{{{name}}}}}` would become code that an interpreter runs; pass it as an argument of its own, or on standard input"
                );
                checker.say(Code::PlaceholderInCode, span, message);
                return;
            }
            let before = checker.found.len();
            checker.known(placeholder, span);
            if checker.found.len() > before {
                return;
            }
            if !optional && checker.input.can_be_absent(name) {
                let message = format!(
                    "`{name}` can be absent, and a call without it fails; require it, give it a `default`, or put the argument into an array of its own"
                );
                let group = vec![
                    Edit { span: Span::empty(text.span.start), text: "[".into() },
                    Edit { span: Span::empty(text.span.end), text: "]".into() },
                ];
                checker.found.push(
                    Diagnostic::new(Code::OptionalPlaceholder, span, message)
                        .with_guess("Leave the argument out without it", Repair::Edits(group)),
                );
            }
            if placeholder.range.start == 0 && !options_ended && checker.input.can_be_an_option(name) {
                let message = "a value that begins with `-` would be taken for an option and is refused; put `\"--\"` before it if the program knows that";
                let before = Edit { span: Span::empty(text.span.start), text: "\"--\", ".into() };
                checker.found.push(
                    Diagnostic::new(Code::PlaceholderAsOption, span, message)
                        .with_guess("Put `\"--\"` before it", Repair::Edits(vec![before])),
                );
            }
            if text.value.bytes().any(|byte| matches!(byte, b'/' | b'\\')) {
                let message = format!("beside a `/` the value of `{name}` is one part of a path: no `/` and no `..` in it");
                checker.say(Code::PlaceholderAsPath, span, message);
            }
        });
    }

    fn http(&mut self, http: &Http) {
        self.misplaced(&http.method, "the method");
        if let Some(url) = http.url.spanned() {
            let host_ends = url.value.find("://").map_or(0, |at| {
                let rest = &url.value[at + 3..];
                at + 3 + rest.find(['/', '?', '#']).unwrap_or(rest.len())
            });
            self.each(url, |checker, placeholder, span| {
                if placeholder.range.start < host_ends {
                    let message = format!("the model would choose where the request goes; `{{{{{}}}}}` may stand behind the host", placeholder.name);
                    checker.say(Code::MisplacedPlaceholder, span, message);
                } else {
                    checker.known(placeholder, span);
                }
            });
        }
        for (name, value) in &http.headers {
            if name.value.eq_ignore_ascii_case("authorization") {
                self.misplaced(value, "who it is");
            } else if let Some(value) = value.spanned() {
                self.each(value, |checker, placeholder, span| {
                    checker.known(placeholder, span)
                });
            }
        }
        if let Some(body) = http.body.get() {
            self.strings(body, &mut |checker, placeholder, span| {
                checker.known(placeholder, span)
            });
        }
    }

    fn mcp(&mut self, mcp: &Mcp) {
        for text in mcp.command.items() {
            self.misplaced(&Field::Present(text.clone()), "the server");
        }
        self.misplaced(&mcp.url, "the server");
        for (_, value) in &mcp.headers {
            self.misplaced(value, "a header of the server");
        }
    }

    /// A fixed reply is data, so braces in it are text, unless they name the input: then more was hoped for.
    fn reply(&mut self, reply: &Node) {
        self.strings(reply, &mut |checker, placeholder, span| {
            if checker.input.has(placeholder.name) {
                let message = format!(
                    "a reply is fixed, so `{{{{{}}}}}` stays as it is",
                    placeholder.name
                );
                checker.say(Code::MisplacedPlaceholder, span, message);
            }
        });
    }

    fn strings(&mut self, node: &Node, act: &mut dyn FnMut(&mut Self, &Placeholder, Span)) {
        match &node.kind {
            NodeKind::String(text) => {
                self.each(
                    &Spanned {
                        value: text.clone(),
                        span: node.span,
                    },
                    |checker, placeholder, span| {
                        act(checker, placeholder, span);
                    },
                );
            }
            NodeKind::Array(items) => items.iter().for_each(|item| self.strings(item, act)),
            NodeKind::Table(table) => table
                .entries
                .iter()
                .for_each(|entry| self.strings(&entry.value, act)),
            _ => {}
        }
    }
}
