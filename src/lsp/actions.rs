//! `textDocument/codeAction`

use super::session::{Session, analysed};
use super::{commands, convert};
use crate::ide;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// The kind of actions that start something. Never `source`, which saving would run.
pub const RUN_KIND: &str = "loopls.run";

/// What can be done about the range.
pub async fn code_action(
    session: &Session,
    params: CodeActionParams,
) -> Result<Option<CodeActionResponse>> {
    let Some(snapshot) = session.snapshot(&params.text_document.uri) else {
        return Ok(None);
    };
    if !wants_to_run(&params.context) {
        return Ok(Some(Vec::new()));
    }
    let analysis = analysed(&snapshot).await?;
    let abilities = session.abilities();
    let span = convert::span(&analysis.rope, params.range, abilities.encoding);
    let actions = ide::acts_at(&analysis, span)
        .into_iter()
        .map(|(title, act)| {
            let command = commands::for_act(title.clone(), &snapshot.uri, &act);
            if abilities.code_action_literals {
                CodeActionOrCommand::CodeAction(CodeAction {
                    title,
                    kind: Some(CodeActionKind::new(RUN_KIND)),
                    command: Some(command),
                    ..CodeAction::default()
                })
            } else {
                CodeActionOrCommand::Command(command)
            }
        });
    Ok(Some(actions.collect()))
}

/// Whether a person asked: by kind, or else by hand rather than by moving the cursor.
fn wants_to_run(context: &CodeActionContext) -> bool {
    match &context.only {
        Some(kinds) => kinds.iter().any(|kind| includes(kind.as_str(), RUN_KIND)),
        None => context.trigger_kind != Some(CodeActionTriggerKind::AUTOMATIC),
    }
}

/// Whether `kind` is `of` or a parent of it; kinds are paths with dots, and the empty one is everybody's parent.
fn includes(kind: &str, of: &str) -> bool {
    of.strip_prefix(kind)
        .is_some_and(|rest| kind.is_empty() || rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn runs_are_offered_to_who_asks_for_them() {
        for (context, wants) in [
            (json!({ "diagnostics": [] }), true),
            (json!({ "diagnostics": [], "triggerKind": 1 }), true),
            (json!({ "diagnostics": [], "triggerKind": 2 }), false),
            (
                json!({ "diagnostics": [], "only": ["loopls.run"], "triggerKind": 2 }),
                true,
            ),
            (json!({ "diagnostics": [], "only": ["loopls"] }), true),
            (json!({ "diagnostics": [], "only": [""] }), true),
            (
                json!({ "diagnostics": [], "only": ["source", "quickfix"] }),
                false,
            ),
            (
                json!({ "diagnostics": [], "only": ["loopls.runner"] }),
                false,
            ),
            (json!({ "diagnostics": [], "only": ["loop"] }), false),
        ] {
            let parsed = serde_json::from_value(context.clone()).unwrap();
            assert_eq!(wants_to_run(&parsed), wants, "{context}");
        }
    }
}
