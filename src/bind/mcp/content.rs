//! The result of a server's tool as text. Links in it are text, and nothing that they lead to is fetched.

use super::super::Outcome;
use super::super::output::{CALL_BYTES, Output, failure, success};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// What a call came to.
pub fn outcome(result: CallToolResult) -> Outcome {
    let mut parts: Vec<String> = result.content.into_iter().map(text_of).collect();
    if parts.is_empty() {
        parts.extend(result.structured_content.map(|value| value.to_string()));
    }
    let mut output = Output::new(CALL_BYTES);
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            output.push(b"\n");
        }
        output.push(part.as_bytes());
    }
    match result.is_error {
        Some(true) if output.is_empty() => Outcome::error("the server does not say what failed"),
        Some(true) => failure([output], ""),
        _ => success(output),
    }
}

fn text_of(block: ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => not_shown("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => not_shown("audio", &audio.mime_type, &audio.data),
        ContentBlock::ResourceLink(link) => format!("[resource {}: {}]", link.name, link.uri),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents {
                uri,
                mime_type,
                blob,
                ..
            } => {
                let kind = mime_type.unwrap_or_else(|| "unknown type".into());
                not_shown(&format!("resource {uri}"), &kind, &blob)
            }
            #[allow(unreachable_patterns)]
            _ => "[a resource of an unknown kind]".into(),
        },
        #[allow(unreachable_patterns)]
        _ => "[content of an unknown kind]".into(),
    }
}

/// What stands for bytes that are no text; `base64` is how they came.
fn not_shown(what: &str, kind: &str, base64: &str) -> String {
    let padding = base64
        .bytes()
        .rev()
        .take_while(|byte| *byte == b'=')
        .count();
    let bytes = (base64.len() / 4 * 3).saturating_sub(padding);
    format!("[{what}, {kind}, {bytes} bytes]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn said(result: Value) -> (String, bool) {
        let outcome = outcome(serde_json::from_value(result).unwrap());
        (String::from_utf8(outcome.bytes).unwrap(), outcome.is_error)
    }

    #[test]
    fn every_kind_of_content_is_text() {
        let content = json!([
            { "type": "text", "text": "one" },
            { "type": "image", "data": "aGVsbG8=", "mimeType": "image/png" },
            { "type": "audio", "data": "aGVsbG8h", "mimeType": "audio/wav" },
            { "type": "resource_link", "name": "n", "uri": "file:///etc/x" },
            { "type": "resource", "resource": { "uri": "u:1", "text": "two" } },
            { "type": "resource", "resource": { "uri": "u:2", "blob": "aA==", "mimeType": "a/b" } },
        ]);
        assert_eq!(
            said(json!({ "content": content })),
            (
                "one\n[image, image/png, 5 bytes]\n[audio, audio/wav, 6 bytes]\n[resource n: file:///etc/x]\n\
                 two\n[resource u:2, a/b, 1 bytes]"
                    .into(),
                false
            )
        );
    }

    #[test]
    fn a_result_may_be_an_error_empty_or_structured_only() {
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        for (result, expected, is_error) in [
            (
                json!({ "content": text("no"), "isError": true }),
                "error: no",
                true,
            ),
            (
                json!({ "content": [], "isError": true }),
                "error: the server does not say what failed",
                true,
            ),
            (json!({ "content": [] }), "(no output)", false),
            (
                json!({ "content": [], "structuredContent": { "n": 1 } }),
                "{\"n\":1}",
                false,
            ),
            (
                json!({ "content": text("a"), "structuredContent": { "n": 1 } }),
                "a",
                false,
            ),
        ] {
            assert_eq!(said(result), (expected.to_owned(), is_error));
        }
    }
}
