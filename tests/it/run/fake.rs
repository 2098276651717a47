//! Fakes that stand where a provider, a tool and a person would.

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use loopls::bind::{Bound, CallContext, InputProblem, Outcome, PreparedCall, Tool, ToolInfo};
use loopls::definition::Effect;
use loopls::run::Usage;
use loopls::run::access::{Answer, Approver, Question};
use loopls::run::model::{
    ModelClient, ModelError, ModelRequest, ReplyPart, ReplyStop, ReplyStream,
};
use loopls::text::Span;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

// ---- tools

type Act = dyn Fn(Value, CallContext) -> BoxFuture<'static, Outcome> + Send + Sync;

/// A tool whose calls do what a function says. Input with the key `misfit` does not fit.
#[derive(Clone)]
pub struct FakeTool {
    pub info: ToolInfo,
    act: Arc<Act>,
    /// The loop that calls hand work to.
    below: Option<Arc<Bound>>,
    /// What preparing a call waits for, on a thread of its own.
    gate: Option<Arc<Mutex<Receiver<()>>>>,
}

/// A `read` tool that does what `act` says.
pub fn tool<F>(
    name: &str,
    act: impl Fn(Value, CallContext) -> F + Send + Sync + 'static,
) -> FakeTool
where
    F: Future<Output = Outcome> + Send + 'static,
{
    FakeTool {
        info: ToolInfo {
            name: name.into(),
            definition: name.into(),
            description: String::new(),
            input_schema: serde_json::json!({ "type": "object", "properties": {} }),
            effect: Effect::Read,
            sequential: false,
            timeout: None,
            span: Span::default(),
        },
        act: Arc::new(move |input, context| act(input, context).boxed()),
        below: None,
        gate: None,
    }
}

/// A `read` tool that answers with its input.
pub fn echo(name: &str) -> FakeTool {
    tool(
        name,
        |input, _| async move { Outcome::text(input.to_string()) },
    )
}

/// A `read` tool that ends when it is told to.
pub fn until_cancelled(name: &str) -> FakeTool {
    tool(name, |_, context| async move {
        context.cancel.cancelled().await;
        Outcome::text("what it had so far")
    })
}

/// A `read` tool that never ends.
pub fn endless(name: &str) -> FakeTool {
    tool(name, |_, _| std::future::pending())
}

impl FakeTool {
    pub fn effect(mut self, effect: Effect) -> Self {
        self.info.effect = effect;
        self
    }

    /// Takes until `gate` says something, or is gone, to prepare a call.
    pub fn waits_for(mut self, gate: Receiver<()>) -> Self {
        self.gate = Some(Arc::new(Mutex::new(gate)));
        self
    }

    pub fn below(mut self, child: Arc<Bound>) -> Self {
        self.below = Some(child);
        self
    }

    pub fn sequential(mut self) -> Self {
        self.info.sequential = true;
        self
    }

    pub fn timeout(mut self, milliseconds: i64) -> Self {
        self.info.timeout = Some(milliseconds);
        self
    }
}

struct FakeCall {
    input: Value,
    act: Arc<Act>,
}

impl Tool for FakeTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn subloop(&self) -> Option<&Arc<Bound>> {
        self.below.as_ref()
    }

    fn is_slow_to_prepare(&self, _bytes: usize) -> bool {
        self.gate.is_some()
    }

    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        if let Some(gate) = &self.gate {
            let _ = gate.lock().unwrap().recv();
        }
        if input.get("misfit").is_some() {
            return Err(InputProblem("the input does not fit: /misfit".into()));
        }
        Ok(Box::new(FakeCall {
            input: input.clone(),
            act: self.act.clone(),
        }))
    }
}

impl PreparedCall for FakeCall {
    fn shown(&self) -> String {
        format!("act {}", self.input)
    }

    fn run(self: Box<Self>, context: CallContext) -> BoxFuture<'static, Outcome> {
        (self.act)(self.input, context)
    }
}

// ---- the model

/// What a fake model does about one request.
pub enum Reply {
    /// These parts, then the end of the stream.
    Parts(Vec<Result<ReplyPart, ModelError>>),
    /// These parts, and then nothing more, for ever.
    Hang(Vec<ReplyPart>),
    /// The request fails.
    Fail(ModelError),
    /// A bug.
    Panic,
}

/// Text and the end of the turn.
pub fn says(text: &str) -> Reply {
    parts([
        ReplyPart::Text(text.into()),
        ReplyPart::Stop(ReplyStop::EndTurn),
    ])
}

/// Calls of these tools with these inputs, with ids `a`, `b`, …
pub fn calls<const N: usize>(calls: [(&str, &str); N]) -> Reply {
    let numbered = (b'a'..).zip(calls).map(|(letter, (tool, input))| {
        part(
            u64::from(letter),
            Some(&char::from(letter).to_string()),
            Some(tool),
            input,
        )
    });
    parts(numbered.chain([ReplyPart::Stop(ReplyStop::ToolUse)]))
}

/// These parts.
pub fn parts(parts: impl IntoIterator<Item = ReplyPart>) -> Reply {
    Reply::Parts(parts.into_iter().map(Ok).collect())
}

/// A part of a call.
pub fn part(key: u64, id: Option<&str>, tool: Option<&str>, input: &str) -> ReplyPart {
    ReplyPart::Call {
        key,
        id: id.map(Into::into),
        tool: tool.map(Into::into),
        input: input.into(),
    }
}

/// A failure that may pass, after the given wait.
pub fn busy(retry_after: Option<i64>) -> ModelError {
    ModelError {
        message: "busy".into(),
        retryable: true,
        retry_after,
    }
}

/// A streaming client that replies as told; running out of replies is a bug of the test.
pub struct FakeModel {
    replies: Mutex<VecDeque<Reply>>,
    pub requests: Mutex<Vec<ModelRequest>>,
}

impl FakeModel {
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Arc<Self> {
        Arc::new(Self {
            replies: Mutex::new(replies.into_iter().collect()),
            requests: Mutex::default(),
        })
    }
}

impl ModelClient for FakeModel {
    fn reply(&self, request: ModelRequest) -> BoxFuture<'_, Result<ReplyStream, ModelError>> {
        self.requests.lock().unwrap().push(request);
        let reply = self.replies.lock().unwrap().pop_front();
        async move {
            match reply.expect("the test has a reply for every request") {
                Reply::Parts(parts) => {
                    // Between two parts others get their turn, as with a real stream.
                    let parts = stream::iter(parts).then(|part| async {
                        tokio::task::yield_now().await;
                        part
                    });
                    Ok(parts.boxed())
                }
                Reply::Hang(parts) => {
                    let parts = stream::iter(parts.into_iter().map(Ok));
                    Ok(parts.chain(stream::pending()).boxed())
                }
                Reply::Fail(error) => Err(error),
                Reply::Panic => panic!("a bug in a client"),
            }
        }
        .boxed()
    }
}

// ---- a person

/// Answers questions in order; without an answer the person is still thinking.
#[derive(Default)]
pub struct FakePerson {
    pub answers: Mutex<VecDeque<Answer>>,
    pub questions: Mutex<Vec<Question>>,
    /// Milliseconds before each answer.
    pub thinks: u64,
}

impl Approver for FakePerson {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        self.questions.lock().unwrap().push(question);
        let answer = self.answers.lock().unwrap().pop_front();
        async move {
            match answer {
                Some(answer) => {
                    tokio::time::sleep(std::time::Duration::from_millis(self.thinks)).await;
                    answer
                }
                None => std::future::pending().await,
            }
        }
        .boxed()
    }
}

/// Tokens.
pub fn tokens(input: u64, output: u64) -> ReplyPart {
    ReplyPart::Usage(Usage {
        input,
        output,
        ..Usage::default()
    })
}
