//! `# loopls: allow CODE`: on a line, or on the line above, silences that code there. Errors are never silenced.

use super::{Analysis, Code, Diagnostic, Repair, Severity};
use crate::text::{Edit, Span};

/// One code in one comment.
struct Allow<'a> {
    name: &'a str,
    span: Span,
    line: usize,
    /// The whole comment.
    comment: Span,
    /// Whether the comment is alone on its line, so that it is about the next one.
    alone: bool,
}

/// Takes out what comments of the text allow, and says of each allowance that silences nothing.
pub fn apply(analysis: &Analysis, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let allows = allows(analysis);
    if allows.is_empty() {
        return diagnostics;
    }
    let mut used = vec![false; allows.len()];
    let line_of = |offset: usize| {
        analysis
            .rope
            .byte_to_line(offset.min(analysis.rope.len_bytes()))
    };
    let mut kept: Vec<Diagnostic> = diagnostics
        .into_iter()
        .filter(|diagnostic| {
            let (first, last) = (line_of(diagnostic.span.start), line_of(diagnostic.span.end));
            let allowed = allows.iter().position(|allow| {
                let line = if allow.alone {
                    allow.line + 1
                } else {
                    allow.line
                };
                allow.name == diagnostic.code.as_str()
                    && (line == first || !allow.alone && line == last)
            });
            match allowed.filter(|_| diagnostic.severity != Severity::Error) {
                Some(index) => {
                    used[index] = true;
                    false
                }
                None => true,
            }
        })
        .collect();
    for (allow, _) in allows.iter().zip(used).filter(|(_, used)| !used) {
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
        let repair = Repair::Edits(vec![removal(analysis, allow, &allows)]);
        kept.push(match Code::from_name(allow.name) {
            // Another machine may have what this one lacks, or lack what this one has.
            Some(Code::CommandNotFound | Code::EnvironmentNotSet) => {
                diagnostic.with_guess(title, repair)
            }
            _ => diagnostic.with_remedy(title, repair),
        });
    }
    kept.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    kept
}

fn allows(analysis: &Analysis) -> Vec<Allow<'_>> {
    let mut allows = Vec::new();
    for comment in &analysis.tree.comments {
        let text = comment.span.of(&analysis.text);
        let Some(list) = text
            .trim_start_matches(['#', ' ', '\t'])
            .strip_prefix("loopls:")
        else {
            continue;
        };
        let Some(list) = list.trim_start().strip_prefix("allow") else {
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
fn removal(analysis: &Analysis, allow: &Allow, allows: &[Allow]) -> Edit {
    let text = &analysis.text;
    let comment = allow.comment;
    let others = allows
        .iter()
        .any(|other| other.comment == comment && other.span != allow.span);
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
