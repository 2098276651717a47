//! Quick fixes: what puts a diagnostic right, silences it or explains it.

use super::actions::{Action, Does};
use crate::check::{self, Code};
use crate::ide;
use crate::lsp::asked::Asked;
use crate::lsp::commands;
use crate::lsp::edits::{FileEdits, workspace_edit};
use crate::text::{Edit, Span, difference};
use tower_lsp::ls_types::*;

/// The kind of the action that fixes all, for editors that do so when they save.
pub const FIX_ALL_KIND: CodeActionKind = CodeActionKind::new("source.fixAll.loopls");

/// Every quick fix for the diagnostics that `span` touches, then the pages of their codes.
pub fn quick_fixes(asked: &Asked, span: Span) -> Vec<Action> {
    let found = asked.diagnostics();
    let fixes = ide::quick_fixes(&asked.analysis, &found, span);
    let mut actions: Vec<Action> = fixes
        .into_iter()
        .map(|found| Action {
            title: found.fix.title,
            kind: CodeActionKind::QUICKFIX,
            diagnostics: vec![asked.diagnostic(&found.diagnostic)],
            is_preferred: found.fix.certain,
            does: Does::Edit(edit(asked, &found.fix.edits)),
        })
        .collect();
    let mut explained: Vec<Code> = Vec::new();
    for diagnostic in found.iter().filter(|it| it.span.meets(span)) {
        if !explained.contains(&diagnostic.code) {
            explained.push(diagnostic.code);
            let title = format!("Explain {}", diagnostic.code);
            actions.push(Action {
                kind: CodeActionKind::QUICKFIX,
                diagnostics: vec![asked.diagnostic(diagnostic)],
                is_preferred: false,
                does: Does::Command(commands::explain(title.clone(), diagnostic.code)),
                title,
            });
        }
    }
    actions
}

/// Every fix with one right answer, over the whole document; `None` where there is none.
pub fn fix_all(asked: &Asked) -> Option<Action> {
    let text = &asked.analysis.text;
    let levels = asked.session.levels(&asked.snapshot.uri);
    let fixed = check::fix_all(text, &*asked.surroundings(), &levels);
    let edits = difference(text, &fixed.text);
    (!edits.is_empty()).then(|| Action {
        title: "Fix everything that has one right answer".into(),
        kind: FIX_ALL_KIND,
        diagnostics: Vec::new(),
        is_preferred: false,
        does: Does::Edit(edit(asked, &edits)),
    })
}

fn edit(asked: &Asked, edits: &[Edit]) -> WorkspaceEdit {
    let file = FileEdits {
        uri: asked.uri.clone(),
        version: Some(asked.snapshot.version),
        edits: edits.iter().map(|edit| asked.edit(edit)).collect(),
    };
    workspace_edit(&asked.session, vec![file])
}
