//! What kind of thing belongs where the cursor is.

use crate::check::Analysis;
use crate::ide::shape::Shape;
use crate::syntax::{Header, Key, KeyValue, Statement, Value, ValueKind};
use crate::text::Span;
use std::collections::HashMap;

/// What belongs at a place.
#[derive(Clone, Debug)]
pub enum Context {
    /// A key.
    Key(KeyPosition),
    /// The name of a table, within a header's brackets.
    Header(HeaderPosition),
    /// A value.
    Value(ValuePosition),
    /// A code, in a comment that allows codes; the word typed so far.
    Allow(Span),
}

/// Where a key belongs.
#[derive(Clone, Debug)]
pub struct KeyPosition {
    /// What the table is.
    pub table: Shape,
    /// The keys that lead to it from the top.
    pub path: Vec<String>,
    /// The index of the element of an array of tables that the path runs through, by its order in the text.
    pub element: Option<usize>,
    /// The header the table was begun with, and nothing dotted since; else tables cannot be begun here by header.
    pub header: Option<Vec<String>>,
    /// Keys that the table has already.
    pub present: Vec<String>,
    /// What is replaced: the key typed so far.
    pub word: Span,
    /// Whether an equals sign follows, so that the key alone is replaced.
    pub has_equals: bool,
}

/// Where the name of a table belongs.
#[derive(Clone, Debug)]
pub struct HeaderPosition {
    /// The whole header as far as it is there, brackets included.
    pub span: Span,
}

/// Where a value belongs.
#[derive(Clone, Debug)]
pub struct ValuePosition {
    /// What the value is.
    pub shape: Shape,
    /// The keys that lead to it from the top.
    pub path: Vec<String>,
    /// The index of the array-of-tables element that the path runs through, by its order in the text.
    pub element: Option<usize>,
    /// What stands there so far, quotes included; empty where nothing does.
    pub token: Span,
    /// What the text of the string is up to the cursor, if it is one.
    pub typed: String,
    /// The cursor.
    pub offset: usize,
    /// Strings that stand beside it in the same array.
    pub siblings: Vec<String>,
}

/// The table around the cursor while the tree is walked down to it.
#[derive(Clone)]
struct Around<'a> {
    shape: Shape,
    path: Vec<String>,
    element: Option<usize>,
    header: Option<&'a Header>,
}

impl Around<'_> {
    fn step(&mut self, key: &str) {
        self.shape = self.shape.of_key(key);
        self.path.push(key.to_owned());
    }
}

/// What belongs at byte `offset`; `None` where nothing does, as within a comment.
pub fn context_at(analysis: &Analysis, offset: usize) -> Option<Context> {
    let text = &analysis.text;
    if offset > text.len() {
        return None;
    }
    if let Some(comment) = analysis
        .tree
        .comments
        .iter()
        .find(|comment| comment.span.start < offset && offset <= comment.span.end)
    {
        return allow(text, comment.span, offset);
    }
    let mut around = Around {
        shape: Shape::DEFINITION,
        path: Vec::new(),
        element: None,
        header: None,
    };
    let mut here = None;
    let mut above = None;
    // How many elements each array of tables at the top has so far, so that a tool's tables know their tool.
    let mut elements: HashMap<&str, usize> = HashMap::new();
    for statement in &analysis.tree.statements {
        match statement {
            Statement::Header(header) if header.span.start < offset => {
                if in_brackets(text, header, offset) {
                    return Some(Context::Header(HeaderPosition { span: header.span }));
                }
                if let ([key], true) = (header.keys.as_slice(), header.array) {
                    *elements.entry(&key.name).or_default() += 1;
                }
                above = Some(header);
                here = None;
            }
            Statement::KeyValue(pair) if pair.span.start <= offset => here = Some(pair),
            _ => break,
        }
    }
    if let Some(header) = above {
        let first = header.keys.first().map(|key| key.name.as_str());
        let count = first.and_then(|name| elements.get(name));
        around = of_header(header, count.map_or(0, |count| count - 1));
    }
    match here.filter(|pair| reaches(text, pair, offset)) {
        Some(pair) => {
            let beside = keys_of(analysis, &around, Some(pair));
            in_pair(text, pair, &around, &beside, offset)
        }
        None => {
            let line = line_before(text, offset);
            // Behind a header or a finished value nothing can stand.
            line.trim()
                .is_empty()
                .then(|| key_position(text, &around, &keys_of(analysis, &around, None), offset))
        }
    }
}

fn line_before(text: &str, offset: usize) -> &str {
    &text[text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1)..offset]
}

fn allow(text: &str, comment: Span, offset: usize) -> Option<Context> {
    let typed = &text[comment.start..offset];
    let list = typed
        .trim_start_matches(['#', ' ', '\t'])
        .strip_prefix("loopls:")?
        .trim_start()
        .strip_prefix("allow")?;
    if !list.starts_with([' ', '\t']) {
        return None;
    }
    let word = list.rsplit([' ', '\t', ',']).next().unwrap_or_default();
    let rest = text[offset..comment.end]
        .split([' ', '\t', ','])
        .next()
        .unwrap_or_default();
    Some(Context::Allow(Span::new(
        offset - word.len(),
        offset + rest.len(),
    )))
}

fn in_brackets(text: &str, header: &Header, offset: usize) -> bool {
    let closed = header.span.of(text).ends_with(']');
    offset < header.span.end || !closed && offset == header.span.end
}

fn of_header(header: &Header, element: usize) -> Around<'_> {
    let mut around = Around {
        shape: Shape::DEFINITION,
        path: Vec::new(),
        element: Some(element),
        header: Some(header),
    };
    for key in &header.keys {
        around.step(&key.name);
    }
    around
}

/// Whether the cursor is in `pair`, or behind it where its value still grows.
fn reaches(text: &str, pair: &KeyValue, offset: usize) -> bool {
    if offset <= pair.span.end {
        return true;
    }
    let between = &text[pair.span.end..offset];
    let unfinished = pair.equals.is_none()
        || matches!(pair.value.kind, ValueKind::Missing | ValueKind::Bad)
        || open(&pair.value);
    unfinished
        && (open(&pair.value) || !between.contains(['\n', '\r']))
        && (between.trim().is_empty() || open(&pair.value))
}

/// Whether a bracket of `value` was not closed yet.
fn open(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Array(array) => !array.closed,
        ValueKind::InlineTable(table) => !table.closed,
        _ => false,
    }
}

fn in_pair(
    text: &str,
    pair: &KeyValue,
    around: &Around,
    beside: &[Dotted],
    offset: usize,
) -> Option<Context> {
    let equals = pair.equals.filter(|equals| equals.end <= offset);
    let mut inner = around.clone();
    if equals.is_none() {
        // The part of a dotted key that the cursor is in.
        let before = pair
            .keys
            .iter()
            .take_while(|key| key.span.end < offset && text[key.span.end..offset].contains('.'));
        let before: Vec<&Key> = before.collect();
        for key in &before {
            inner.step(&key.name);
            inner.header = None;
        }
        let beside: Vec<Dotted> = beside
            .iter()
            .filter(|keys| keys.iter().zip(&before).all(|(key, of)| *key == *of.name))
            .filter_map(|keys| Some(keys.get(before.len()..)?.to_vec()))
            .collect();
        let word = pair
            .keys
            .get(before.len())
            .map(|key| key.span)
            .filter(|span| span.touches(offset));
        let Context::Key(mut position) = key_position(text, &inner, &beside, offset) else {
            return None;
        };
        if let Some(word) = word {
            position.word = word;
        }
        position.has_equals = pair.equals.is_some();
        return Some(Context::Key(position));
    }
    for key in &pair.keys {
        inner.step(&key.name);
    }
    in_value(text, &pair.value, &inner, offset, Vec::new())
}

fn in_value(
    text: &str,
    value: &Value,
    around: &Around,
    offset: usize,
    siblings: Vec<String>,
) -> Option<Context> {
    let within = |closed: bool| value.span.start < offset && (offset < value.span.end || !closed);
    match &value.kind {
        ValueKind::InlineTable(table) if within(table.closed) => {
            let mut inner = around.clone();
            inner.header = None;
            let keys = |except: Option<&KeyValue>| {
                let others = table
                    .entries
                    .iter()
                    .filter(|pair| !except.is_some_and(|except| std::ptr::eq(*pair, except)));
                others.map(|pair| dotted(&pair.keys)).collect::<Vec<_>>()
            };
            let pair = table.entries.iter().rfind(|pair| pair.span.start <= offset);
            match pair.filter(|pair| reaches(text, pair, offset)) {
                Some(pair) => in_pair(text, pair, &inner, &keys(Some(pair)), offset),
                None => Some(key_position(text, &inner, &keys(None), offset)),
            }
        }
        ValueKind::Array(array) if within(array.closed) => {
            let mut inner = around.clone();
            inner.shape = around.shape.of_item();
            let at = array
                .items
                .iter()
                .position(|item| item.span.touches(offset));
            // One that was not closed yet goes on, whatever blanks are behind it.
            let last = array.items.len().checked_sub(1);
            let at = at.or(last.filter(|&last| {
                let last = &array.items[last];
                last.span.start < offset && open(last)
            }));
            // An array of tables may be written as one value.
            inner.element = inner.element.or(at);
            let item = at.map(|at| &array.items[at]);
            let beside = array
                .items
                .iter()
                .filter(|other| !item.is_some_and(|item| std::ptr::eq(*other, item)));
            let siblings = beside
                .filter_map(|other| match &other.kind {
                    ValueKind::String(text) => Some(text.to_string()),
                    _ => None,
                })
                .collect();
            match item {
                Some(item) => in_value(text, item, &inner, offset, siblings),
                None => Some(value_position(
                    text,
                    Span::empty(offset),
                    &inner,
                    offset,
                    siblings,
                )),
            }
        }
        ValueKind::Missing => Some(value_position(
            text,
            Span::empty(offset),
            around,
            offset,
            siblings,
        )),
        _ if value.span.touches(offset) => {
            Some(value_position(text, value.span, around, offset, siblings))
        }
        _ => None,
    }
}

fn key_position(text: &str, around: &Around, beside: &[Dotted], offset: usize) -> Context {
    let of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let start = text[..offset].trim_end_matches(of_key).len();
    let end = text.len() - text[offset..].trim_start_matches(of_key).len();
    let header = match around.header {
        Some(header) => Some(header.keys.iter().map(|key| key.name.to_string()).collect()),
        None if around.path.is_empty() => Some(Vec::new()),
        None => None,
    };
    Context::Key(KeyPosition {
        table: around.shape,
        path: around.path.clone(),
        element: around.element,
        header,
        present: beside
            .iter()
            .filter_map(|keys| keys.first().cloned())
            .collect(),
        word: Span::new(start, end),
        has_equals: false,
    })
}

fn value_position(
    text: &str,
    token: Span,
    around: &Around,
    offset: usize,
    siblings: Vec<String>,
) -> Context {
    let raw = &text[token.start..offset.max(token.start)];
    let quotes = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quotes| raw.starts_with(quotes));
    let typed = raw
        .strip_prefix(quotes.unwrap_or_default())
        .unwrap_or(raw)
        .to_owned();
    // A string without its end runs to the end of the line, over whatever closes what is around it.
    let whole = token.of(text);
    let closed =
        quotes.is_none_or(|quotes| whole.len() >= 2 * quotes.len() && whole.ends_with(quotes));
    let token = if closed {
        token
    } else {
        Span::new(token.start, offset)
    };
    Context::Value(ValuePosition {
        shape: around.shape,
        path: around.path.clone(),
        element: around.element,
        token,
        typed,
        offset,
        siblings,
    })
}

/// The parts of a dotted key; most have one.
type Dotted = Vec<String>;

fn dotted(keys: &[Key]) -> Dotted {
    keys.iter().map(|key| key.name.to_string()).collect()
}

/// The keys of the table that a header began, those of its sub-tables included, except that of `except`.
fn keys_of(analysis: &Analysis, around: &Around, except: Option<&KeyValue>) -> Vec<Dotted> {
    let mut present = Vec::new();
    let mut inside = around.header.is_none();
    let path = &around.path;
    for statement in &analysis.tree.statements {
        match statement {
            Statement::Header(header) => {
                let is_it = around
                    .header
                    .is_some_and(|other| std::ptr::eq(other, header));
                let below = header.keys.len() > path.len()
                    && path
                        .iter()
                        .zip(&header.keys)
                        .all(|(name, key)| *name == key.name);
                if is_it {
                    inside = true;
                } else if path.is_empty() {
                    // A table at the top takes no key of the top level, but its name.
                    present.push(dotted(&header.keys));
                    inside = false;
                } else if inside && below {
                    present.push(dotted(&header.keys[path.len()..]));
                } else if inside {
                    break;
                }
            }
            Statement::KeyValue(pair)
                if inside && !except.is_some_and(|except| std::ptr::eq(except, pair)) =>
            {
                // Below a sub-table's header the keys are that table's.
                present.push(dotted(&pair.keys));
            }
            Statement::KeyValue(_) => {}
        }
    }
    present
}
