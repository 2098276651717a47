//! Links: the texts and what they open.

use super::of;
use loopls::ide::{LinkTarget, links};

fn linked(text: &str) -> Vec<String> {
    let analysis = of(text);
    let links = links(&analysis).into_iter();
    links
        .map(|link| {
            let shown = link.span.of(&analysis.text).to_owned();
            match link.target {
                LinkTarget::Path(path) => format!("{shown} -> file {path}"),
                LinkTarget::Url(url) => format!("{shown} -> {url}"),
            }
        })
        .collect()
}

#[test]
fn paths_and_addresses_are_links() {
    assert_eq!(
        linked(
            r#"
system_file = "prompts/desk.md"
cwd = "data"
model = { base_url = "https://models.example.com/v1" }
[[tools]]
loop = 'a\b.loop.toml'
[[tools]]
http.url = "http://localhost:8080/orders"
cwd = "data"
[[tools]]
mcp = { url = "HTTPS://tools.example.com/mcp" }
[[modes]]
instructions_file = "a\u0062.md"
[modes.model]
base_url = "https://other.example.com"
[[middlewares]]
file = "calls.jsonl"
"#
        ),
        [
            "prompts/desk.md -> file prompts/desk.md",
            "https://models.example.com/v1 -> https://models.example.com/v1",
            "a\\b.loop.toml -> file a\\b.loop.toml",
            "http://localhost:8080/orders -> http://localhost:8080/orders",
            "HTTPS://tools.example.com/mcp -> HTTPS://tools.example.com/mcp",
            "a\\u0062.md -> file ab.md",
            "https://other.example.com -> https://other.example.com",
            "calls.jsonl -> file calls.jsonl",
        ]
    );
}

#[test]
fn nothing_else_is_a_link() {
    for url in [
        "command:workbench.action.quit",
        "file:///etc/passwd",
        "javascript://x/%0aalert(1)",
        "vscode://x.y/z",
        "https://user:secret@example.com/",
        "https://example.com/{{id}}",
        "https://${HOST}/",
        "https://",
        "https://a b",
        "https://example.com\\@evil.example.com",
    ] {
        let text = format!("[[tools]]\nhttp.url = '{url}'\nreply = 'https://example.com'\n");
        assert_eq!(linked(&text), [""; 0], "{url}");
    }
    assert_eq!(
        linked("system_file = \"\"\nsystem = \"https://example.com\""),
        [""; 0]
    );
}
