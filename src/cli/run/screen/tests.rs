//! What a person sees of a run, on a terminal and in a pipe.

use super::*;
use crate::run::Usage;
use expect_test::{Expect, expect};
use serde_json::json;
use std::sync::{Arc, Mutex};

/// What is written to both streams, in order; what goes to standard output stands between `[` and `]`.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<String>>);

struct Pipe {
    seen: Seen,
    is_out: bool,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).unwrap();
        let text = anstream::adapter::strip_str(text).to_string();
        let mut seen = self.seen.0.lock().unwrap();
        match self.is_out {
            true => seen.push_str(&format!("[{text}]")),
            false => seen.push_str(&text),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn check(streaming: bool, events: &[Event], expected: Expect) {
    let seen = Seen::default();
    let pipe = |is_out| -> Box<dyn Write + Send> {
        Box::new(Pipe {
            seen: seen.clone(),
            is_out,
        })
    };
    let mut screen = Screen::new(pipe(true), pipe(false), streaming, false);
    for (seq, event) in (0..).zip(events) {
        let record = Record {
            seq,
            t: 0.5,
            event: event.clone(),
        };
        screen.show(&record).unwrap();
    }
    expected.assert_eq(&seen.0.lock().unwrap());
}

fn text(text: &str) -> Event {
    Event::TextDelta { text: text.into() }
}

fn ended(stop: StopReason, answer: Option<&str>) -> Event {
    Event::RunEnded {
        stop,
        reason: None,
        limit: None,
        answer: answer.map(str::to_owned),
        iterations: 1,
        calls: 2,
        usage: Usage::default(),
        ms: 500,
    }
}

/// Two calls, one of them denied, and an answer in two pieces.
fn two_calls() -> Vec<Event> {
    let started = |call, tool: &str, input| Event::ToolStarted {
        call,
        tool: tool.into(),
        input,
    };
    let completed = |call, tool: &str, is_error, result: &str| Event::ToolCompleted {
        call,
        tool: tool.into(),
        is_error,
        result: result.into(),
        bytes: 0,
        omitted: 0,
        ms: 12,
    };
    vec![
        Event::StepStarted { step: 1 },
        text("Let me "),
        text("look."),
        started(1, "lookup", json!({"order": 1042})),
        started(2, "refund", json!("not \u{1b}[2J JSON")),
        Event::AccessAsked {
            call: 2,
            tool: "refund".into(),
            effect: "irreversible".into(),
            shown: "refund 1042".into(),
        },
        Event::AccessDecided {
            call: 2,
            decision: AccessDecision::Deny,
            by: DecidedBy::Person,
            pattern: None,
        },
        completed(2, "refund", true, "error: denied"),
        completed(1, "lookup", false, "shipped\r\non \u{1b}[1mMonday\n"),
        Event::StepStarted { step: 2 },
        text("It is "),
        text("shipped."),
        ended(StopReason::Answer, Some("It is shipped.")),
    ]
}

#[test]
fn what_a_call_writes_while_one_waits_is_told_from_its_result() {
    let started = Event::ToolStarted {
        call: 1,
        tool: "build".into(),
        input: json!({}),
    };
    let output = |text: &str| Event::ToolOutput {
        call: 1,
        stream: crate::bind::Stream::Stdout,
        text: text.into(),
    };
    let completed = Event::ToolCompleted {
        call: 1,
        tool: "build".into(),
        is_error: false,
        result: "one\n\u{1b}[2Jtwo\nthree\n".into(),
        bytes: 14,
        omitted: 0,
        ms: 2_400,
    };
    let seen = Seen::default();
    let pipe = |is_out| -> Box<dyn Write + Send> {
        let seen = seen.clone();
        Box::new(Pipe { seen, is_out })
    };
    let mut screen = Screen::new(pipe(true), pipe(false), true, true);
    for (t, event) in [
        (0.0, started),
        (0.1, output("one\n")),
        (0.9, output("\u{1b}[2Jtwo\nthr")),
        (2.4, completed),
    ] {
        screen.show(&Record { seq: 0, t, event }).unwrap();
    }
    let expected = expect![[r#"
        ▶ build {} #1
          #1 │ one
          #1 │ \u{1b}[2Jtwo
        ✓ build #1 · 2.4 s
          one
          \u{1b}[2Jtwo
          three
    "#]];
    expected.assert_eq(&seen.0.lock().unwrap());
}

#[test]
fn a_pipe_gets_the_answer_alone() {
    check(
        false,
        &two_calls(),
        expect![[r#"
        Let me look.
        ▶ lookup {"order":1042} #1
        ▶ refund "not \u001b[2J JSON" #2
        denied: nobody could be asked about refund (irreversible); --allow refund lets it run
        ✗ refund #2 · 12 ms
          error: denied
        ✓ lookup #1 · 12 ms
          shipped
          on \u{1b}[1mMonday
        [It is shipped.][
        ]✓ answer · 1 iterations · 2 calls · 0.5 s
    "#]],
    );
}

#[test]
fn a_terminal_gets_text_as_it_arrives_and_the_answer_once() {
    check(
        true,
        &two_calls(),
        expect![[r#"
        [Let me ][look.][
        ]▶ lookup {"order":1042} #1
        ▶ refund "not \u001b[2J JSON" #2
        denied: nobody could be asked about refund (irreversible); --allow refund lets it run
        ✗ refund #2 · 12 ms
          error: denied
        ✓ lookup #1 · 12 ms
          shipped
          on \u{1b}[1mMonday
        [It is ][shipped.][
        ]✓ answer · 1 iterations · 2 calls · 0.5 s
    "#]],
    );
}

#[test]
fn what_is_no_answer_never_goes_to_a_pipe() {
    let events = [
        Event::StepStarted { step: 1 },
        text("I cannot"),
        ended(StopReason::Refusal, None),
    ];
    check(
        false,
        &events,
        expect![[r#"
        I cannot
        ✗ refusal · 1 iterations · 2 calls · 0.5 s
    "#]],
    );
}

#[test]
fn an_answer_that_was_not_text_is_shown_after_the_text() {
    let events = [
        Event::StepStarted { step: 1 },
        text("Here it is:"),
        ended(StopReason::Answer, Some("{\"shipped\":true}")),
    ];
    check(
        false,
        &events,
        expect![[r#"
        Here it is:
        [{"shipped":true}][
        ]✓ answer · 1 iterations · 2 calls · 0.5 s
    "#]],
    );
    check(
        true,
        &events,
        expect![[r#"
        [Here it is:][
        ][{"shipped":true}][
        ]✓ answer · 1 iterations · 2 calls · 0.5 s
    "#]],
    );
}

#[test]
fn long_results_are_bounded() {
    let result: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    let lines = bounded_lines(&result);
    assert_eq!(lines.len(), MOST_LINES + 1);
    assert!(lines[MOST_LINES].contains("… 28 more lines"));
    let line = bounded_lines(&"é".repeat(65_000)).remove(0);
    assert!(line.starts_with('é') && line.contains("… 64700 more characters"));
}
