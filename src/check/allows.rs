//! `# loopls: allow CODE`: on a line, or on the line above, silences that code there. Errors are never silenced.

use super::{Analysis, Code, Diagnostic, MOST_DIAGNOSTICS, Repair, Severity};
use crate::text::{Edit, Map, Span};

/// One code in one comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allow<'a> {
    /// The code as written; there may be none of this name.
    pub name: &'a str,
    /// Where the code stands.
    pub span: Span,
    /// The whole comment.
    pub comment: Span,
    /// The line of the comment, from zero.
    line: usize,
    /// Whether the comment is alone on its line, so that it is about the next one.
    alone: bool,
}

impl Allow<'_> {
    /// The line that it is about, from zero.
    fn about(&self) -> usize {
        self.line + usize::from(self.alone)
    }
}

/// Takes out what comments of the text allow, and says of each allowance that silences nothing.
pub fn apply(analysis: &Analysis, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let allows = allows(analysis);
    if allows.is_empty() {
        return diagnostics;
    }
    let mut used = vec![false; allows.len()];
    let mut by_line: Map<(usize, &str), Vec<usize>> = Map::default();
    for (index, allow) in allows.iter().enumerate() {
        let of_line = by_line.entry((allow.about(), allow.name));
        of_line.or_default().push(index);
    }
    let line_of = |offset: usize| {
        analysis
            .rope
            .byte_to_line(offset.min(analysis.rope.len_bytes()))
    };
    let mut kept: Vec<Diagnostic> = diagnostics
        .into_iter()
        .filter(|diagnostic| {
            let (first, last) = (line_of(diagnostic.span.start), line_of(diagnostic.span.end));
            let of_line = |line| by_line.get(&(line, diagnostic.code.as_str()));
            let of_first = of_line(first).into_iter().flatten().copied().next();
            let of_last = of_line(last).into_iter().flatten().copied();
            let allowed = of_first.or(of_last.into_iter().find(|index| !allows[*index].alone));
            match allowed.filter(|_| diagnostic.severity != Severity::Error) {
                Some(index) => {
                    used[index] = true;
                    false
                }
                None => true,
            }
        })
        .collect();
    let unused = (0..allows.len()).filter(|index| !used[*index]);
    for index in unused.take(MOST_DIAGNOSTICS) {
        let allow = &allows[index];
        let name = allow.name.escape_debug();
        let message = match Code::from_name(allow.name) {
            None => format!("there is no code `{name}`, so this allows nothing"),
            Some(code) if code.severity() == Severity::Error => {
                format!("`{name}` is an error, which no comment silences")
            }
            Some(_) => format!("there is no `{name}` here to allow; remove it"),
        };
        let diagnostic = Diagnostic::new(Code::UnusedAllow, allow.span, message);
        let title = format!("Remove `{name}`");
        let repair = Repair::Edits(vec![removal(analysis, &allows, index)]);
        kept.push(match Code::from_name(allow.name) {
            // A misspelt code is meant for something; and another machine may have what this one lacks, or lack what
            // this one has.
            None | Some(Code::CommandNotFound | Code::EnvironmentNotSet) => {
                diagnostic.with_guess(title, repair)
            }
            _ => diagnostic.with_remedy(title, repair),
        });
    }
    kept.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    kept
}

/// The codes that comments of the text allow, in order of the text.
pub fn allows(analysis: &Analysis) -> Vec<Allow<'_>> {
    let mut allows = Vec::new();
    for comment in &analysis.tree.comments {
        let text = comment.span.of(&analysis.text);
        let Some(list) = text
            .trim_start_matches(['#', ' ', '\t'])
            .strip_prefix("loopls:")
        else {
            continue;
        };
        let list = list.trim_start().strip_prefix("allow");
        let Some(list) = list.filter(|list| list.starts_with([' ', '\t'])) else {
            continue;
        };
        let line = analysis.rope.byte_to_line(comment.span.start);
        let line_start = analysis.rope.line_to_byte(line);
        let before = analysis.text[line_start..comment.span.start].trim_start_matches('\u{feff}');
        let alone = before.trim().is_empty();
        let mut offset = comment.span.end - list.len();
        for word in list.split([' ', '\t', ',']) {
            if !word.is_empty() {
                let span = Span::new(offset, offset + word.len());
                allows.push(Allow {
                    name: word,
                    span,
                    comment: comment.span,
                    line,
                    alone,
                });
            }
            offset += word.len() + 1;
        }
    }
    allows
}

/// Takes the code out of its comment, or the comment out of the text when it allows nothing else.
fn removal(analysis: &Analysis, allows: &[Allow], index: usize) -> Edit {
    let text = &analysis.text;
    let allow = &allows[index];
    let comment = allow.comment;
    // Those of one comment stand beside each other.
    let before = index.checked_sub(1).and_then(|before| allows.get(before));
    let beside = [before, allows.get(index + 1)];
    let others = beside
        .into_iter()
        .flatten()
        .any(|other| other.comment == comment);
    let span = if others {
        let rest = &text[allow.span.end..comment.end];
        let end = comment.end - rest.trim_start_matches([' ', '\t', ',']).len();
        // The last of a list leaves no comma behind.
        let start = match end == comment.end {
            true => text[..allow.span.start]
                .trim_end_matches([' ', '\t', ','])
                .len(),
            false => allow.span.start,
        };
        Span::new(start, end)
    } else {
        let before = text[..comment.start].trim_end_matches([' ', '\t']).len();
        let alone = before == 0 || text[..before].ends_with(['\n', '\u{feff}']);
        match (alone, text[comment.end..].find('\n')) {
            (true, Some(line_break)) => Span::new(before, comment.end + line_break + 1),
            _ => Span::new(before, comment.end),
        }
    };
    Edit {
        span,
        text: String::new(),
    }
}
