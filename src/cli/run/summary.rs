//! The last line of a run.

use crate::run::{LimitReached, RunView, StopReason};

/// How a run ended, why, and what it came to: `answer · 3/8 iterations · 5/20 calls · 1.2k tokens · 2.4 s`;
/// without tokens where no model counted any.
pub fn summary(view: &RunView) -> String {
    let word = view.stop().map_or("running", StopReason::as_str);
    let why = match (&view.limit, &view.reason) {
        (Some(limit), Some(reason)) => format!(": {reason} ({})", origin(limit)),
        (Some(limit), None) => format!(": {} ({})", limit.name, origin(limit)),
        (None, Some(reason)) => format!(": {reason}"),
        (None, None) => String::new(),
    };
    format!("{word}{why} · {}", view.summary())
}

/// Where the limit was set.
fn origin(limit: &LimitReached) -> String {
    match limit.line {
        Some(line) => format!("`{}` in line {}", limit.name, line + 1),
        None => format!("the default of `{}`", limit.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Event, Record, Usage};

    #[test]
    fn how_it_ended_and_why() {
        let limit = |line| {
            Some(LimitReached {
                name: "iterations".to_owned(),
                reached: 9,
                max: 8,
                line,
            })
        };
        let exceeded = "tool limit reached: 9/8 iterations, 5/20 calls";
        for (stop, reason, limit, expected) in [
            (StopReason::Answer, None, None, "answer"),
            (
                StopReason::Failed,
                Some("no reply"),
                None,
                "failed: no reply",
            ),
            (StopReason::Cancelled, None, None, "cancelled"),
            (
                StopReason::Limit,
                Some(exceeded),
                limit(Some(11)),
                "limit: tool limit reached: 9/8 iterations, 5/20 calls (`iterations` in line 12)",
            ),
            (
                StopReason::Limit,
                None,
                limit(None),
                "limit: iterations (the default of `iterations`)",
            ),
        ] {
            let mut view = RunView::default();
            view.apply(&Record {
                seq: 0,
                t: 2.5,
                event: Event::RunEnded {
                    stop,
                    reason: reason.map(str::to_owned),
                    limit,
                    answer: None,
                    iterations: 3,
                    calls: 5,
                    usage: Usage::default(),
                    ms: 2_500,
                },
            });
            let counters = view.summary();
            assert_eq!(summary(&view), format!("{expected} · {counters}"));
        }
    }
}
