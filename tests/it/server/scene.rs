//! A document with a cursor, in every way in which a client can open it.

use crate::support::{Client, position_params};
use loopls::text::{Edit, Encoding, Position, Span, apply_edits, offset_at, position_at};
use ropey::Rope;
use serde_json::{Value, json};

/// A way in which a client opens a document and counts in it.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    encoding: &'static str,
    line_break: &'static str,
    pulls: bool,
    uri: &'static str,
}

impl Way {
    /// The commonest.
    pub const PLAIN: Self = Self {
        encoding: "utf-16",
        line_break: "\n",
        pulls: false,
        uri: "untitled:order-desk",
    };

    /// All of them.
    pub fn all() -> Vec<Self> {
        let mut ways = Vec::new();
        for encoding in ["utf-8", "utf-16", "utf-32"] {
            for line_break in ["\n", "\r\n"] {
                for pulls in [false, true] {
                    for uri in ["untitled:order-desk", "file:///nowhere/desk.loop.toml"] {
                        ways.push(Self {
                            encoding,
                            line_break,
                            pulls,
                            uri,
                        });
                    }
                }
            }
        }
        ways
    }
}

/// An open document.
pub struct Scene {
    pub client: Client,
    pub uri: &'static str,
    /// Its text.
    pub text: String,
    /// Where the cursor is, in bytes.
    pub cursor: usize,
    /// What was found in it.
    pub diagnostics: Vec<Value>,
    encoding: Encoding,
    pulls: bool,
}

/// Plays `scene` with a client of these capabilities in every way; `marked` has its cursor at `‸`, or none.
pub async fn in_every_way(capabilities: Value, marked: &str, scene: impl AsyncFn(&mut Scene)) {
    for way in Way::all() {
        play(way, capabilities.clone(), marked, &scene).await;
    }
}

/// Plays `scene` in one way.
pub async fn play(way: Way, capabilities: Value, marked: &str, scene: impl AsyncFn(&mut Scene)) {
    let mut stage = Scene::open(way, capabilities, marked).await;
    scene(&mut stage).await;
    stage.close().await;
}

impl Scene {
    async fn open(way: Way, mut capabilities: Value, marked: &str) -> Self {
        merge(
            &mut capabilities,
            json!({ "general": { "positionEncodings": [way.encoding] } }),
        );
        if way.pulls {
            merge(
                &mut capabilities,
                json!({
                    "textDocument": { "diagnostic": {} },
                    "workspace": { "diagnostics": { "refreshSupport": true } },
                }),
            );
        }
        let marked = marked.replace('\n', way.line_break);
        let text = marked.replacen('\u{2038}', "", 1);
        let mut client = Client::start(capabilities).await;
        client.open(way.uri, 1, &text).await;
        let diagnostics = match way.pulls {
            false => client.diagnostics(way.uri, 1).await,
            true => {
                let params = json!({ "textDocument": { "uri": way.uri } });
                let mut report = client.call("textDocument/diagnostic", params).await;
                serde_json::from_value(report["items"].take()).unwrap()
            }
        };
        Self {
            cursor: marked.find('\u{2038}').unwrap_or(0),
            client,
            uri: way.uri,
            text,
            diagnostics,
            encoding: match way.encoding {
                "utf-8" => Encoding::Utf8,
                "utf-32" => Encoding::Utf32,
                _ => Encoding::Utf16,
            },
            pulls: way.pulls,
        }
    }

    async fn close(mut self) {
        self.client.close(self.uri).await;
        if self.pulls {
            // A document that is gone may be news to others.
            self.client = self.client.allow("workspace/diagnostic/refresh");
        } else {
            self.client.cleared(self.uri).await;
        }
        self.client.finish().await;
    }

    /// Asks about the cursor.
    pub async fn ask(&mut self, method: &str) -> Value {
        self.ask_with(method, json!({})).await
    }

    /// Asks about the cursor, with more to say.
    pub async fn ask_with(&mut self, method: &str, more: Value) -> Value {
        let at = self.position(self.cursor);
        let mut params = position_params(self.uri, at.line, at.character);
        merge(&mut params, more);
        self.client.call(method, params).await
    }

    /// A byte as the client counts.
    pub fn position(&self, offset: usize) -> Position {
        position_at(&Rope::from_str(&self.text), offset, self.encoding)
    }

    /// Bytes as a range of the client.
    pub fn range(&self, span: Span) -> Value {
        let [start, end] = [span.start, span.end].map(|offset| {
            let at = self.position(offset);
            json!({ "line": at.line, "character": at.character })
        });
        json!({ "start": start, "end": end })
    }

    /// The range of the cursor.
    pub fn here(&self) -> Value {
        self.range(Span::empty(self.cursor))
    }

    /// The bytes of a range of the client.
    pub fn span(&self, range: &Value) -> Span {
        let rope = Rope::from_str(&self.text);
        let offset = |at: &Value| {
            let number = |value: &Value| value.as_u64().unwrap() as u32;
            let position = Position {
                line: number(&at["line"]),
                character: number(&at["character"]),
            };
            offset_at(&rope, position, self.encoding)
        };
        Span::new(offset(&range["start"]), offset(&range["end"]))
    }

    /// The text after these edits, with `\n`; every line break that is put in must be the document's own.
    pub fn after(&self, edits: &[Value]) -> String {
        let edits: Vec<Edit> = edits
            .iter()
            .map(|edit| Edit {
                span: self.span(&edit["range"]),
                text: edit["newText"].as_str().unwrap().to_owned(),
            })
            .collect();
        let after = apply_edits(&self.text, &edits).expect("edits that do not overlap");
        if self.text.contains("\r\n") {
            let breaks = after.matches('\n').count();
            assert_eq!(after.matches("\r\n").count(), breaks, "{after:?}");
        }
        after.replace("\r\n", "\n")
    }
}

/// Puts the members of `more` into `value`, in depth.
pub fn merge(value: &mut Value, more: Value) {
    match (value, more) {
        (Value::Object(members), Value::Object(more)) => {
            for (key, more) in more {
                merge(members.entry(key).or_insert(Value::Null), more);
            }
        }
        (value, more) => *value = more,
    }
}
