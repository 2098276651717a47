//! Renaming a tool, a produced name, a mode or an input property, everywhere in the file.

use super::exactly::differ_only_at;
use super::patterns::patterns;
use super::references::tool_name;
use crate::check::Analysis;
use crate::definition::{
    Mention, Mentions, Names, RESERVED_TOOL_NAME, Target, Written, lower, pattern, placeholder,
};
use crate::syntax::{self, Table, render};
use crate::text::{Edit, Span, apply_edits};
use std::collections::HashSet;

/// A name that can be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamable {
    /// The name, without quotes or braces.
    pub span: Span,
    /// What it says.
    pub name: String,
}

/// What a rename does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rename {
    /// The edits, in order of the text; each name stays in the quotes it was in where they can hold the new one.
    pub edits: Vec<Edit>,
    /// What else changes by it, for a person to look at.
    pub warnings: Vec<RenameWarning>,
}

/// Something that means another thing after a rename, although it is not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameWarning {
    /// Where it stands, before the rename.
    pub span: Span,
    /// What changes.
    pub message: String,
}

/// Why something is not renamed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum RenameError {
    #[error("there is no name here that can be changed")]
    NoName,
    #[error("`{name}` is the `name` of another loop; change it in that loop's file")]
    OtherLoop { name: String },
    #[error("{count} loops of this project are named `{name}`, so it is open which one is meant")]
    Ambiguous { count: usize, name: String },
    #[error("a name cannot be blank")]
    Blank,
    #[error("a name has no spaces around it")]
    Padded,
    #[error("`{RESERVED_TOOL_NAME}` is the name under which a model gives its structured answer")]
    Reserved,
    #[error("there is already {what} `{name}`")]
    Taken { what: &'static str, name: String },
    #[error(
        "`{{{{{name}}}}}` would be no placeholder: its name has letters, digits, `_` and `-` only"
    )]
    NoPlaceholder { name: String },
    #[error(
        "with the name `{name}` another part of the file would change too, such as an input that has a `{name}` already"
    )]
    NotExact { name: String },
}

/// The name at byte `offset`, if it can be changed.
///
/// # Errors
///
/// Why it cannot.
pub fn prepare_rename(analysis: &Analysis, offset: usize) -> Result<Renamable, RenameError> {
    let mention = renamable(analysis, offset)?;
    let name = name_of(analysis, mention.target).ok_or(RenameError::NoName)?;
    Ok(Renamable {
        span: bare(&analysis.text, mention),
        name: name.to_owned(),
    })
}

/// What has to change so that the thing named at byte `offset` is called `new`.
///
/// # Errors
///
/// Why it cannot be called so.
pub fn rename(analysis: &Analysis, offset: usize, new: &str) -> Result<Rename, RenameError> {
    renamed(analysis, renamable(analysis, offset)?.target, new)
}

/// What has to change so that `target` is called `new`.
pub(super) fn renamed(
    analysis: &Analysis,
    target: Target,
    new: &str,
) -> Result<Rename, RenameError> {
    let old = name_of(analysis, target).ok_or(RenameError::NoName)?;
    refuse_malformed(new)?;
    if new == old {
        return Ok(Rename::default());
    }
    refuse_taken(analysis, target, new)?;
    let mentions: Vec<Mention> = analysis.mentions().of_target(target).collect();
    if mentions
        .iter()
        .any(|mention| mention.written == Written::Placeholder)
        && !is_placeholder_name(new)
    {
        return Err(RenameError::NoPlaceholder { name: new.into() });
    }
    let edits: Vec<Edit> = mentions
        .iter()
        .map(|mention| edit(&analysis.text, *mention, new))
        .collect();
    let mut warnings = pattern_warnings(analysis, target, new, &mentions);
    warnings.extend(newly_named(analysis, target, new, &edits)?);
    warnings.sort_by_key(|warning| warning.span);
    Ok(Rename { edits, warnings })
}

pub(super) fn refuse_malformed(new: &str) -> Result<(), RenameError> {
    if new.trim().is_empty() {
        return Err(RenameError::Blank);
    }
    if new.trim() != new {
        return Err(RenameError::Padded);
    }
    Ok(())
}

fn renamable(analysis: &Analysis, offset: usize) -> Result<Mention, RenameError> {
    let mention = analysis.mentions().at(offset).ok_or(RenameError::NoName)?;
    match (mention.target, tool_name(analysis, mention.target)) {
        (Target::Delegate(_), Some((name, _))) => Err(RenameError::OtherLoop {
            name: name.escape_debug().to_string(),
        }),
        _ => Ok(mention),
    }
}

/// What the thing is called, as its declaration has it.
fn name_of(analysis: &Analysis, target: Target) -> Option<&str> {
    let definition = &analysis.definition;
    match target {
        Target::Mode(mode) => Some(definition.modes.get(mode)?.name.text()),
        Target::Property { tool, property } => {
            let properties = definition.tools.get(tool)?.properties()?;
            Some(&properties.entries.get(property)?.key.name)
        }
        target => tool_name(analysis, target).map(|(name, _)| name),
    }
}

fn refuse_taken(analysis: &Analysis, target: Target, new: &str) -> Result<(), RenameError> {
    let names = &analysis.names;
    let is_produced = tool_name(analysis, target).is_some_and(|(_, produced)| produced);
    if is_produced && new == RESERVED_TOOL_NAME {
        return Err(RenameError::Reserved);
    }
    let other_produced = || {
        let produced = names.produced(new).filter(|_| is_produced);
        produced.is_some_and(|other| other != target)
    };
    let taken = match target {
        Target::Mode(_) => names.mode(new).map(|_| "a mode"),
        Target::Tool(_) if names.tool(new).is_some() => Some("a tool"),
        Target::Tool(_) | Target::Produced { .. } | Target::Delegate(_) => {
            other_produced().then_some("a tool that the model sees as")
        }
        Target::Property { tool, .. } => {
            let tool = analysis.definition.tools.get(tool);
            let properties = tool.and_then(|tool| tool.properties());
            properties
                .and_then(|properties| properties.entry(new))
                .map(|_| "a property")
        }
    };
    taken.map_or(Ok(()), |what| {
        Err(RenameError::Taken {
            what,
            name: new.escape_debug().to_string(),
        })
    })
}

fn is_placeholder_name(name: &str) -> bool {
    let text = format!("{{{{{name}}}}}");
    let found: Vec<_> = placeholder::placeholders(&text).collect();
    found.first().is_some_and(|found| found.name == name)
}

/// The place of the name itself, without quotes or braces.
fn bare(text: &str, mention: Mention) -> Span {
    let span = mention.span;
    match mention.written {
        Written::Placeholder => {
            let raw = span.of(text);
            let inner = raw.trim_start_matches(['{', ' ']);
            let name = inner.trim_end_matches(['}', ' ']);
            let start = span.start + raw.len() - inner.len();
            Span::new(start, start + name.len())
        }
        _ => super::content(text, span),
    }
}

fn edit(text: &str, mention: Mention, new: &str) -> Edit {
    let span = mention.span;
    let raw = span.of(text);
    let whole = match mention.written {
        Written::Placeholder => {
            return Edit {
                span: bare(text, mention),
                text: new.into(),
            };
        }
        Written::Key if !raw.starts_with(['"', '\'']) => {
            return Edit {
                span,
                text: render::key(new),
            };
        }
        Written::Key | Written::String => new.to_owned(),
        Written::Pattern => pattern::escape(new),
    };
    string_edit(text, span, &whole)
}

/// Lets the string at `span`, or the key in its place, say `new`.
pub(super) fn string_edit(text: &str, span: Span, new: &str) -> Edit {
    match in_quotes(span.of(text), new) {
        Some(inner) => Edit {
            span: super::content(text, span),
            text: inner,
        },
        None => Edit {
            span,
            text: format!("\"{}\"", escaped(new)),
        },
    }
}

/// `new` as it is written between the quotes of `raw`; `None` where these cannot hold it.
fn in_quotes(raw: &str, new: &str) -> Option<String> {
    if raw.starts_with('"') {
        return Some(escaped(new));
    }
    let holds = !new.contains('\'') && !new.contains(char::is_control);
    holds.then(|| new.to_owned())
}

/// `text` between double quotes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            character if character.is_control() => {
                escaped.push_str(&format!("\\u{:04X}", u32::from(character)));
            }
            character => escaped.push(character),
        }
    }
    escaped
}

/// Patterns that match one of the two names and not the other.
fn pattern_warnings(
    analysis: &Analysis,
    target: Target,
    new: &str,
    edited: &[Mention],
) -> Vec<RenameWarning> {
    let Some((old, is_produced)) = tool_name(analysis, target) else {
        return Vec::new();
    };
    let edited: HashSet<Span> = edited.iter().map(|mention| mention.span).collect();
    let others = patterns(analysis, |written| !edited.contains(&written.span));
    let changed = others.into_iter().filter_map(|found| {
        let span = found.written.span;
        let (text, list) = (found.written.value.escape_debug(), found.list);
        let (old_shown, new_shown) = (old.escape_debug(), new.escape_debug());
        let message = match (
            found.matches(old, is_produced),
            found.matches(new, is_produced),
        ) {
            (true, false) => format!(
                "`{text}` in `{list}` matches `{old_shown}`, and does not match `{new_shown}`"
            ),
            (false, true) => format!(
                "`{text}` in `{list}` matches `{new_shown}`, and did not match `{old_shown}`"
            ),
            _ => return None,
        };
        Some(RenameWarning { span, message })
    });
    changed.collect()
}

/// What named nothing before and names the thing after the `edits`; an error where they change anything else.
fn newly_named(
    analysis: &Analysis,
    target: Target,
    new: &str,
    edits: &[Edit],
) -> Result<Vec<RenameWarning>, RenameError> {
    let not_exact = || RenameError::NotExact {
        name: new.escape_debug().to_string(),
    };
    let text = apply_edits(&analysis.text, edits).ok_or_else(not_exact)?;
    let (tree, mut errors) = syntax::parse(&text);
    let (table, conflicts) = Table::build(&tree);
    errors.extend(conflicts);
    let edited: Vec<Span> = edits.iter().map(|edit| edit.span).collect();
    if errors.len() != analysis.syntax_errors.len()
        || !differ_only_at(&analysis.tree, &tree, &edited)
    {
        return Err(not_exact());
    }
    let definition = lower(&table);
    let mentions = Mentions::of(&definition, &Names::of(&definition), &text);
    let shown = new.escape_debug();
    let mut shifted = Shifted::new(edits);
    let new_mentions = mentions.of_target(target).filter_map(|mention| {
        let span = shifted.before(mention.span)?;
        let message = format!("`{shown}` names nothing now, and would name what is renamed");
        Some(RenameWarning { span, message })
    });
    Ok(new_mentions.collect())
}

/// Places of a text after some edits, as places before them.
struct Shifted<'e> {
    edits: std::iter::Peekable<std::slice::Iter<'e, Edit>>,
    /// By how much the text grew, and by how much it shrank, so far.
    grown: usize,
    shrunk: usize,
}

impl<'e> Shifted<'e> {
    fn new(edits: &'e [Edit]) -> Self {
        Self {
            edits: edits.iter().peekable(),
            grown: 0,
            shrunk: 0,
        }
    }

    /// Where `span` was, which stands behind the span asked for before; `None` for one that was edited.
    fn before(&mut self, span: Span) -> Option<Span> {
        let mut was_edited = false;
        while let Some(edit) = self.edits.peek() {
            let start = edit.span.start + self.grown - self.shrunk;
            if start > span.end {
                break;
            }
            was_edited |= start >= span.start;
            self.grown += edit.text.len();
            self.shrunk += edit.span.len();
            self.edits.next();
        }
        let back = |offset: usize| (offset + self.shrunk).checked_sub(self.grown);
        if was_edited {
            return None;
        }
        Some(Span::new(back(span.start)?, back(span.end)?))
    }
}
