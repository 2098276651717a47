//! What puts right the diagnostics under the cursor.

use crate::check::{Analysis, Diagnostic, Fix, Severity};
use crate::syntax::{self, Table};
use crate::text::{Edit, Span, apply_edits};

/// A fix, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuickFix {
    /// The diagnostic.
    pub diagnostic: Diagnostic,
    /// What puts it right, or silences it.
    pub fix: Fix,
}

/// Fixes for those of `diagnostics` that `span` touches, the likeliest first; for each that is no error, one that allows
/// it where it stands.
pub fn quick_fixes(analysis: &Analysis, diagnostics: &[Diagnostic], span: Span) -> Vec<QuickFix> {
    let mut found = Vec::new();
    let mut allowances = Vec::new();
    for diagnostic in diagnostics.iter().filter(|it| it.span.meets(span)) {
        for fix in analysis.fixes(diagnostic) {
            found.push(QuickFix {
                diagnostic: diagnostic.clone(),
                fix,
            });
        }
        if let Some(fix) = allowance(analysis, diagnostic) {
            allowances.push(QuickFix {
                diagnostic: diagnostic.clone(),
                fix,
            });
        }
    }
    found.extend(allowances);
    found
}

/// A comment above the line that allows the code there. `None` where a comment cannot stand: within a string.
fn allowance(analysis: &Analysis, diagnostic: &Diagnostic) -> Option<Fix> {
    if diagnostic.severity == Severity::Error || diagnostic.code == crate::check::Code::UnusedAllow
    {
        return None;
    }
    let text = &analysis.text;
    let line_start = text[..diagnostic.span.start]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let line = &text[line_start..];
    let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let comment = format!("{indent}# loopls: allow {}{ending}", diagnostic.code);
    let edits = vec![Edit {
        span: Span::empty(line_start),
        text: comment,
    }];
    let tree = syntax::parse(&apply_edits(text, &edits)?).0;
    let same = Table::build(&tree).0.to_json() == analysis.table.to_json();
    same.then(|| Fix {
        title: format!("Allow {} here", diagnostic.code),
        edits,
        certain: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Nowhere;
    use ropey::Rope;

    /// The titles of the fixes at `|`, and the text after the last of them.
    fn fixes(marked: &str) -> (Vec<String>, String) {
        let offset = marked.find('|').expect("a cursor");
        let text = marked.replacen('|', "", 1);
        let analysis = Analysis::new(Rope::from_str(&text));
        let diagnostics = analysis.diagnostics_in(&Nowhere);
        let fixes = quick_fixes(&analysis, &diagnostics, Span::empty(offset));
        let last = fixes
            .last()
            .and_then(|found| apply_edits(&text, &found.fix.edits));
        (
            fixes.into_iter().map(|found| found.fix.title).collect(),
            last.unwrap_or_default(),
        )
    }

    const BEGINNING: &str = "name = \"x\"\nmodel = { provider = \"scripted\", name = \"demo\" }\n";

    #[test]
    fn a_misspelt_key_is_renamed() {
        let (titles, after) = fixes(&format!("{BEGINNING}[limits]\nca|lss = 5\n"));
        assert_eq!(titles, ["Change to `calls`"]);
        assert_eq!(after, format!("{BEGINNING}[limits]\ncalls = 5\n"));
    }

    #[test]
    fn advice_can_be_allowed() {
        let (titles, after) = fixes(&format!("{BEGINNING}[limits]\n  calls = |0\n"));
        assert_eq!(
            titles,
            [
                "Remove `calls`, which says the same",
                "Allow zero_limit here"
            ]
        );
        assert_eq!(
            after,
            format!("{BEGINNING}[limits]\n  # loopls: allow zero_limit\n  calls = 0\n")
        );
    }

    #[test]
    fn an_error_cannot_be_allowed() {
        assert_eq!(
            fixes(&format!("{BEGINNING}[limits]\ncalls = |-5\n")).0,
            ["Remove `calls`"]
        );
    }
}
