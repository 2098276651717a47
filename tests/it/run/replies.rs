//! Replies as they arrive: in odd parts, cut, empty, failing.

use super::fake::{FakeModel, Reply, busy, calls, echo, part, parts, says, tokens};
use super::scene::Scene;
use loopls::run::model::{Message, ModelError, ReplyPart, ReplyStop, Verbatim};
use loopls::run::{Event, StopReason};
use serde_json::{Value, json};

fn text(text: &str) -> ReplyPart {
    ReplyPart::Text(text.into())
}

fn stop(stop: ReplyStop) -> ReplyPart {
    ReplyPart::Stop(stop)
}

#[tokio::test]
async fn text_is_the_answer_and_streams() {
    let thinking = ReplyPart::Thinking("hm".into());
    let reply = parts([
        thinking,
        text("It "),
        text(""),
        text("is."),
        stop(ReplyStop::EndTurn),
    ]);
    let ran = Scene::new("", [reply]).run().await;
    assert_eq!(
        ran.lines(),
        [
            "step 1",
            "thinking hm",
            "text It ",
            "text is.",
            "step 1 done: end_turn",
            "ended answer after 0/0: It is.",
        ]
    );
}

/// Each case: how a reply arrives, and the batch that it means as the results show it.
/// smolagents#1958, LibreChat-AI/agents#260, openclaw#47136.
#[tokio::test]
async fn calls_are_put_together_whatever_parts_they_come_in() {
    let cases: [(&str, Vec<ReplyPart>, &[&str]); 7] = [
        (
            "one call over many parts",
            vec![
                part(7, Some("x"), None, ""),
                part(7, None, Some("get"), ""),
                part(7, None, None, "{\"a\""),
                part(7, None, None, ":1}"),
            ],
            &["x get: {\"a\":1}"],
        ),
        (
            "two calls interleaved",
            vec![
                part(0, Some("x"), Some("get"), "{\"a\""),
                part(1, Some("y"), Some("get"), "{\"b\""),
                part(0, None, None, ":1}"),
                part(1, None, None, ":2}"),
            ],
            &["x get: {\"a\":1}", "y get: {\"b\":2}"],
        ),
        (
            "two calls with one id",
            vec![
                part(0, Some("x"), Some("get"), "{\"a\":1}"),
                part(1, Some("x"), Some("get"), "{\"a\":2}"),
            ],
            &["x get: {\"a\":1}", "x get: {\"a\":2}"],
        ),
        (
            "calls without ids",
            vec![
                part(0, Some(""), Some("get"), "{\"a\":1}"),
                part(1, None, Some("get"), "{\"a\":2}"),
            ],
            &[" get: {\"a\":1}", " get: {\"a\":2}"],
        ),
        (
            "id and name repeated with every part",
            vec![
                part(0, Some("x"), Some("get"), "{\"a\""),
                part(0, Some("x"), Some("get"), ":1}"),
            ],
            &["x get: {\"a\":1}"],
        ),
        (
            "text between calls",
            vec![
                text("first "),
                part(0, Some("x"), Some("get"), ""),
                text("then"),
                part(1, Some("y"), Some("get"), ""),
            ],
            &["x get: {}", "y get: {}"],
        ),
        (
            "a name that never comes",
            vec![part(0, Some("x"), None, "{}")],
            &["x : error: there is no tool ``; the tools are get"],
        ),
    ];
    for (case, arriving, expected) in cases {
        let reply = parts(arriving.into_iter().chain([stop(ReplyStop::ToolUse)]));
        let ran = Scene::new("", [reply, says("done")])
            .tools([echo("get")])
            .run()
            .await;
        assert_eq!(ran.results(), expected, "{case}");
        assert_eq!(ran.stop(), StopReason::Answer, "{case}");
    }
}

#[tokio::test]
async fn what_the_model_said_goes_back_verbatim() {
    let reply = parts([
        text("let me look"),
        part(0, Some("x"), Some(" get "), "{ \"a\" : 1 }"),
        stop(ReplyStop::EndTurn),
    ]);
    let model = FakeModel::new([reply, says("done")]);
    let mut scene = Scene::new("", []).tools([echo("get")]);
    scene.model = model.clone();
    let ran = scene.run().await;
    assert_eq!(ran.stop(), StopReason::Answer);
    let requests = model.requests.lock().unwrap();
    let Message::Assistant(said) = &*requests[1].history[1] else {
        panic!("{requests:?}")
    };
    assert_eq!(
        (said.text.as_str(), said.calls[0].input.as_str()),
        ("let me look", "{ \"a\" : 1 }")
    );
    let reply = ran.records.iter().find_map(|record| match &record.event {
        Event::StepCompleted { reply, .. } => Some(reply.to_string()),
        _ => None,
    });
    assert_eq!(
        reply.unwrap(),
        r#"{"text":"let me look","calls":[{"id":"x","tool":" get ","input":"{ \"a\" : 1 }"}]}"#
    );
}

#[tokio::test(start_paused = true)]
async fn replies_that_are_no_answer_end_the_turn() {
    let call = || part(0, Some("x"), Some("get"), "{\"a\":");
    let broken = ModelError {
        message: "connection lost".into(),
        retryable: true,
        retry_after: None,
    };
    let cases: [(&str, Reply, &str); 9] = [
        (
            "empty",
            parts([stop(ReplyStop::EndTurn)]),
            "ended failed after 0/0: the model's reply is empty",
        ),
        (
            "blank",
            parts([text(" \n"), stop(ReplyStop::EndTurn)]),
            "ended failed after 0/0: the model's reply is empty",
        ),
        (
            "nothing at all",
            parts([]),
            "ended failed after 0/0: the stream ended before the reply did",
        ),
        (
            "no end mark",
            parts([text("It is"), call()]),
            "ended failed after 0/0: the stream ended before the reply did",
        ),
        (
            "refusal without text",
            parts([stop(ReplyStop::Refusal)]),
            "ended refusal after 0/0: the model refused",
        ),
        (
            "cut in the middle of a text",
            parts([text("It"), stop(ReplyStop::MaxTokens)]),
            "ended max_tokens after 0/0: the reply was cut: it reached the model's maximum of tokens",
        ),
        (
            "cut in the middle of a call",
            parts([call(), stop(ReplyStop::MaxTokens)]),
            "ended max_tokens after 0/0: the reply was cut: it reached the model's maximum of tokens",
        ),
        (
            "broken after the first content: not sent again",
            Reply::Parts(vec![Ok(text("It")), Err(broken)]),
            "ended failed after 0/0: connection lost",
        ),
        (
            "a client that panics",
            Reply::Panic,
            "ended failed after 0/0: something that takes part in the run crashed",
        ),
    ];
    for (case, reply, expected) in cases {
        let ran = Scene::new("", [reply]).tools([echo("get")]).run().await;
        assert_eq!(ran.ended(), expected, "{case}");
        assert_eq!(ran.lines_of(&["started", "retry"]), [""; 0], "{case}");
    }
}

#[tokio::test]
async fn a_reply_is_bounded() {
    let piece = "x".repeat(1 << 20);
    let pieces = (0..17).map(|_| text(&piece));
    let ran = Scene::new("", [parts(pieces)]).run().await;
    assert_eq!(
        ran.ended(),
        "ended failed after 0/0: the reply is longer than 16 MiB"
    );
}

/// headroom#1495.
#[tokio::test(start_paused = true)]
async fn a_failure_before_the_first_content_is_met_by_sending_again() {
    let early = || Reply::Parts(vec![Ok(tokens(3, 0)), Err(busy(None))]);
    let cases: [(&str, Vec<Reply>, &[&str]); 4] = [
        (
            "twice, with backoff",
            vec![Reply::Fail(busy(None)), early(), says("done")],
            &[
                "retry after 500: busy",
                "retry after 1000: busy",
                "ended answer after 0/0: done",
            ],
        ),
        (
            "as long as the provider says, but five minutes at most",
            vec![
                Reply::Fail(busy(Some(2_000))),
                Reply::Fail(busy(Some(3_600_000))),
                says("done"),
            ],
            &[
                "retry after 2000: busy",
                "retry after 300000: busy",
                "ended answer after 0/0: done",
            ],
        ),
        (
            "not for ever",
            vec![Reply::Fail(busy(None)), early(), early(), early()],
            &[
                "retry after 500: busy",
                "retry after 1000: busy",
                "retry after 2000: busy",
                "ended failed after 0/0: busy",
            ],
        ),
        (
            "not what cannot pass",
            vec![Reply::Fail(ModelError {
                retryable: false,
                ..busy(None)
            })],
            &["ended failed after 0/0: busy"],
        ),
    ];
    for (case, replies, expected) in cases {
        let ran = Scene::new("", replies).run().await;
        assert_eq!(ran.lines_of(&["retry", "ended"]), expected, "{case}");
    }
}

#[tokio::test]
async fn usage_is_what_the_provider_counted_last_summed_over_the_replies() {
    let replies = [
        parts([
            tokens(10, 0),
            part(0, Some("x"), Some("get"), ""),
            stop(ReplyStop::ToolUse),
            tokens(10, 5),
        ]),
        parts([text("done"), tokens(20, 2), stop(ReplyStop::EndTurn)]),
    ];
    let ran = Scene::new("", replies).tools([echo("get")]).run().await;
    let Event::RunEnded { usage, .. } = &ran.turn.ended else {
        unreachable!()
    };
    assert_eq!((usage.input, usage.output), (30, 7));
}

#[tokio::test]
async fn a_next_turn_goes_on_with_the_history_and_counts_afresh() {
    let limits = "[limits]\niterations = 1";
    let first = Scene::new(limits, [calls([("get", "")]), says("one")]).tools([echo("get")]);
    let first = first.run().await;
    let model = FakeModel::new([calls([("get", "")]), says("two")]);
    let mut second = Scene::new(limits, []).tools([echo("get")]);
    second.model = model.clone();
    second.history = first.turn.history;
    let second = second.run().await;
    assert_eq!(second.ended(), "ended answer after 1/1: two");
    let requests = model.requests.lock().unwrap();
    let sizes: Vec<_> = requests
        .iter()
        .map(|request| request.history.len())
        .collect();
    assert_eq!(sizes, [5, 7]);
    assert_eq!(second.turn.history.len(), 8);
}

fn verbatim(content: Value) -> ReplyPart {
    ReplyPart::Verbatim(Verbatim {
        origin: "wire/m".into(),
        content,
    })
}

#[tokio::test]
async fn what_a_provider_wrote_goes_back_with_the_history_and_into_the_transcript() {
    let thought = json!([{ "type": "thinking", "signature": "sig" }]);
    let replies = [
        parts([
            part(0, Some("x"), Some("get"), ""),
            verbatim(thought.clone()),
            stop(ReplyStop::ToolUse),
        ]),
        says("done"),
    ];
    let model = FakeModel::new(replies);
    let mut scene = Scene::new("", []).tools([echo("get")]);
    scene.model = model.clone();
    // That the transcript tells the same history is held for every run.
    let ran = scene.run().await;
    assert_eq!(ran.stop(), StopReason::Answer);
    let requests = model.requests.lock().unwrap();
    let Message::Assistant(reply) = &*requests[1].history[1] else {
        panic!("{requests:?}")
    };
    let said = reply.verbatim.as_ref().unwrap();
    assert_eq!((said.origin.as_str(), &said.content), ("wire/m", &thought));
}

#[tokio::test]
async fn a_reply_that_pauses_goes_on_where_it_was() {
    let replies = [
        parts([
            text("One, "),
            verbatim(json!(["one"])),
            tokens(10, 1),
            stop(ReplyStop::Paused),
        ]),
        parts([
            text("two, "),
            verbatim(json!(["two"])),
            tokens(11, 2),
            stop(ReplyStop::Paused),
        ]),
        parts([text("three."), tokens(12, 3), stop(ReplyStop::EndTurn)]),
    ];
    let model = FakeModel::new(replies);
    let mut scene = Scene::new("", []);
    scene.model = model.clone();
    let ran = scene.run().await;
    assert_eq!(ran.ended(), "ended answer after 0/0: One, two, three.");
    assert_eq!(ran.steps_completed(), 1);
    let Event::RunEnded { usage, .. } = &ran.turn.ended else {
        unreachable!()
    };
    assert_eq!((usage.input, usage.output), (33, 6));
    let requests = model.requests.lock().unwrap();
    let said = requests.iter().map(|request| match &request.history[..] {
        [_, said] => match &**said {
            Message::Assistant(reply) => {
                let said = reply.verbatim.as_ref().unwrap();
                format!("{} {}", reply.text, said.content)
            }
            other => panic!("{other:?}"),
        },
        other => other.len().to_string(),
    });
    let said: Vec<_> = said.collect();
    assert_eq!(
        said,
        ["1", "One,  [\"one\"]", "One, two,  [\"one\",\"two\"]"]
    );
}

#[tokio::test]
async fn a_reply_that_never_stops_pausing_is_none() {
    let pauses = (0..9).map(|_| parts([text("so "), stop(ReplyStop::Paused)]));
    let ran = Scene::new("", pauses).run().await;
    assert_eq!(
        ran.ended(),
        "ended failed after 0/0: the reply paused more than 8 times"
    );
}
