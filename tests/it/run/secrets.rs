//! Secrets leave a run nowhere: not in events, not in the history, not in a question.

use super::fake::{calls, parts, tool};
use super::scene::{Ran, Scene};
use loopls::bind::{Outcome, Stream};
use loopls::definition::Effect;
use loopls::run::access::Answer;
use loopls::run::model::{ModelError, ReplyPart, ReplyStop};

const VALUE: &str = "s3cr3t-k3y";
/// `s3cr3t-k3y` in Base64. Its last digit, which depends on what follows too, stays.
const BASE64: &str = "czNjcjN0LWszeQ==";

/// Everything that is left of a run, as text.
fn everything(ran: &Ran) -> String {
    format!("{:?}\n{:?}", ran.records, ran.turn)
}

#[tokio::test]
async fn a_secret_that_is_printed_said_or_asked_about_is_nowhere_left() {
    let leak = tool("leak", |input, context| async move {
        assert!(
            !input.to_string().contains(VALUE),
            "what ran is what was shown"
        );
        for piece in ["s3cr", "3t-k", "3y\n"] {
            (context.output)(Stream::Stdout, piece.as_bytes());
        }
        Outcome::text(format!("{VALUE} {BASE64} {VALUE}"))
    });
    let fail = tool("fail", |_, _| async {
        Outcome::error(format!("no: {VALUE}"))
    });
    let text = |text: &str| ReplyPart::Text(text.into());
    let replies = [
        calls([
            ("leak", &format!("{{\"key\":\"{VALUE}\"}}")),
            ("fail", VALUE),
            ("fail", "{}"),
        ]),
        parts([
            ReplyPart::Thinking("Hm, s3cr3t".into()),
            ReplyPart::Thinking("-k3y".into()),
            text("It is s3cr"),
            text("3t-k"),
            text("3y, or s3cr"),
            ReplyPart::Stop(ReplyStop::EndTurn),
        ]),
    ];
    let scene = Scene::new("", replies)
        .tools([leak.effect(Effect::Write), fail])
        .secret("KEY", VALUE)
        .prompt(&format!("Use {VALUE}."));
    let (scene, person) = scene.asking(0, [Answer::Once]);
    let ran = scene.run().await;

    assert_eq!(ran.ended(), "ended answer after 1/3: It is [KEY], or s3cr");
    let results = ran.results();
    assert_eq!(results[0], "a leak: [KEY] [KEY]Q== [KEY]");
    assert!(results[2].ends_with("no: [KEY]"), "{results:?}");
    let shown = &person.questions.lock().unwrap()[0].shown;
    assert!(shown.contains("[KEY]"), "{shown}");
    let output = ran.lines_of(&["output"]).join("");
    assert_eq!(output.replace("output 1 stdout: ", ""), "[KEY]\n");
    assert!(ran.lines_of(&["thinking"]).join("").ends_with("[KEY]"));
    let everything = everything(&ran);
    assert!(
        !everything.contains(VALUE) && !everything.contains("czNjcjN0"),
        "{everything}"
    );
    assert!(
        everything.contains("Use [KEY]."),
        "the prompt too: {everything}"
    );
}

#[tokio::test]
async fn an_error_tells_no_secret() {
    let failure = ModelError {
        message: format!("401 for {VALUE}"),
        retryable: false,
        retry_after: None,
    };
    let scene = Scene::new("", [super::fake::Reply::Fail(failure)]).secret("KEY", VALUE);
    let ran = scene.run().await;
    assert_eq!(ran.ended(), "ended failed after 0/0: 401 for [KEY]");
}
