//! Hovers: what they are about, and what they say.

use super::{at, desk_at};
use crate::world::World;
use loopls::check::Analysis;
use loopls::definition::Nowhere;
use loopls::ide::hover;

fn told(analysis: &Analysis, offset: usize) -> (String, String) {
    let hover = hover(analysis, &World, offset).expect("a hover");
    assert!(hover.span.touches(offset), "{hover:?}");
    (hover.span.of(&analysis.text).to_owned(), hover.markdown)
}

#[test]
fn a_hover_is_about_the_word_under_the_cursor_and_says_what_it_is() {
    for (context, about, says) in [
        (
            "initial_mode = \"look|up\"",
            "\"lookup\"",
            &[
                "**Mode `lookup`** — a run starts here",
                "| calls | 100 | default |",
                "Tools: `find_order`",
                "Model: `scripted/demo`",
            ][..],
        ),
        ("mode = \"re|fund\"", "\"refund\"", &["**Mode `refund`**"]),
        (
            "tools = [\"find|_order\"]",
            "\"find_order\"",
            &[
                "**Tool `find_order`**",
                "Runs `grep {{id}} -n {{ count }}`",
                "effect: `read`",
                "- `id` (integer, required): Order number\\.",
                "In the base, `lookup`, `refund`",
            ],
        ),
        (
            "{ tool = \"find_|order\"",
            "\"find_order\"",
            &["**Tool `find_order`**"],
        ),
        (
            "ask = [\"can|cel\"]",
            "\"cancel\"",
            &[
                "`cancel`, as the model sees it, of:",
                "**Tool `orders`**",
                "The model sees: `cancel`, `drop`",
            ],
        ),
        (
            "\"find|_*\"",
            "\"find_*\"",
            &["The pattern `find_*` matches `find_order`"],
        ),
        (
            "'{{i|d}}'",
            "{{id}}",
            &[
                "`id` (integer, required): Order number\\.",
                "A property of the input of `find_order`",
            ],
        ),
        (
            "input = { i|d = 7",
            "id",
            &["`id` (integer)", "A property of the input of `orders`"],
        ),
        (
            "[\"refund-|desk\"]",
            "\"refund-desk\"",
            &[
                "**Loop `refund-desk`**",
                "Defined in `/project/refunds.loop.toml`",
            ],
        ),
        (
            "provider = \"scr|ipted\"",
            "\"scripted\"",
            &[
                "`scripted`: embedded",
                "**Model `scripted/demo`**",
                "part of loopls",
            ],
        ),
        (
            "[mod|el]",
            "[model]",
            &[
                "**Model `scripted/demo`**",
                "**`model`** — a table · required",
            ],
        ),
        (
            "eff|ect = \"read\"",
            "effect",
            &[
                "**`effect`** — a string",
                "default: `\"write\"`",
                "- `irreversible`:",
            ],
        ),
        (
            "requ|ired = [",
            "required",
            &[
                "**`required`** — JSON Schema",
                "The properties that must be there",
            ],
        ),
        (
            "ty|pe = \"integer\", desc",
            "type",
            &["**`type`** — JSON Schema"],
        ),
    ] {
        let (analysis, offset) = desk_at(context);
        let (span, markdown) = told(&analysis, offset);
        assert_eq!(span, about, "{context}");
        for part in says {
            assert!(
                markdown.contains(part),
                "{context}: `{part}` is not in\n{markdown}"
            );
        }
    }
}

#[test]
fn values_say_what_they_come_to() {
    for (text, about, says) in [
        (
            "drain_timeout = \"1m|30s\"",
            "\"1m30s\"",
            "`1m30s` = 90000 ms",
        ),
        (
            "[[tools]]\neffects = { a = \"re|ad\" }",
            "\"read\"",
            "`read`: ",
        ),
        (
            "[[tools]]\nstdin = \"a {{no|pe}} b\"",
            "{{nope}}",
            "The tool's `input` has no property `nope`",
        ),
        (
            "[[tools]]\nenv = { A = \"x ${DESK_TOK|EN}\" }",
            "${DESK_TOKEN}",
            "environment variable `DESK_TOKEN`, **not set** here",
        ),
        (
            "model = { provider = \"anthropic\", api_key_env = \"ABS|ENT\" }",
            "\"ABSENT\"",
            "environment variable `ABSENT`, **not set** here",
        ),
        (
            "secrets = [\"ABS|ENT\"]",
            "\"ABSENT\"",
            "environment variable `ABSENT`, **not set** here",
        ),
        (
            "model = { provider = \"anthropic\", name = \"m|\" }",
            "\"m\"",
            "- served at `https://api.anthropic.com`\n- key: environment variable `ANTHROPIC_API_KEY`",
        ),
        (
            "model = { provider = \"openai|\", base_url = \"https://x.example.com\" }",
            "\"openai\"",
            "- no key is sent: with a `base_url` the usual `OPENAI_API_KEY` is not used",
        ),
        (
            "model = { provider = \"gemini|\", effort = \"max\" }",
            "\"gemini\"",
            "- `max` goes out as `high`",
        ),
        (
            "x = 1 # loopls: allow zero_l|imit",
            "zero_limit",
            "**`zero_limit`** — warning",
        ),
        (
            "x = 1 # loopls: allow unknown_k|ey",
            "unknown_key",
            "no comment silences an error",
        ),
        (
            "x = 1 # loopls: allow nope|",
            "nope",
            "There is no code `nope`",
        ),
        (
            "[limits]\ncalls = |7\n",
            "7",
            "| calls | 7 | base, line 2 |",
        ),
    ] {
        let (analysis, offset) = at(text);
        let (span, markdown) = told(&analysis, offset);
        assert_eq!(span, about, "{text}");
        assert!(
            markdown.contains(says),
            "{text}: `{says}` is not in\n{markdown}"
        );
    }
}

#[test]
fn where_no_machine_is_known_nothing_is_said_of_it() {
    let (analysis, offset) = at("secrets = [\"TOK|EN\"]");
    let hover = hover(&analysis, &Nowhere, offset).expect("a hover");
    assert!(
        hover.markdown.contains("environment variable `TOKEN`\n"),
        "{}",
        hover.markdown
    );
}

#[test]
fn half_typed_lines_have_hovers() {
    for (text, says) in [
        ("[lim|its", "**`limits`**"),
        ("[limits]\nca|lls", "**`calls`**"),
        ("[limits]\ncalls =|", "**`calls`**"),
        ("[[modes]]\nname = \"a|\"\ntools = [\"b\"", "**Mode `a`**"),
        (
            "[[modes]]\nname = \"a|\"\nlimits = { calls = ",
            "**Mode `a`**",
        ),
    ] {
        let (analysis, offset) = at(text);
        assert!(told(&analysis, offset).1.contains(says), "{text}");
    }
    for text in ["|", "# no|thing", "x = 1\n\n|\n", "name = \"x\" | "] {
        let (analysis, offset) = at(text);
        assert_eq!(hover(&analysis, &World, offset), None, "{text}");
    }
}

/// Names as somebody would choose them who wants a hover to be more than text.
const HOSTILE: &[&str] = &[
    "`x` ``y`` ```z```",
    "a|b||c",
    "](command:workbench.action.quit)",
    "[go](command:x)",
    "![x](https://evil.example.com/x.png)",
    "<img src=x onerror=alert(1)>",
    "https://evil.example.com",
    "www.evil.example.com",
    "a\n\n# head\n\n- item\n\n```\ncode\n```\n",
    "&lt;b&gt;",
    "~~~\n<script>",
    "\u{202e}gnp.exe",
    "***bold*** __x__ ~~y~~",
    "1. x\n===\n---\n> q",
    "$x$ $$y$$ @user :smile:",
    "`",
    " ` ",
    "\\`",
];

#[test]
fn foreign_text_is_never_markup() {
    for name in HOSTILE {
        let quoted = serde_json::to_string(name).expect("a string");
        let text = format!(
            r#"
initial_mode = {quoted}
delegates = [{quoted}]
access = {{ allow = [{quoted}, "*"] }}
[model]
provider = {quoted}
name = {quoted}
base_url = {quoted}
api_key_env = {quoted}
[[tools]]
name = {quoted}
description = {quoted}
command = [{quoted}, {quoted}]
[tools.input.properties]
x = {{ type = {quoted}, description = {quoted}, default = {quoted} }}
{quoted} = {{ description = {quoted} }}
[[tools]]
name = "b"
produces = [{quoted}]
http = {{ url = {quoted}, method = {quoted} }}
[[tools]]
loop = {quoted}
[[modes]]
name = {quoted}
description = {quoted}
tools = [{quoted}]
"#
        );
        let analysis = super::of(&text);
        let mut hovers = 0;
        for offset in (0..text.len()).filter(|offset| text.is_char_boundary(*offset)) {
            if let Some(hover) = hover(&analysis, &World, offset) {
                hovers += 1;
                assert_plain(&hover.markdown, name);
            }
        }
        assert!(hovers > 100);
    }
}

/// Fails if Markdown holds a link, an image, HTML, or a character that is not seen, outside of code.
fn assert_plain(markdown: &str, name: &str) {
    let told = |what: &str| format!("{what} by {name:?} in\n{markdown}");
    assert!(
        !markdown.contains('\u{202e}'),
        "{}",
        told("a hidden character")
    );
    let prose = without_code(markdown);
    let mut escaped = false;
    for (at, character) in prose.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match character {
            '\\' => escaped = true,
            '[' | ']' | '(' | '<' | '!' | '&' | '~' | '#' | '$' | '@'
                // What we write ourselves stands in brackets behind a name and a space.
                if !(character == '(' && prose[..at].ends_with(' ')) =>
            {
                panic!("{}", told(&format!("`{character}` as markup")));
            }
            ':' => assert!(!prose[at..].starts_with("://"), "{}", told("a link")),
            '.' => assert!(!prose[..at].ends_with("www"), "{}", told("a link")),
            _ => {}
        }
    }
}

/// Markdown with its code replaced by `C`, as CommonMark finds it: a run of backticks up to the next of its length.
fn without_code(markdown: &str) -> String {
    let mut prose = String::new();
    let mut rest = markdown;
    while let Some(start) = rest.find(['`', '\\']) {
        prose.push_str(&rest[..start]);
        rest = &rest[start..];
        if rest.starts_with('\\') {
            let escaped = rest.chars().take(2).map(char::len_utf8).sum();
            prose.push_str(&rest[..escaped]);
            rest = &rest[escaped..];
            continue;
        }
        let inner = rest.trim_start_matches('`');
        let fence = rest.len() - inner.len();
        let mut from = 0;
        let end = loop {
            let Some(at) = inner[from..].find('`').map(|at| from + at) else {
                panic!("code does not end in\n{markdown}");
            };
            let run = inner[at..].len() - inner[at..].trim_start_matches('`').len();
            if run == fence {
                break at + run;
            }
            from = at + run;
        };
        prose.push('C');
        rest = &inner[end..];
    }
    prose + rest
}
