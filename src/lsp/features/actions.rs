//! `textDocument/codeAction`

use super::fixes;
use crate::ide;
use crate::lsp::asked::Asked;
use crate::lsp::commands;
use crate::lsp::session::Session;
use crate::text::Span;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// The kind of actions that start something. Never `source`, which saving would run.
pub const RUN_KIND: &str = "loopls.run";

/// Something that can be done about a range, before it is known in which form the client takes it.
pub struct Action {
    /// What it does.
    pub title: String,
    /// Its kind.
    pub kind: CodeActionKind,
    /// What it puts right.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it is the one right answer.
    pub is_preferred: bool,
    /// How.
    pub does: Does,
}

/// How an action does what it does.
pub enum Does {
    /// By an edit of the client's.
    Edit(WorkspaceEdit),
    /// By a command of ours.
    Command(Command),
}

/// What can be done about the range.
pub async fn code_action(
    session: &Arc<Session>,
    params: CodeActionParams,
) -> Result<Option<CodeActionResponse>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let span = asked.span(params.range);
    let mut actions = Vec::new();
    if wants(&params.context, CodeActionKind::QUICKFIX.as_str()) {
        actions.extend(fixes::quick_fixes(&asked, span));
    }
    if asks_for(&params.context, fixes::FIX_ALL_KIND.as_str()) {
        actions.extend(asked.beside(fixes::fix_all).await?);
    }
    if asks_for(&params.context, RUN_KIND) {
        actions.extend(runs(&asked, span));
    }
    let actions = actions.into_iter().filter_map(|it| out(it, session));
    Ok(Some(actions.collect()))
}

fn runs(asked: &Asked, span: Span) -> impl Iterator<Item = Action> {
    let acts = ide::acts_at(&asked.analysis, span).into_iter();
    acts.map(|(title, act)| Action {
        does: Does::Command(commands::for_act(title.clone(), &asked.snapshot.uri, &act)),
        title,
        kind: CodeActionKind::new(RUN_KIND),
        diagnostics: Vec::new(),
        is_preferred: false,
    })
}

/// The action for the client; `None` if it takes it in no form.
fn out(action: Action, session: &Session) -> Option<CodeActionOrCommand> {
    let abilities = session.abilities();
    if !abilities.code_action_literals {
        return match action.does {
            Does::Command(command) => Some(command),
            Does::Edit(edit) if abilities.apply_edit => Some(commands::apply(action.title, &edit)),
            Does::Edit(_) => None,
        }
        .map(CodeActionOrCommand::Command);
    }
    let (edit, command) = match action.does {
        Does::Edit(edit) => (Some(edit), None),
        Does::Command(command) => (None, Some(command)),
    };
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: action.title,
        kind: Some(action.kind),
        diagnostics: Some(action.diagnostics).filter(|diagnostics| !diagnostics.is_empty()),
        is_preferred: (action.is_preferred && abilities.preferred_actions).then_some(true),
        edit,
        command,
        ..CodeAction::default()
    }))
}

/// Whether actions of `kind` are asked for.
fn wants(context: &CodeActionContext, kind: &str) -> bool {
    match &context.only {
        Some(kinds) => kinds.iter().any(|wanted| includes(wanted.as_str(), kind)),
        None => true,
    }
}

/// Whether a person asked for actions of `kind`: by kind, or else by hand rather than by moving the cursor.
fn asks_for(context: &CodeActionContext, kind: &str) -> bool {
    wants(context, kind)
        && (context.only.is_some()
            || context.trigger_kind != Some(CodeActionTriggerKind::AUTOMATIC))
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
            assert_eq!(asks_for(&parsed, RUN_KIND), wants, "{context}");
        }
    }
}
