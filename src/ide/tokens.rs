//! Semantic tokens: what each word of a text is, for its colour.

use super::embedded::{is_variable, takes_placeholders, takes_variables};
use super::shape::Shape;
use super::walk::{Place, Written, walk};
use crate::check::{Analysis, allows};
use crate::definition::placeholder::placeholders;
use crate::definition::{StringPlaces, Target, variables};
use crate::format::Type;
use crate::syntax::{Key, Value, ValueKind};
use crate::text::Span;

/// A piece of text of one kind; never empty, never over the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: TokenKind,
    /// Whether it gives a thing its name.
    pub declares: bool,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A part of a `[header]`.
    Namespace,
    /// A part of a `[[header]]`.
    Type,
    /// A key.
    Property,
    /// Text.
    String,
    /// A number, a date or a time.
    Number,
    /// `true` or `false`.
    Keyword,
    /// A word of the format: a provider, an effort, a type of JSON Schema, a code.
    EnumMember,
    /// The name of a tool or a delegate.
    Function,
    /// The name of a mode.
    Class,
    /// An input property, or a placeholder for one.
    Parameter,
    /// An environment variable.
    Variable,
    /// A comment.
    Comment,
    /// `loopls: allow` in a comment.
    Decorator,
}

/// Every kind with the protocol's name for it, in the order of the enum: the legend.
pub const TOKEN_KINDS: [(TokenKind, &str); 13] = [
    (TokenKind::Namespace, "namespace"),
    (TokenKind::Type, "type"),
    (TokenKind::Property, "property"),
    (TokenKind::String, "string"),
    (TokenKind::Number, "number"),
    (TokenKind::Keyword, "keyword"),
    (TokenKind::EnumMember, "enumMember"),
    (TokenKind::Function, "function"),
    (TokenKind::Class, "class"),
    (TokenKind::Parameter, "parameter"),
    (TokenKind::Variable, "variable"),
    (TokenKind::Comment, "comment"),
    (TokenKind::Decorator, "decorator"),
];

/// The protocol's name for what [`Token::declares`] tells.
pub const DECLARATION_MODIFIER: &str = "declaration";

/// All tokens, in order of the text; no two overlap.
pub fn tokens(analysis: &Analysis) -> Vec<Token> {
    let mut painter = Painter {
        analysis,
        tokens: Vec::new(),
    };
    walk(&analysis.tree, &mut |written, place| match written {
        Written::HeaderKey(key, true) => painter.key(key, TokenKind::Type),
        Written::HeaderKey(key, false) => painter.key(key, TokenKind::Namespace),
        Written::Key(key) => painter.key(key, TokenKind::Property),
        Written::Value(value) => painter.value(value, place),
    });
    painter.comments();
    let mut tokens = painter.tokens;
    tokens.sort_by_key(|token| token.span);
    let mut end = 0;
    tokens.retain(|token| {
        let apart = token.span.start >= end;
        if apart {
            end = token.span.end;
        }
        apart
    });
    tokens
}

/// The tokens of which `span` covers at least a part.
pub fn tokens_in(analysis: &Analysis, span: Span) -> Vec<Token> {
    let mut tokens = tokens(analysis);
    tokens.retain(|token| token.span.start < span.end && span.start < token.span.end);
    tokens
}

struct Painter<'a> {
    analysis: &'a Analysis,
    tokens: Vec<Token>,
}

impl Painter<'_> {
    /// Adds `span`, line by line.
    fn paint(&mut self, span: Span, kind: TokenKind, declares: bool) {
        let mut start = span.start;
        for line in span.of(&self.analysis.text).split(['\n', '\r']) {
            let span = Span::new(start, start + line.len());
            if !span.is_empty() {
                self.tokens.push(Token {
                    span,
                    kind,
                    declares,
                });
            }
            start = span.end + 1;
        }
    }

    /// Adds what stands at `span` as what it names; whether it names something.
    fn name(&mut self, span: Span) -> bool {
        let mention = self.analysis.mentions().at(span.start);
        let Some(mention) = mention.filter(|mention| mention.span == span) else {
            return false;
        };
        let kind = match mention.target {
            Target::Tool(_) | Target::Produced { .. } | Target::Delegate(_) => TokenKind::Function,
            Target::Mode(_) => TokenKind::Class,
            Target::Property { .. } => TokenKind::Parameter,
        };
        self.paint(span, kind, mention.declares);
        true
    }

    fn key(&mut self, key: &Key, kind: TokenKind) {
        if !self.name(key.span) {
            self.paint(key.span, kind, false);
        }
    }

    fn value(&mut self, value: &Value, place: &Place) {
        let kind = match &value.kind {
            ValueKind::String(text) => return self.string(text, value.span, place),
            ValueKind::Integer(_) | ValueKind::Float(_) | ValueKind::Datetime(_) => {
                TokenKind::Number
            }
            ValueKind::Boolean(_) => TokenKind::Keyword,
            ValueKind::Bad if value.span.of(&self.analysis.text).starts_with(['"', '\'']) => {
                TokenKind::String
            }
            _ => return,
        };
        self.paint(value.span, kind, false);
    }

    fn string(&mut self, text: &str, span: Span, place: &Place) {
        if self.name(span) {
            return;
        }
        let is_word = match place.shape {
            Shape::Format(Type::Word(words)) => words.iter().any(|word| word.name == text),
            Shape::SchemaData("type") => true,
            _ => false,
        };
        if is_word {
            return self.paint(span, TokenKind::EnumMember, false);
        }
        if is_variable(&place.path) {
            return self.paint(span, TokenKind::Variable, false);
        }
        let mut start = span.start;
        for (part, kind) in self.parts(text, span, place) {
            self.paint(Span::new(start, part.start), TokenKind::String, false);
            self.paint(part, kind, false);
            start = part.end;
        }
        self.paint(Span::new(start, span.end), TokenKind::String, false);
    }

    /// What of a string is no text, in order.
    fn parts(&self, text: &str, span: Span, place: &Place) -> Vec<(Span, TokenKind)> {
        let mut ranges = Vec::new();
        if takes_placeholders(&place.path) {
            let found = placeholders(text);
            ranges.extend(found.map(|found| (found.range, TokenKind::Parameter)));
        }
        if takes_variables(&place.path) {
            let found = variables(text).into_iter();
            ranges.extend(found.map(|found| (found.range, TokenKind::Variable)));
        }
        if ranges.is_empty() {
            return Vec::new();
        }
        ranges.sort_by_key(|(range, _)| range.start);
        let Some(mut places) = StringPlaces::new(&self.analysis.text, span) else {
            return Vec::new();
        };
        let mut end = span.start;
        let parts = ranges.into_iter().filter_map(|(range, kind)| {
            let part = places.place(&range)?;
            // In `{{${A}}}` only one of the two can be meant.
            let apart = part.start >= end;
            end = end.max(part.end);
            apart.then_some((part, kind))
        });
        parts.collect()
    }

    fn comments(&mut self) {
        let allows = allows(self.analysis);
        let mut allows = allows.iter().peekable();
        for comment in &self.analysis.tree.comments {
            let mut start = comment.span.start;
            let text = comment.span.of(&self.analysis.text);
            while let Some(allow) = allows.next_if(|allow| allow.comment == comment.span) {
                if start == comment.span.start {
                    let words = text.find("loopls").zip(text.find("allow"));
                    let (from, to) = words.unwrap_or((0, 0));
                    let words = Span::new(start + from, start + to + "allow".len());
                    self.paint(Span::new(start, words.start), TokenKind::Comment, false);
                    self.paint(words, TokenKind::Decorator, false);
                    start = words.end;
                }
                self.paint(
                    Span::new(start, allow.span.start),
                    TokenKind::Comment,
                    false,
                );
                self.paint(allow.span, TokenKind::EnumMember, false);
                start = allow.span.end;
            }
            self.paint(
                Span::new(start, comment.span.end),
                TokenKind::Comment,
                false,
            );
        }
    }
}
