//! Quick fixes: what puts a diagnostic right, silences it or explains it.

use super::actions::{Action, Does};
use super::asked::Asked;
use super::commands;
use super::edits::{FileEdits, workspace_edit};
use crate::check::Code;
use crate::ide;
use crate::text::{Edit, Span};
use tower_lsp::ls_types::*;

/// Every quick fix for the diagnostics that `span` touches, then the pages of their codes.
pub fn quick_fixes(asked: &Asked, span: Span) -> Vec<Action> {
    let surroundings = asked.surroundings();
    let fixes = ide::quick_fixes(&asked.analysis, &*surroundings, span);
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
    for diagnostic in asked.analysis.diagnostics_in(&*surroundings) {
        let touched = diagnostic.span.start <= span.end && span.start <= diagnostic.span.end;
        if touched && !explained.contains(&diagnostic.code) {
            explained.push(diagnostic.code);
            let title = format!("Explain {}", diagnostic.code);
            actions.push(Action {
                kind: CodeActionKind::QUICKFIX,
                diagnostics: vec![asked.diagnostic(&diagnostic)],
                is_preferred: false,
                does: Does::Command(commands::explain(title.clone(), diagnostic.code)),
                title,
            });
        }
    }
    actions
}

fn edit(asked: &Asked, edits: &[Edit]) -> WorkspaceEdit {
    let file = FileEdits {
        uri: asked.uri.clone(),
        version: Some(asked.snapshot.version),
        edits: edits.iter().map(|edit| asked.edit(edit)).collect(),
    };
    workspace_edit(asked.session, vec![file])
}
