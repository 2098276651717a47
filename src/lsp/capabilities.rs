//! What the server offers a client.

use super::abilities::Abilities;
use super::commands;
use super::features::FIX_ALL_KIND;
use super::features::actions::RUN_KIND;
use super::features::{completion, tokens};
use crate::text::Encoding;
use serde_json::{Value, json};
use tower_lsp::ls_types::*;

/// The version of what loopls adds to the protocol: its commands and `loopls/` notifications.
pub const PROTOCOL: u32 = 1;

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
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(
                completion::TRIGGER_CHARACTERS
                    .iter()
                    .map(|&character| character.into())
                    .collect(),
            ),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(match abilities.prepares_renames {
            false => OneOf::Left(true),
            true => OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }),
        }),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: tokens::legend(),
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        inlay_hint_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![
                CodeActionKind::QUICKFIX,
                FIX_ALL_KIND,
                CodeActionKind::new(RUN_KIND),
            ]),
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
