//! The first and the last event of a run.

use super::model::model_of;
use super::turn::Progress;
use super::{
    Event, LimitReached, ModelName, RECORD_VERSION, RunLimits, StopReason, TurnRequest, Usage,
};
use crate::bind::{Bound, BoundMode};
use crate::definition::{ResolvedLimit, ResolvedLimits};
use tokio::time::Instant;

/// How a turn ends.
pub(super) enum End {
    Answer(String),
    Limit(String, LimitReached),
    Cancelled,
    Refusal,
    MaxTokens,
    Failed(String),
}

/// The first event of a turn in `mode`.
pub(super) fn run_started(bound: &Bound, mode: &BoundMode, request: &TurnRequest) -> Event {
    let model = model_of(bound, mode);
    Event::RunStarted {
        version: RECORD_VERSION,
        run: request.run.clone(),
        uri: request.uri.clone(),
        test: request.test.clone(),
        after: request.after.clone(),
        r#loop: bound.accepted.definition().name.text().to_owned(),
        session_id: bound.session_id.to_string(),
        loop_id: bound.loop_id.to_string(),
        mode: match &request.mode {
            Some(mode) => mode.clone(),
            None => mode.name.clone(),
        },
        model: ModelName {
            provider: model.map_or("", |model| model.provider.text()).to_owned(),
            name: model.map_or("", |model| model.name.text()).to_owned(),
        },
        limits: run_limits(&mode.limits),
        tools: mode
            .tools
            .iter()
            .map(|tool| tool.info().name.clone())
            .collect(),
        prompt: request.prompt.clone(),
    }
}

fn run_limits(limits: &ResolvedLimits) -> RunLimits {
    RunLimits {
        iterations: limit_value(limits.iterations),
        calls: limit_value(limits.calls),
        parallel: limit_value(limits.parallel),
        result_bytes: limit_value(limits.result_bytes),
        tokens: limit_value(limits.tokens),
        time: Some(limits.time.value).filter(|time| *time > 0),
    }
}

/// The last event of a turn that started at `start`; `usage` is that of all turns below it too.
pub(super) fn run_ended(end: End, progress: &Progress, usage: Usage, start: Instant) -> Event {
    let (stop, reason, limit, answer) = match end {
        End::Answer(answer) => (StopReason::Answer, None, None, Some(answer)),
        End::Limit(reason, limit) => (StopReason::Limit, Some(reason), Some(limit), None),
        End::Cancelled => (StopReason::Cancelled, None, None, None),
        End::Refusal => (
            StopReason::Refusal,
            Some("the model refused".into()),
            None,
            None,
        ),
        End::MaxTokens => {
            let reason = "the reply was cut: it reached the model's maximum of tokens";
            (StopReason::MaxTokens, Some(reason.into()), None, None)
        }
        End::Failed(reason) => (StopReason::Failed, Some(reason), None, None),
    };
    Event::RunEnded {
        stop,
        reason,
        limit,
        answer,
        iterations: progress.iterations,
        calls: progress.calls,
        usage,
        ms: start.elapsed().as_millis() as u64,
    }
}

/// Negative ones do not occur in an accepted definition.
pub(super) fn limit_value(limit: ResolvedLimit) -> u64 {
    limit.value.try_into().unwrap_or(0)
}
