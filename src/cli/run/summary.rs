//! The last line of a run, and the numbers in it.

use crate::definition::format_duration;
use crate::run::{Event, LimitReached, RunLimits, StopReason, Usage};

/// What a run came to: `answer · 3/8 iterations · 5/20 calls · 1.2k tokens · 2.4 s`; of one that did not end in an
/// answer also why. `None` for any event but the last.
pub fn summary(ended: &Event, limits: Option<&RunLimits>) -> Option<String> {
    let Event::RunEnded {
        stop,
        reason,
        limit,
        iterations,
        calls,
        usage,
        ms,
        ..
    } = ended
    else {
        return None;
    };
    let why = match (limit, reason) {
        (Some(limit), _) => format!(": {}", limit_words(limit)),
        (None, Some(reason)) => format!(": {reason}"),
        (None, None) => String::new(),
    };
    Some(format!(
        "{}{why} · {} · {} · {} tokens · {}",
        stop_word(*stop),
        of(
            *iterations,
            limits.map(|limits| limits.iterations),
            "iterations"
        ),
        of(*calls, limits.map(|limits| limits.calls), "calls"),
        tokens(*usage),
        time(*ms),
    ))
}

/// The word of the transcript.
fn stop_word(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Answer => "answer",
        StopReason::Limit => "limit",
        StopReason::Cancelled => "cancelled",
        StopReason::Refusal => "refusal",
        StopReason::MaxTokens => "max_tokens",
        StopReason::Failed => "failed",
    }
}

/// `iterations 9/8 (line 12)`.
fn limit_words(limit: &LimitReached) -> String {
    let value = |value: u64| match limit.name.as_str() {
        "time" => time(value),
        _ => value.to_string(),
    };
    let origin = match limit.line {
        Some(line) => format!("line {}", line + 1),
        None => "the default".to_owned(),
    };
    format!(
        "{} {}/{} ({origin})",
        limit.name,
        value(limit.reached),
        value(limit.max)
    )
}

fn of(count: u64, max: Option<u64>, noun: &str) -> String {
    match max {
        Some(max) => format!("{count}/{max} {noun}"),
        None => format!("{count} {noun}"),
    }
}

/// Input and output tokens: `950`, `1.2k`, `3.4M`.
fn tokens(usage: Usage) -> String {
    let count = usage.input.saturating_add(usage.output);
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

/// `850 ms`, `2.4 s`, `1m12s`.
pub fn time(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 => format!("{:.1} s", milliseconds as f64 / 1e3),
        _ => {
            let whole = milliseconds - milliseconds % 1_000;
            format_duration(i64::try_from(whole).unwrap_or(i64::MAX))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries() {
        let limits = RunLimits {
            iterations: 8,
            calls: 20,
            parallel: 8,
            result_bytes: 0,
            tokens: 0,
            time: None,
        };
        let ended = |stop, reason: Option<&str>, limit| Event::RunEnded {
            stop,
            reason: reason.map(str::to_owned),
            limit,
            answer: None,
            iterations: 3,
            calls: 5,
            usage: Usage {
                input: 1_000,
                output: 210,
                ..Usage::default()
            },
            ms: 2_410,
        };
        let limit = |name: &str, reached, max, line| {
            Some(LimitReached {
                name: name.to_owned(),
                reached,
                max,
                line,
            })
        };
        let counters = "3/8 iterations · 5/20 calls · 1.2k tokens · 2.4 s";
        for (event, expected) in [
            (ended(StopReason::Answer, None, None), "answer"),
            (
                ended(StopReason::Failed, Some("no reply"), None),
                "failed: no reply",
            ),
            (
                ended(
                    StopReason::Limit,
                    Some("tool limit reached"),
                    limit("iterations", 9, 8, Some(11)),
                ),
                "limit: iterations 9/8 (line 12)",
            ),
            (
                ended(StopReason::Limit, None, limit("time", 90_500, 60_000, None)),
                "limit: time 1m30s/1m (the default)",
            ),
        ] {
            assert_eq!(
                summary(&event, Some(&limits)).unwrap(),
                format!("{expected} · {counters}")
            );
        }
        assert_eq!(summary(&Event::StepStarted { step: 1 }, None), None);
    }
}
