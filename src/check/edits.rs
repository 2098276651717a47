//! Edits of a definition that leave comments, layout and line endings as they are.

use super::{Analysis, Repair};
use crate::syntax::{KeyValue, Statement, Value, ValueKind};
use crate::text::{Edit, Span};

/// The edits of `change` for a diagnostic at `span`; none where it cannot be done.
pub fn of(analysis: &Analysis, span: Span, change: &Repair) -> Vec<Edit> {
    match change {
        Repair::Replace(text) => vec![Edit {
            span,
            text: text.clone(),
        }],
        Repair::RemovePair => remove(analysis, span, Wanted::Pair),
        Repair::RemoveItem => remove(analysis, span, Wanted::Item),
        Repair::AddAtTop(line) => vec![insert_at_top(analysis, line)],
        Repair::MoveOut => move_out(analysis, span),
        Repair::Edits(edits) => edits.clone(),
    }
}

/// Something that stands in the text among its likes.
enum Found<'a> {
    /// A statement on lines of its own.
    Statement(Span),
    /// One of the elements of an array or an inline table.
    Element { elements: Vec<Span>, index: usize },
    /// Not what was looked for; look into these.
    Inside(&'a Value),
}

/// What is removed, with its line or its comma.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    /// The key-value pair whose key or value is at the place.
    Pair,
    /// The array item at the place.
    Item,
}

fn remove(analysis: &Analysis, span: Span, wanted: Wanted) -> Vec<Edit> {
    let pairs = analysis
        .tree
        .statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::KeyValue(pair) => Some(pair),
            Statement::Header(_) => None,
        });
    let Some(pair) = pairs.into_iter().find(|pair| pair.span.contains(span)) else {
        return Vec::new();
    };
    let mut found = if wanted == Wanted::Pair && is_of(pair, span) {
        Found::Statement(pair.span)
    } else {
        Found::Inside(&pair.value)
    };
    loop {
        match found {
            Found::Statement(statement) => return remove_statement(&analysis.text, statement),
            Found::Element { elements, index } => {
                return remove_element(&analysis.text, &elements, index);
            }
            Found::Inside(value) => match look_into(value, span, wanted) {
                Some(next) => found = next,
                None => return Vec::new(),
            },
        }
    }
}

/// Whether `span` is the last key of `pair`, or its value.
fn is_of(pair: &KeyValue, span: Span) -> bool {
    pair.value.span == span
        || pair.keys.last().is_some_and(|key| key.span == span)
        || pair.span == span
}

fn look_into(value: &Value, span: Span, wanted: Wanted) -> Option<Found<'_>> {
    match &value.kind {
        ValueKind::InlineTable(table) => {
            let index = table
                .entries
                .iter()
                .position(|pair| pair.span.contains(span))?;
            let pair = &table.entries[index];
            Some(if wanted == Wanted::Pair && is_of(pair, span) {
                Found::Element {
                    elements: table.entries.iter().map(|pair| pair.span).collect(),
                    index,
                }
            } else {
                Found::Inside(&pair.value)
            })
        }
        ValueKind::Array(array) => {
            let index = array
                .items
                .iter()
                .position(|item| item.span.contains(span))?;
            Some(
                if wanted == Wanted::Item && array.items[index].span == span {
                    Found::Element {
                        elements: array.items.iter().map(|item| item.span).collect(),
                        index,
                    }
                } else {
                    Found::Inside(&array.items[index])
                },
            )
        }
        _ => None,
    }
}

/// Takes out whole lines, or what stands before a comment on the last of them.
fn remove_statement(text: &str, statement: Span) -> Vec<Edit> {
    let lines = lines_of(text, statement);
    let span = match text[statement.end..lines.end].find('#') {
        Some(comment) => Span::new(statement.start, statement.end + comment),
        None => lines,
    };
    vec![Edit {
        span,
        text: String::new(),
    }]
}

/// The whole lines of `span`, with the line break at their end.
fn lines_of(text: &str, span: Span) -> Span {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end..].find('\n');
    Span::new(start, end.map_or(text.len(), |at| span.end + at + 1))
}

/// Takes out an element and the comma that goes with it, and its line if nothing else stands there.
fn remove_element(text: &str, elements: &[Span], index: usize) -> Vec<Edit> {
    let element = elements[index];
    let gone = |start, end| Edit {
        span: Span::new(start, end),
        text: String::new(),
    };
    if let Some(comma) = comma_after(text, element.end) {
        let spaces =
            |from: usize| text[from..].len() - text[from..].trim_start_matches([' ', '\t']).len();
        let end = comma + 1 + spaces(comma + 1);
        let line_start = text[..element.start].trim_end_matches([' ', '\t']).len();
        let alone = text[..line_start].ends_with('\n')
            && (text[end..].starts_with('\n') || text[end..].starts_with("\r\n"));
        return match alone {
            true => vec![gone(
                line_start,
                text[end..].find('\n').map_or(end, |at| end + at + 1),
            )],
            // At the end of a line the spaces before the element go, not those after the comma.
            false => vec![gone(element.start, end)],
        };
    }
    match index.checked_sub(1).map(|before| elements[before]) {
        // The last of several: the comma before it goes too, and comments between the two stay.
        Some(before) => match comma_after(text, before.end) {
            Some(comma) if text[comma + 1..element.start].trim().is_empty() => {
                vec![gone(comma, element.end)]
            }
            Some(comma) => vec![gone(comma, comma + 1), gone(element.start, element.end)],
            None => vec![gone(element.start, element.end)],
        },
        None => vec![gone(element.start, element.end)],
    }
}

/// The comma that follows `offset` behind spaces, line breaks and comments.
fn comma_after(text: &str, mut offset: usize) -> Option<usize> {
    loop {
        let rest = &text[offset..];
        offset += rest.len() - rest.trim_start().len();
        match text[offset..].chars().next()? {
            ',' => return Some(offset),
            '#' => offset += text[offset..].find('\n')?,
            _ => return None,
        }
    }
}

/// Moves the pair below the header `[a.b]` to the keys of `a`: before that header, which begins on a line of its own.
fn move_out(analysis: &Analysis, span: Span) -> Vec<Edit> {
    let mut header = None;
    for statement in &analysis.tree.statements {
        match statement {
            Statement::Header(found) => header = Some(found.span),
            Statement::KeyValue(pair) if is_of(pair, span) => {
                let Some(header) = header else {
                    return Vec::new();
                };
                let lines = lines_of(&analysis.text, pair.span);
                // A comment behind the pair goes along.
                let line = analysis.text[pair.span.start..lines.end].trim_end();
                let text = format!("{line}{}", line_ending(&analysis.text));
                let mut line_start = lines_of(&analysis.text, header).start;
                // What stands directly above the header is about it.
                while let Some(above) = analysis.text[..line_start].strip_suffix('\n')
                    && let above = above.rfind('\n').map_or(0, |at| at + 1)
                    && analysis.text[above..]
                        .trim_start_matches([' ', '\t'])
                        .starts_with('#')
                {
                    line_start = above;
                }
                // Blank lines between the table and the header stay where they are.
                let before = analysis.text[..line_start].trim_end().len();
                let at = analysis.text[before..line_start]
                    .find('\n')
                    .map_or(line_start, |at| before + at + 1);
                return vec![
                    Edit {
                        span: Span::empty(at),
                        text,
                    },
                    Edit {
                        span: lines,
                        text: String::new(),
                    },
                ];
            }
            Statement::KeyValue(_) => {}
        }
    }
    Vec::new()
}

/// The line ending of the document: that of its first line.
fn line_ending(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Adds the line `line` (without its ending) to the top level, behind the keys that stand there already.
fn insert_at_top(analysis: &Analysis, line: &str) -> Edit {
    let first_statements = analysis
        .tree
        .statements
        .iter()
        .map_while(|statement| match statement {
            Statement::KeyValue(pair) => Some(pair.span),
            Statement::Header(_) => None,
        });
    match first_statements.last() {
        Some(last) => insert_line_after(&analysis.text, last.end, line),
        None => {
            let ending = line_ending(&analysis.text);
            Edit {
                span: Span::empty(analysis.start()),
                text: format!("{line}{ending}"),
            }
        }
    }
}

/// Adds the line `line` (without its ending) below the line of `offset`.
fn insert_line_after(text: &str, offset: usize, line: &str) -> Edit {
    let ending = line_ending(text);
    match text[offset..].find('\n') {
        Some(at) => Edit {
            span: Span::empty(offset + at + 1),
            text: format!("{line}{ending}"),
        },
        None => Edit {
            span: Span::empty(text.len()),
            text: format!("{ending}{line}"),
        },
    }
}
