//! What harness answered on generated cases is what a run does.

use super::fake::{Reply, calls, echo, part, parts, says, tool};
use super::scene::Scene;
use loopls::bind::Outcome;
use loopls::run::model::{Message, ReplyPart, ReplyStop};
use loopls::run::{Event, StopReason};
use serde::Deserialize;

fn cases<T: for<'a> Deserialize<'a>>(lines: &str) -> Vec<T> {
    let cases: Vec<T> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!cases.is_empty());
    cases
}

#[derive(Deserialize)]
struct LimitCase {
    batches: Vec<usize>,
    iterations: u64,
    calls: u64,
    stop: StopReason,
    message: Option<String>,
    model_requests: usize,
    steps_completed: usize,
    calls_completed: usize,
}

#[tokio::test]
async fn limits() {
    for case in cases::<LimitCase>(include_str!("../../data/conformance/limits.jsonl")) {
        let batches = case.batches.iter().map(|size| {
            let calls = (0..*size as u64).map(|key| part(key, Some("id"), Some("get"), "{}"));
            parts(calls.chain([ReplyPart::Stop(ReplyStop::ToolUse)]))
        });
        let tables = format!(
            "[limits]\niterations = {}\ncalls = {}",
            case.iterations, case.calls
        );
        let scene = Scene::new(&tables, batches.chain([says("done")])).tools([echo("get")]);
        let ran = scene.run().await;

        let Event::RunEnded { stop, reason, .. } = &ran.turn.ended else {
            unreachable!()
        };
        let counts = [
            ran.lines_of(&["step"]).len() - ran.steps_completed(),
            ran.steps_completed(),
            ran.lines_of(&["completed"]).len(),
        ];
        assert_eq!(
            (*stop, reason),
            (case.stop, &case.message),
            "{:?}",
            case.batches
        );
        assert_eq!(
            counts,
            [
                case.model_requests,
                case.steps_completed,
                case.calls_completed
            ]
        );
    }
}

#[derive(Deserialize)]
struct TruncationCase {
    input_base64: String,
    result_bytes: u64,
    output: String,
}

#[tokio::test]
async fn truncation() {
    for case in cases::<TruncationCase>(include_str!("../../data/conformance/truncation.jsonl")) {
        let input = from_base64(&case.input_base64);
        let length = input.len() as u64;
        let replies: [Reply; 2] = [calls([("get", "")]), says("done")];
        let get = tool("get", move |_, _| {
            std::future::ready(Outcome::text(input.clone()))
        });
        let scene = Scene::new(
            &format!("[limits]\nresult_bytes = {}", case.result_bytes),
            replies,
        );
        let ran = scene.tools([get]).run().await;

        let Message::Results(results) = &*ran.turn.history[2] else {
            panic!("no results")
        };
        assert_eq!(results[0].text, case.output, "{}", case.input_base64);
        let omitted = case.output.split_once("omitted ").and_then(|(_, rest)| {
            rest.split_once(' ')
                .and_then(|(number, _)| number.parse().ok())
        });
        let counted = ran.records.iter().find_map(|record| match &record.event {
            Event::ToolCompleted { bytes, omitted, .. } => Some((*bytes, *omitted)),
            _ => None,
        });
        assert_eq!(counted, Some((length, omitted.unwrap_or(0))));
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = ALPHABET.iter().position(|known| *known == letter).unwrap();
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
