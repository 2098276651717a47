//! A person writes a definition from nothing: what can be completed is taken from completion, the rest is typed, and the
//! server sees every text in between.

use crate::support::{Client, edit, file_uri, folder, position_params};
use loopls::check::{Analysis, Severity};
use loopls::host::Host;
use loopls::ide::{self, TokenKind};
use loopls::text::{Edit, Encoding, Position, Span, apply_edits, offset_at, position_at, range_of};
use ropey::Rope;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The order desk of the examples, with less to say.
const DESK: &str = r#"# The desk of a small shop.
name = "order-desk"
description = "Answers questions about orders 📦."
system = """
You are the desk of a shop. \
Give dates."""
initial_mode = "refund"

[model]
provider = "scripted"
name = "desk"

[[model.script]]
text = "Done."

[limits]
iterations = 6
calls = 12

[[tools]]
name = "find_order"
description = "Finds one order."
command = ["sh", "tools/order.sh", "{{id}}"]
effect = "read" # no question
timeout = "5s"

[tools.input]
properties.id = { type = "integer", description = "Its number." }
required = ["id"]

[[tools]]
name = "refund_rules"
description = "The rules for refunds."
reply = "Late parcels are free."
effect = "read"

[[modes]]
name = "refund"
tools = ["find_order", "refund_rules"]
limits = { calls = 8 }

[[tests]]
name = "finds an order"
mode = "refund"
prompt = "Where is order 7?"
script = [{ calls = [{ tool = "find_order", input = { id = 7 } }] }, { text = "Here." }]

[tests.expect]
answer = "Here."
"#;

/// A folder with what the definition names, and no definition yet.
fn desk() -> (tempfile::TempDir, PathBuf) {
    let script = "echo shipped\n";
    let (folder, root) = folder(&[("tools/order.sh", script), ("loopls.toml", "")]);
    (folder, root.join("order-desk.loop.toml"))
}

/// What a fresh look at `text` finds, as the protocol has it.
fn found_afresh(text: &str, path: &Path) -> Vec<Value> {
    let analysis = Analysis::new(Rope::from_str(text));
    let found = analysis.diagnostics_in(&Host::new(path));
    let place = |span| {
        let range = range_of(&analysis.rope, span, Encoding::Utf16);
        let [start, end] = [range.start, range.end]
            .map(|at| json!({ "line": at.line, "character": at.character }));
        json!({ "start": start, "end": end })
    };
    let found = found.iter().map(|it| {
        let severity = match it.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Information => 3,
            Severity::Hint => 4,
        };
        json!({
            "range": place(it.span),
            "severity": severity,
            "code": it.code.as_str(),
            "source": "loopls",
            "message": it.message,
        })
    });
    found.collect()
}

/// Somebody who writes `target`.
struct Writer {
    client: Client,
    uri: String,
    path: PathBuf,
    target: &'static str,
    text: String,
    version: i32,
    /// For each byte of the text, whether it came from completion.
    completed: Vec<bool>,
}

impl Writer {
    /// Takes the item of completion that leads furthest to the target, and takes away again what it brings beyond.
    async fn complete(&mut self) -> bool {
        let end = self.position(self.text.len());
        let params = position_params(&self.uri, end.line, end.character);
        let items = self.client.call("textDocument/completion", params).await;
        let items = items.as_array().unwrap().iter();
        let leading = items.filter_map(|item| {
            let edit = self.edit_of(item)?;
            let after = apply_edits(&self.text, std::slice::from_ref(&edit))?;
            Some((in_common(&after, self.target)?, edit))
        });
        let Some((reached, edit)) = leading.max_by_key(|(reached, _)| *reached) else {
            return false;
        };
        if reached <= self.text.len() {
            return false;
        }
        self.replace(edit.span, &edit.text).await;
        self.completed.resize(reached, true);
        if self.text.len() > reached {
            self.look().await;
            self.replace(Span::new(reached, self.text.len()), "").await;
        }
        true
    }

    /// Asks, as editors do by themselves, about the text as it is: something else for each version.
    async fn ask_something(&mut self) {
        const ASKED: [&str; 7] = [
            "documentSymbol",
            "semanticTokens/full",
            "foldingRange",
            "codeLens",
            "documentLink",
            "hover",
            "documentHighlight",
        ];
        let asked = ASKED[self.version.unsigned_abs() as usize % ASKED.len()];
        let at = self.position(self.text.len());
        let params = position_params(&self.uri, at.line, at.character);
        let method = format!("textDocument/{asked}");
        self.client.call(&method, params).await;
    }

    /// The edit of an item that an editor still shows for what is typed.
    fn edit_of(&self, item: &Value) -> Option<Edit> {
        let rope = Rope::from_str(&self.text);
        let offset = |at: &Value| {
            let number = |key: &str| at[key].as_u64().unwrap() as u32;
            let (line, character) = (number("line"), number("character"));
            offset_at(&rope, Position { line, character }, Encoding::Utf16)
        };
        let edit = &item["textEdit"];
        let span = Span::new(
            offset(&edit["range"]["start"]),
            offset(&edit["range"]["end"]),
        );
        let shown_for = item["filterText"].as_str()?;
        shown_for.starts_with(span.of(&self.text)).then(|| Edit {
            span,
            text: edit["newText"].as_str().unwrap().to_owned(),
        })
    }

    /// Types the next character.
    async fn type_one(&mut self) {
        let end = self.text.len();
        let next = self.target[end..].chars().next().unwrap().to_string();
        self.replace(Span::empty(end), &next).await;
        self.completed.resize(self.text.len(), false);
    }

    async fn replace(&mut self, span: Span, new: &str) {
        let [start, end] = [span.start, span.end].map(|offset| {
            let at = self.position(offset);
            (at.line, at.character)
        });
        self.version += 1;
        let change = json!([edit(start, end, new)]);
        self.client.change(&self.uri, self.version, change).await;
        self.text.replace_range(span.start..span.end, new);
    }

    /// What is told of the text as it is now: exactly what a fresh look at it finds.
    async fn look(&mut self) -> Vec<Value> {
        let found = self.client.diagnostics(&self.uri, self.version).await;
        assert_eq!(found, found_afresh(&self.text, &self.path), "{}", self.text);
        found
    }

    fn position(&self, offset: usize) -> Position {
        position_at(&Rope::from_str(&self.text), offset, Encoding::Utf16)
    }

    async fn leave(mut self) {
        self.client.close(&self.uri).await;
        self.client.cleared(&self.uri).await;
        self.client.finish().await;
    }
}

/// How far `text` goes with `target`, if that is not the middle of a word.
fn in_common(text: &str, target: &str) -> Option<usize> {
    let same = text.chars().zip(target.chars()).take_while(|(a, b)| a == b);
    let length = same.map(|(it, _)| it.len_utf8()).sum();
    let is_within_word = |text: &str| {
        let is_word = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
        is_word(text[..length].chars().next_back()) && is_word(text[length..].chars().next())
    };
    (!is_within_word(text) && !is_within_word(target)).then_some(length)
}

/// Starts with nothing in the editor.
async fn begin(path: &Path, target: &'static str) -> Writer {
    let uri = file_uri(path);
    let capabilities = json!({ "general": { "positionEncodings": ["utf-16"] } });
    let mut client = Client::start(capabilities).await;
    client.open(&uri, 0, "").await;
    Writer {
        client,
        uri,
        path: path.to_owned(),
        target,
        text: String::new(),
        version: 0,
        completed: Vec::new(),
    }
}

#[tokio::test]
async fn a_definition_is_written_with_completion_and_every_text_on_the_way_is_told_of_as_it_is() {
    let (_folder, path) = desk();
    let mut writer = begin(&path, DESK).await;
    while writer.text != writer.target {
        writer.look().await;
        writer.ask_something().await;
        if !writer.complete().await {
            writer.type_one().await;
        }
    }
    assert_eq!(writer.look().await, [] as [Value; 0]);
    let by_hand = typed_words(&writer);
    let expected = [
        // Declared further down.
        "7: \"refund\"",
        "23: {{id}}",
        // Offered as the header of a table.
        "40: limits",
        "46: script",
        // A call of a script may have any input.
        "46: id",
    ];
    assert_eq!(by_hand, expected.map(str::to_owned).into());
    writer.leave().await;
}

#[tokio::test]
async fn what_is_told_of_a_text_while_somebody_types_fast_is_true_of_that_text() {
    let (_folder, path) = desk();
    let mut writer = begin(&path, DESK).await;
    let mut texts = vec![String::new()];
    while writer.text != writer.target {
        writer.type_one().await;
        texts.push(writer.text.clone());
    }
    let mut told = 0;
    while told < texts.len() - 1 {
        let published = writer
            .client
            .notification("textDocument/publishDiagnostics")
            .await;
        let version = published["version"].as_u64().unwrap() as usize;
        assert!(version >= told, "{version} after {told}");
        let found = found_afresh(&texts[version], &path);
        assert_eq!(published["diagnostics"], json!(found), "{}", texts[version]);
        told = version;
    }
    assert_eq!(found_afresh(&texts[told], &path), [] as [Value; 0]);
    writer.leave().await;
}

/// The keys, names and words of the format that were typed in whole or in part.
fn typed_words(writer: &Writer) -> BTreeSet<String> {
    use TokenKind::{Class, EnumMember, Function, Keyword, Namespace, Parameter, Property, Type};
    let analysis = Analysis::new(Rope::from_str(&writer.text));
    let words = ide::tokens(&analysis).into_iter().filter(|token| {
        let kinds = [
            Class, EnumMember, Function, Keyword, Namespace, Parameter, Property, Type,
        ];
        kinds.contains(&token.kind) && !token.declares
    });
    let typed = words.filter(|word| {
        let completed = &writer.completed[word.span.start..word.span.end];
        completed.contains(&false)
    });
    let lines = typed.map(|word| {
        let at = analysis.rope.byte_to_line(word.span.start) + 1;
        format!("{at}: {}", word.span.of(&writer.text))
    });
    lines.collect()
}
