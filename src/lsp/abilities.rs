//! What the client can do, read once.

use crate::text::Encoding;
use serde_json::Value;
use tower_lsp::ls_types::ClientCapabilities;

/// What the client said it can do, as far as it makes a difference here. Whatever it did not say it cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// How it counts characters.
    pub encoding: Encoding,
    /// It asks for diagnostics, and can be told to ask again: nothing is pushed to it.
    pub pulls_diagnostics: bool,
    /// Diagnostics may point at other places.
    pub related_information: bool,
    /// Diagnostics may point at the page of their code.
    pub code_description: bool,
    /// Hovers may be Markdown.
    pub markdown_hover: bool,
    /// What is told about completions may be Markdown.
    pub markdown_completion: bool,
    /// Completions may have places to fill in.
    pub snippets: bool,
    /// Code actions may be more than commands.
    pub code_action_literals: bool,
    /// Code actions may say that they are the one right answer.
    pub preferred_actions: bool,
    /// Places of definitions may say what led there.
    pub definition_links: bool,
    /// Outlines may be trees.
    pub hierarchical_symbols: bool,
    /// It asks what can be renamed before it asks to rename it.
    pub prepares_renames: bool,
    /// Edits of files may say of which version they are.
    pub document_changes: bool,
    /// It applies edits for the server.
    pub apply_edit: bool,
    /// It can be told to ask for lenses again.
    pub code_lens_refresh: bool,
    /// It can be told to ask for inlay hints again.
    pub hint_refresh: bool,
    /// It can be asked for its settings.
    pub configuration: bool,
    /// It can be asked to tell when its settings change.
    pub registers_configuration: bool,
    /// It can be asked to watch files.
    pub watches_files: bool,
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
        // The types of the protocol become JSON without fail.
        let client = serde_json::to_value(client).unwrap_or_default();
        let at = |path: &str| client.pointer(path).unwrap_or(&Value::Null);
        let says = |path: &str| *at(path) == true;
        let lists = |path: &str, item: &str| {
            let items = at(path).as_array();
            items.is_some_and(|items| items.iter().any(|it| it == item))
        };
        let run_events = says("/experimental/loopls/runEvents");
        Self {
            encoding: encoding(at("/general/positionEncodings")),
            pulls_diagnostics: at("/textDocument/diagnostic").is_object()
                && says("/workspace/diagnostics/refreshSupport"),
            related_information: says("/textDocument/publishDiagnostics/relatedInformation"),
            code_description: says("/textDocument/publishDiagnostics/codeDescriptionSupport"),
            markdown_hover: lists("/textDocument/hover/contentFormat", "markdown"),
            markdown_completion: lists(
                "/textDocument/completion/completionItem/documentationFormat",
                "markdown",
            ),
            snippets: says("/textDocument/completion/completionItem/snippetSupport"),
            code_action_literals: at("/textDocument/codeAction/codeActionLiteralSupport")
                .is_object(),
            preferred_actions: says("/textDocument/codeAction/isPreferredSupport"),
            definition_links: says("/textDocument/definition/linkSupport"),
            hierarchical_symbols: says(
                "/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport",
            ),
            prepares_renames: says("/textDocument/rename/prepareSupport"),
            document_changes: says("/workspace/workspaceEdit/documentChanges"),
            apply_edit: says("/workspace/applyEdit"),
            code_lens_refresh: says("/workspace/codeLens/refreshSupport"),
            hint_refresh: says("/workspace/inlayHint/refreshSupport"),
            configuration: says("/workspace/configuration"),
            registers_configuration: says("/workspace/didChangeConfiguration/dynamicRegistration"),
            watches_files: says("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            work_done_progress: says("/window/workDoneProgress"),
            show_document: says("/window/showDocument/support"),
            run_events,
            approvals: run_events && says("/experimental/loopls/approvals"),
        }
    }
}

/// The first encoding in the client's order of preference that is known; the protocol's default without one.
fn encoding(offered: &Value) -> Encoding {
    let offered = offered.as_array().into_iter().flatten();
    let mut known = offered.filter_map(|kind| match kind.as_str()? {
        "utf-8" => Some(Encoding::Utf8),
        "utf-16" => Some(Encoding::Utf16),
        "utf-32" => Some(Encoding::Utf32),
        _ => None,
    });
    known.next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
