//! What the client can do, read once, and what the server offers it.

use super::actions::RUN_KIND;
use super::commands;
use crate::text::Encoding;
use serde_json::{Value, json};
use tower_lsp::ls_types::*;

/// The version of what loopls adds to the protocol: its commands and `loopls/` notifications.
pub const PROTOCOL: u32 = 1;

/// What the client said it can do, as far as it makes a difference here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// How it counts characters.
    pub encoding: Encoding,
    /// It asks for diagnostics, and can be told to ask again: nothing is pushed to it.
    pub pulls_diagnostics: bool,
    /// Diagnostics may point at other places.
    pub related_information: bool,
    /// Hovers may be Markdown.
    pub markdown_hover: bool,
    /// Code actions may be more than commands.
    pub code_action_literals: bool,
    /// It can be told to ask for lenses again.
    pub code_lens_refresh: bool,
    /// It shows progress that the server begins.
    pub work_done_progress: bool,
    /// It opens documents for the server.
    pub show_document: bool,
    /// It draws runs from `loopls/runEvent`.
    pub run_events: bool,
    /// It asks about calls itself and answers with `loopls.decide`; takes `run_events` too.
    pub approvals: bool,
}

impl Abilities {
    /// Reads what a client declares.
    pub fn of(client: &ClientCapabilities) -> Self {
        let document = client.text_document.as_ref();
        let workspace = client.workspace.as_ref();
        let window = client.window.as_ref();
        let ours = |name: &str| {
            let experimental = client.experimental.as_ref();
            experimental.is_some_and(|experimental| experimental["loopls"][name] == true)
        };
        let refreshes_diagnostics = workspace
            .and_then(|workspace| workspace.diagnostics.as_ref())
            .and_then(|diagnostics| diagnostics.refresh_support)
            .unwrap_or(false);
        let run_events = ours("runEvents");
        Self {
            encoding: encoding(client),
            pulls_diagnostics: refreshes_diagnostics
                && document.is_some_and(|document| document.diagnostic.is_some()),
            related_information: document
                .and_then(|document| document.publish_diagnostics.as_ref())
                .and_then(|publish| publish.related_information)
                .unwrap_or(false),
            markdown_hover: document
                .and_then(|document| document.hover.as_ref())
                .and_then(|hover| hover.content_format.as_ref())
                .is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            code_action_literals: document
                .and_then(|document| document.code_action.as_ref())
                .is_some_and(|actions| actions.code_action_literal_support.is_some()),
            code_lens_refresh: workspace
                .and_then(|workspace| workspace.code_lens.as_ref())
                .and_then(|lens| lens.refresh_support)
                .unwrap_or(false),
            work_done_progress: window
                .and_then(|window| window.work_done_progress)
                .unwrap_or(false),
            show_document: window
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|show| show.support),
            run_events,
            approvals: run_events && ours("approvals"),
        }
    }
}

/// The first encoding in the client's order of preference that is known; the protocol's default without one.
fn encoding(client: &ClientCapabilities) -> Encoding {
    let offered = client
        .general
        .as_ref()
        .and_then(|general| general.position_encodings.as_ref());
    offered
        .into_iter()
        .flatten()
        .find_map(|kind| match kind.as_str() {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        })
        .unwrap_or_default()
}

fn encoding_kind(encoding: Encoding) -> PositionEncodingKind {
    match encoding {
        Encoding::Utf8 => PositionEncodingKind::UTF8,
        Encoding::Utf16 => PositionEncodingKind::UTF16,
        Encoding::Utf32 => PositionEncodingKind::UTF32,
    }
}

/// What the server offers to a client of these abilities.
pub fn server_capabilities(abilities: &Abilities) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let diagnostics = DiagnosticOptions {
        identifier: Some("loopls".into()),
        inter_file_dependencies: true,
        workspace_diagnostics: false,
        ..DiagnosticOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(encoding_kind(abilities.encoding)),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        diagnostic_provider: abilities
            .pulls_diagnostics
            .then_some(DiagnosticServerCapabilities::Options(diagnostics)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::new(RUN_KIND)]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::ALL.iter().map(|&name| name.into()).collect(),
            work_done_progress_options: WorkDoneProgressOptions {
                work_done_progress: Some(true),
            },
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        experimental: Some(experimental()),
        ..ServerCapabilities::default()
    }
}

fn experimental() -> Value {
    json!({ "loopls": { "protocol": PROTOCOL } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abilities(capabilities: Value) -> Abilities {
        Abilities::of(&serde_json::from_value(capabilities).unwrap())
    }

    #[test]
    fn the_encoding_is_the_clients_first_that_is_known() {
        for (offered, expected) in [
            (json!(["utf-8", "utf-16"]), Encoding::Utf8),
            (json!(["utf-16", "utf-8"]), Encoding::Utf16),
            (json!(["utf-7", "utf-32"]), Encoding::Utf32),
            (json!([]), Encoding::Utf16),
            (json!(null), Encoding::Utf16),
        ] {
            let capabilities = json!({ "general": { "positionEncodings": offered } });
            assert_eq!(abilities(capabilities).encoding, expected, "{offered}");
        }
    }

    #[test]
    fn a_client_that_cannot_be_told_to_ask_again_is_pushed_to() {
        for (capabilities, pulls) in [
            (json!({}), false),
            (json!({ "textDocument": { "diagnostic": {} } }), false),
            (
                json!({ "workspace": { "diagnostics": { "refreshSupport": true } } }),
                false,
            ),
            (
                json!({
                    "textDocument": { "diagnostic": {} },
                    "workspace": { "diagnostics": { "refreshSupport": true } },
                }),
                true,
            ),
        ] {
            assert_eq!(
                abilities(capabilities.clone()).pulls_diagnostics,
                pulls,
                "{capabilities}"
            );
        }
    }

    #[test]
    fn approvals_take_run_events() {
        for (loopls, approvals) in [
            (json!({ "runEvents": true, "approvals": true }), true),
            (json!({ "approvals": true }), false),
            (json!({ "runEvents": 1, "approvals": "yes" }), false),
            (json!(null), false),
        ] {
            let capabilities = json!({ "experimental": { "loopls": loopls } });
            assert_eq!(abilities(capabilities).approvals, approvals, "{loopls}");
        }
    }
}
