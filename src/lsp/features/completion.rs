//! `textDocument/completion`

use crate::ide::{self, CompletionKind};
use crate::lsp::asked::Asked;
use crate::lsp::markup;
use crate::lsp::session::Session;
use crate::text::{Edit, Span};
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// What a person types where a key, a header, a value, a placeholder, a variable or a path begins.
pub const TRIGGER_CHARACTERS: &[&str] = &["\"", "'", "[", "{", ".", "=", ",", "/", "$"];

/// What can stand at the position.
pub async fn completion(
    session: &Arc<Session>,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>> {
    let at = params.text_document_position;
    let Some(asked) = Asked::about(session, &at.text_document.uri).await? else {
        return Ok(None);
    };
    let offset = asked.offset(at.position);
    let surroundings = asked.surroundings_known().await?;
    let found = ide::completions(&asked.analysis, &*surroundings, offset);
    let items = found.into_iter().enumerate();
    let items = items.map(|(rank, completion)| {
        let completion = up_to(offset, &asked.analysis.text, completion);
        item(&asked, rank, completion)
    });
    // The protocol wants edits on one line; a string of several lines is nobody's name or path.
    let items = items.filter(|item| match &item.text_edit {
        Some(CompletionTextEdit::Edit(edit)) => edit.range.start.line == edit.range.end.line,
        _ => true,
    });
    Ok(Some(CompletionResponse::Array(items.collect())))
}

/// The completion without what stands behind the cursor already, such as a closing quote: Neovim replaces nothing
/// there, whatever the edit says.
fn up_to(offset: usize, text: &str, mut completion: ide::Completion) -> ide::Completion {
    let Some(behind) = text.get(offset..completion.edit.span.end) else {
        return completion;
    };
    let snippet = completion
        .snippet
        .as_deref()
        .map(|it| it.strip_suffix(behind));
    let Some(kept) = completion.edit.text.strip_suffix(behind) else {
        return completion;
    };
    if snippet != Some(None) {
        completion.snippet = snippet.flatten().map(Into::into);
        completion.edit = Edit {
            span: Span::new(completion.edit.span.start, offset),
            text: kept.into(),
        };
    }
    completion
}

fn item(asked: &Asked, rank: usize, completion: ide::Completion) -> CompletionItem {
    let abilities = asked.session.abilities();
    let replaced = completion.edit.span.of(&asked.analysis.text);
    let filter_text = filter_text(replaced, &completion.label);
    let mut edit = asked.edit(&completion.edit);
    let snippet = completion.snippet.filter(|_| abilities.snippets);
    let is_snippet = snippet.is_some();
    if let Some(snippet) = snippet {
        edit.new_text = snippet;
    }
    if asked.analysis.text.contains("\r\n") {
        edit.new_text = edit.new_text.replace('\n', "\r\n");
    }
    let documentation = (!completion.documentation.is_empty()).then(|| {
        Documentation::MarkupContent(markup::content(
            completion.documentation,
            abilities.markdown_completion,
        ))
    });
    CompletionItem {
        kind: Some(kind(completion.kind)),
        detail: (!completion.detail.is_empty()).then_some(completion.detail),
        documentation,
        // Clients sort by the label unless they are told otherwise; the most useful comes first.
        sort_text: Some(format!("{rank:04}")),
        // Also where it is the label: Neovim takes an item that has an edit and no such text for one that was filtered.
        filter_text: Some(filter_text),
        label: completion.label,
        insert_text_format: is_snippet.then_some(InsertTextFormat::SNIPPET),
        text_edit: Some(CompletionTextEdit::Edit(edit)),
        ..CompletionItem::default()
    }
}

/// What the client compares with the text that is replaced: quotes and brackets that stand there already are no reason
/// to leave the item out, and those of the label are none either.
fn filter_text(replaced: &str, label: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let opening = replaced.find(is_word).unwrap_or(replaced.len());
    let word = label.find(is_word).unwrap_or(0);
    format!("{}{}", &replaced[..opening], &label[word..])
}

fn kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Key => CompletionItemKind::PROPERTY,
        CompletionKind::Table => CompletionItemKind::STRUCT,
        CompletionKind::Word => CompletionItemKind::ENUM_MEMBER,
        CompletionKind::Name => CompletionItemKind::REFERENCE,
        CompletionKind::File => CompletionItemKind::FILE,
        CompletionKind::Folder => CompletionItemKind::FOLDER,
        CompletionKind::Variable => CompletionItemKind::VARIABLE,
    }
}

#[cfg(test)]
mod tests {
    use super::filter_text;

    #[test]
    fn quotes_and_brackets_that_stand_there_do_not_hide_an_item() {
        for (replaced, label, expected) in [
            ("", "model", "model"),
            ("mo", "model", "model"),
            ("\"sc", "scripted", "\"scripted"),
            ("\"\"", "scripted", "\"\"scripted"),
            ("[[to", "tools", "[[tools"),
            ("to", "[[tools]]", "tools]]"),
            ("./pro", "./prompt.md", "./prompt.md"),
        ] {
            assert_eq!(filter_text(replaced, label), expected);
        }
    }
}
