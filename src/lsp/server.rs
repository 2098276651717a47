//! What the client can ask, one line each.

use super::abilities::Abilities;
use super::capabilities::server_capabilities;
use super::features::{
    actions, completion, definition, folding, formatting, hints, hover, lens, links, references,
    rename, symbols, tokens, workspace_symbols,
};
use super::refresh::Wake;
use super::session::Session;
use super::{commands, foreign, publish, refresh, settings, sync, trust, watch};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// The server behind the library's service.
pub struct Server(pub Arc<Session>);

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let abilities = Abilities::of(&params.capabilities);
        let capabilities = server_capabilities(&abilities);
        if let Some(options) = &params.initialization_options {
            self.0.trust.set(trust::Level::from_options(options));
            settings::at_start(&self.0, options);
        }
        if let Some(process) = params.process_id {
            watch_process(&self.0, process);
        }
        let client = params.client_info.as_ref();
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            client = client.map(|client| foreign::one_line(&client.name, 60)),
            encoding = ?abilities.encoding,
            pulls = abilities.pulls_diagnostics,
            "a session begins"
        );
        self.0.introduce(abilities);
        self.0.change_folders(&folders(params), &[]);
        Ok(InitializeResult {
            capabilities,
            server_info: Some(ServerInfo {
                name: "loopls".into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
            ..InitializeResult::default()
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        self.0.log.connect(&self.0.outbox);
        settings::initialized(&self.0);
        watch::initialized(&self.0);
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        sync::did_open(&self.0, params);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        sync::did_change(&self.0, params);
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        sync::did_save(&self.0);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        sync::did_close(&self.0, params);
    }

    async fn did_change_watched_files(&self, _: DidChangeWatchedFilesParams) {
        refresh::look(&self.0, Wake::Always);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        settings::changed(&self.0, &params.settings);
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.0
            .change_folders(&params.event.added, &params.event.removed);
        refresh::look(&self.0, Wake::Always);
    }

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        publish::pull(&self.0, params).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        completion::completion(&self.0, params).await
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        hover::hover(&self.0, params).await
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        definition::definition(&self.0, params).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        references::references(&self.0, params).await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        references::highlights(&self.0, params).await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        rename::prepare(&self.0, params).await
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        rename::rename(&self.0, params).await
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        symbols::of_document(&self.0, params).await
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<WorkspaceSymbolResponse>> {
        workspace_symbols::symbols(&self.0, params).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        folding::folds(&self.0, params).await
    }

    async fn selection_range(
        &self,
        params: SelectionRangeParams,
    ) -> Result<Option<Vec<SelectionRange>>> {
        folding::selections(&self.0, params).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        links::links(&self.0, params).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        tokens::full(&self.0, params).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        tokens::range(&self.0, params).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        hints::hints(&self.0, params).await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        formatting::document(&self.0, params).await
    }

    async fn range_formatting(
        &self,
        params: DocumentRangeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        formatting::range(&self.0, params).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        lens::code_lens(&self.0, params).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        actions::code_action(&self.0, params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        commands::execute(&self.0, params).await
    }
}

impl Server {
    /// `window/workDoneProgress/cancel`: the client's Stop on progress that the server began.
    pub async fn work_done_progress_cancel(&self, params: WorkDoneProgressCancelParams) {
        self.0.runs.cancel_progress(&params.token);
    }

    /// `loopls/didChangeTrust`
    pub async fn did_change_trust(&self, params: Value) {
        self.0.trust.set(trust::Level::from_options(&params));
    }
}

/// The folders that the client works in: `workspaceFolders`, or what older clients send.
fn folders(params: InitializeParams) -> Vec<WorkspaceFolder> {
    #[allow(deprecated)]
    let root = params.root_uri.map(|uri| WorkspaceFolder {
        uri,
        name: String::new(),
    });
    params
        .workspace_folders
        .unwrap_or_else(|| root.into_iter().collect())
}

/// Ends the session when the client's process is gone, which a client that is killed cannot say.
fn watch_process(session: &Arc<Session>, process: u32) {
    let gone = session.gone.clone();
    tokio::spawn(async move {
        while is_alive(process) {
            tokio::select! {
                () = gone.cancelled() => return,
                () = tokio::time::sleep(Duration::from_secs(1)) => {}
            }
        }
        gone.cancel();
    });
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.is_none_or(|process| test_kill_process(process) != Err(Errno::SRCH))
}

/// Where processes cannot be asked, the end of input is what tells.
#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}
