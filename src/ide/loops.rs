//! The name of a loop, by which the other files of its project hand work to it.

use super::references::references;
use super::rename::{Rename, RenameError, refuse_malformed, renamed, string_edit};
use crate::check::Analysis;
use crate::definition::{KnownLoop, RESERVED_TOOL_NAME, Spanned, Target};
use crate::text::{Span, Text};

/// A loop that is named under the cursor: this one by its `name`, or another by a delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopName {
    /// The name, without quotes.
    pub span: Span,
    /// What it says.
    pub name: String,
}

/// Where a file names a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopMentions {
    /// The file's own `name`, if it is that loop.
    pub declaration: Option<Span>,
    /// Its delegates, and whatever else names the tool that a delegate becomes, in order of the text.
    pub mentions: Vec<Span>,
}

/// The loop that is named at byte `offset`.
pub fn loop_name_at(analysis: &Analysis, offset: usize) -> Option<LoopName> {
    let own = own_name(analysis).filter(|name| name.span.touches(offset));
    let (span, name) = match (own, analysis.mentions().at(offset)) {
        (Some(own), _) => (own.span, own.value.clone()),
        (None, Some(mention)) => match mention.target {
            Target::Delegate(index) => (mention.span, delegate(analysis, index)?.value.clone()),
            _ => return None,
        },
        (None, None) => return None,
    };
    (!name.trim().is_empty()).then(|| LoopName {
        span: super::content(&analysis.text, span),
        name: name.into(),
    })
}

/// Where the file names the loop called `name`.
pub fn loop_mentions(analysis: &Analysis, name: &str) -> LoopMentions {
    let own = own_name(analysis).filter(|own| own.value == name);
    let target = delegate_called(analysis, name);
    let first = target.and_then(|target| analysis.mentions().of_target(target).next());
    let mut mentions = first.map_or_else(Vec::new, |mention| {
        references(analysis, mention.span.start, true)
    });
    mentions.extend(delegates_called(analysis, name).map(|item| item.span));
    mentions.sort();
    mentions.dedup();
    LoopMentions {
        declaration: own.map(|own| own.span),
        mentions,
    }
}

/// Whether the loop called `old` can be called `new`, as far as the names of `loops`, those of its project, decide it.
///
/// # Errors
///
/// Why it cannot.
pub fn loop_can_be_called(loops: &[KnownLoop], old: &str, new: &str) -> Result<(), RenameError> {
    refuse_malformed(new)?;
    let called = |name: &str| loops.iter().filter(|known| known.name == name).count();
    if new == RESERVED_TOOL_NAME {
        return Err(RenameError::Reserved);
    }
    if new != old && called(new) > 0 {
        return Err(RenameError::Taken {
            what: "a loop",
            name: new.escape_debug().to_string(),
        });
    }
    match called(old) {
        0 | 1 => Ok(()),
        count => Err(RenameError::Ambiguous {
            count,
            name: old.escape_debug().to_string(),
        }),
    }
}

/// What has to change in this file so that the loop called `old` is called `new`; nothing where it is not named.
///
/// # Errors
///
/// The file has a tool of that name.
pub fn rename_loop(analysis: &Analysis, old: &str, new: &str) -> Result<Rename, RenameError> {
    let mut rename = match delegate_called(analysis, old) {
        Some(target) => renamed(analysis, target, new)?,
        None => Rename::default(),
    };
    let own = own_name(analysis).filter(|own| own.value == old && old != new);
    if let Some(own) = own {
        rename
            .edits
            .push(string_edit(&analysis.text, own.span, new));
        rename.edits.sort_by_key(|edit| edit.span);
    }
    Ok(rename)
}

fn own_name(analysis: &Analysis) -> Option<&Spanned<Text>> {
    analysis.definition.name.spanned()
}

fn delegate(analysis: &Analysis, index: usize) -> Option<&Spanned<Text>> {
    let delegates = analysis.definition.delegates.get()?;
    delegates.get(index)?.spanned()
}

fn delegates_called<'a>(
    analysis: &'a Analysis,
    name: &'a str,
) -> impl Iterator<Item = &'a Spanned<Text>> {
    let items = analysis.definition.delegates.items();
    items.filter(move |item| item.value == name)
}

/// The delegate called `name` that its mentions are of: the first.
fn delegate_called(analysis: &Analysis, name: &str) -> Option<Target> {
    let delegates = analysis.definition.delegates.get()?;
    let index = delegates
        .iter()
        .position(|item| item.get().is_some_and(|other| other == name))?;
    Some(Target::Delegate(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::apply_edits;
    use ropey::Rope;

    const DESK: &str = "\
name = 'desk'
delegates = [\"helper\", 'clerk']
access = { allow = [\"helper\", \"h*\"] }

[[tools]]
name = \"clerk\"
reply = 1
";

    fn analysis() -> Analysis {
        Analysis::new(Rope::from_str(DESK))
    }

    #[test]
    fn a_loop_is_named_by_itself_and_by_delegates() {
        let analysis = analysis();
        for (around, expected) in [
            ("'desk'", Some("desk")),
            ("\"helper\", 'clerk'", Some("helper")),
            ("\"helper\", \"h*\"", Some("helper")),
            ("name = \"clerk\"", None),
            ("allow", None),
        ] {
            let offset = DESK.find(around).unwrap() + 2;
            let found = loop_name_at(&analysis, offset);
            assert_eq!(found.as_ref().map(|found| found.name.as_str()), expected);
            if let (Some(found), Some(expected)) = (found, expected) {
                assert_eq!(found.span.of(DESK), expected);
            }
        }
    }

    #[test]
    fn mentions_are_delegates_and_what_names_their_tools() {
        let analysis = analysis();
        let texts = |name: &str| -> Vec<&str> {
            let found = loop_mentions(&analysis, name);
            let spans = found.declaration.into_iter().chain(found.mentions);
            spans.map(|span| span.of(DESK)).collect()
        };
        assert_eq!(texts("desk"), ["'desk'"]);
        assert_eq!(texts("helper"), ["\"helper\"", "\"helper\"", "\"h*\""]);
        assert_eq!(texts("nobody"), [] as [&str; 0]);
    }

    #[test]
    fn a_rename_changes_what_names_the_loop_and_keeps_quotes() {
        let analysis = analysis();
        let renamed = |old: &str, new: &str| {
            let rename = rename_loop(&analysis, old, new).unwrap();
            (
                apply_edits(DESK, &rename.edits).unwrap(),
                rename.warnings.len(),
            )
        };
        let desk = DESK.replace("'desk'", "'front desk'");
        assert_eq!(renamed("desk", "front desk"), (desk, 0));
        let aide = DESK.replace("\"helper\"", "\"aide\"");
        assert_eq!(renamed("helper", "aide"), (aide, 1), "`h*` ceases to match");
        assert_eq!(renamed("nobody", "aide"), (DESK.to_owned(), 0));
    }

    #[test]
    fn names_of_a_project_stay_apart() {
        let called = |name: &str| KnownLoop {
            name: name.into(),
            ..KnownLoop::default()
        };
        let loops = ["one", "two", "twin", "twin"].map(called);
        for (old, new, refused) in [
            ("one", "three", None),
            ("one", "one", None),
            ("one", "two", Some("there is already a loop `two`")),
            ("one", " ", Some("a name cannot be blank")),
            (
                "twin",
                "three",
                Some("2 loops of this project are named `twin`, so it is open which one is meant"),
            ),
        ] {
            let problem = loop_can_be_called(&loops, old, new).err();
            assert_eq!(
                problem.map(|problem| problem.to_string()).as_deref(),
                refused
            );
        }
    }
}
