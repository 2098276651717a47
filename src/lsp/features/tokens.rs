//! `textDocument/semanticTokens`

use crate::ide::{self, DECLARATION_MODIFIER, TOKEN_KINDS, Token};
use crate::lsp::asked::Asked;
use crate::lsp::packed;
use crate::lsp::session::Session;
use crate::text::PositionCursor;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// The kinds of tokens, in the order in which tokens name them by number.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TOKEN_KINDS
            .iter()
            .map(|&(_, name)| SemanticTokenType::new(name))
            .collect(),
        token_modifiers: vec![SemanticTokenModifier::new(DECLARATION_MODIFIER)],
    }
}

/// All tokens of the document.
pub async fn full(
    session: &Arc<Session>,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let tokens = asked.whole(|asked| encoded(asked, ide::tokens(&asked.analysis)));
    Ok(Some(SemanticTokensResult::Tokens(tokens.await?)))
}

/// The tokens of a part of the document.
pub async fn range(
    session: &Arc<Session>,
    params: SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let tokens = asked.whole(move |asked| {
        let span = asked.span(params.range);
        encoded(asked, ide::tokens_in(&asked.analysis, span))
    });
    Ok(Some(SemanticTokensRangeResult::Tokens(tokens.await?)))
}

/// `tokens`, which are in order of the text, each as its distance from the one before.
fn encoded(asked: &Asked, tokens: Vec<Token>) -> SemanticTokens {
    let encoding = asked.session.abilities().encoding;
    let mut cursor = PositionCursor::new(&asked.analysis.text, encoding);
    let mut before = Position::default();
    let encoded = tokens.into_iter().map(|token| {
        let start = cursor.at(token.span.start);
        let end = cursor.at(token.span.end);
        let delta_line = start.line - before.line;
        let delta_start = match delta_line {
            0 => start.character - before.character,
            _ => start.character,
        };
        before = Position::new(start.line, start.character);
        SemanticToken {
            delta_line,
            delta_start,
            length: end.character - start.character,
            token_type: token.kind as u32,
            token_modifiers_bitset: token.declares.into(),
        }
    });
    packed::pack(&SemanticTokens {
        result_id: None,
        data: encoded.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_its_place_in_the_legend() {
        for (index, (kind, name)) in TOKEN_KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, index, "{name}");
        }
    }
}
