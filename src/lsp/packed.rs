//! Tokens on their way through the library, which makes a tree of JSON values of each result.
//!
//! Five numbers a token in such a tree take 360 bytes; a client asks for thousands of tokens after every key. So they go
//! through the library as one string, which is the JSON of the result, and become the result again on the way out.

use tower_lsp::jsonrpc::Response;
use tower_lsp::ls_types::SemanticTokens;

/// Begins the id of a result that is packed; no id of ours does otherwise.
const MARK: char = '\0';

/// The same tokens as a string where the id stands.
pub fn pack(tokens: &SemanticTokens) -> SemanticTokens {
    // Numbers become JSON without fail.
    let json = serde_json::to_string(tokens).unwrap_or_default();
    SemanticTokens {
        result_id: Some(format!("{MARK}{json}")),
        data: Vec::new(),
    }
}

/// The JSON of the result of `response`, if that is packed.
pub fn unpack(response: &Response) -> Option<&str> {
    let id = response.result()?.get("resultId")?.as_str()?;
    id.strip_prefix(MARK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tower_lsp::jsonrpc::Id;
    use tower_lsp::ls_types::SemanticToken;

    #[test]
    fn what_is_packed_is_the_result_again() {
        let token = SemanticToken {
            delta_line: 1,
            delta_start: 2,
            length: 3,
            token_type: 4,
            token_modifiers_bitset: 5,
        };
        for (data, expected) in [
            (vec![], r#"{"data":[]}"#),
            (vec![token, token], r#"{"data":[1,2,3,4,5,1,2,3,4,5]}"#),
        ] {
            let tokens = SemanticTokens {
                result_id: None,
                data,
            };
            let result = serde_json::to_value(pack(&tokens)).unwrap();
            let response = Response::from_ok(Id::Number(1), result);
            assert_eq!(unpack(&response), Some(expected));
        }
    }

    #[test]
    fn every_other_result_is_none() {
        for result in [json!(null), json!([]), json!({ "resultId": "a" })] {
            let response = Response::from_ok(Id::Number(1), result);
            assert_eq!(unpack(&response), None);
        }
    }
}
