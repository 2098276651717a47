//! `invalid_tool_limits`, `invalid_drain_timeout`, and `invalid_mode` for the limits of a mode; `zero_limit` and
//! `zero_in_mode` where a zero says less than it seems to, `limit_without_effect` where a mode says nothing new.

use crate::check::{Analysis, Code, Diagnostic, Repair};
use crate::definition::{
    DEFAULT_CALLS, DEFAULT_ITERATIONS, DEFAULT_PARALLEL, Field, Limits, Origin, ResolvedLimit,
    Spanned, format_duration, resolve_limits,
};

/// The fewest bytes that a bounded result can have: room for the marker and some of both ends.
const FEWEST_RESULT_BYTES: i64 = 256;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    if let Some(drain) = definition
        .drain_timeout
        .spanned()
        .filter(|drain| drain.value < 0)
    {
        let message = format!(
            "`drain_timeout` is negative; a cancelled run cannot take {}",
            format_duration(drain.value)
        );
        found.push(
            Diagnostic::new(Code::InvalidDrainTimeout, drain.span, message)
                .with_guess("Remove `drain_timeout`", Repair::RemovePair),
        );
    }
    if let Some(limits) = definition.limits.get() {
        bounds(limits, Code::InvalidToolLimits, found);
        zeros_in_base(limits, found);
    }
    let base = definition.limits.get();
    for mode in &definition.modes {
        if let Some(limits) = mode.limits.get() {
            bounds(limits, Code::InvalidMode, found);
            zeros_in_mode(limits, &resolve_limits(base, Some(limits)).named(), found);
            repeated(limits, base, found);
        }
    }
}

fn named(limits: &Limits) -> [(&'static str, &Field<i64>); 6] {
    [
        ("iterations", &limits.iterations),
        ("calls", &limits.calls),
        ("parallel", &limits.parallel),
        ("result_bytes", &limits.result_bytes),
        ("tokens", &limits.tokens),
        ("time", &limits.time),
    ]
}

fn bounds(limits: &Limits, code: Code, found: &mut Vec<Diagnostic>) {
    for (name, field) in named(limits) {
        let Some(Spanned { value, span }) = field.spanned() else {
            continue;
        };
        if *value < 0 {
            let value = if name == "time" {
                format_duration(*value)
            } else {
                value.to_string()
            };
            let message = format!(
                "`{name}` is {value}; a limit is never negative (leave it out for the default)"
            );
            found.push(
                Diagnostic::new(code, *span, message)
                    .with_guess(format!("Remove `{name}`"), Repair::RemovePair),
            );
        } else if name == "result_bytes" && (1..FEWEST_RESULT_BYTES).contains(value) {
            let message = format!(
                "`result_bytes` is {value}; it is 0 (no cap) or at least {FEWEST_RESULT_BYTES}"
            );
            found.push(Diagnostic::new(code, *span, message).with_guess(
                format!("Change to {FEWEST_RESULT_BYTES}"),
                Repair::Replace(FEWEST_RESULT_BYTES.to_string()),
            ));
        }
    }
}

fn zeros_in_base(limits: &Limits, found: &mut Vec<Diagnostic>) {
    let defaults = [
        ("iterations", DEFAULT_ITERATIONS),
        ("calls", DEFAULT_CALLS),
        ("parallel", DEFAULT_PARALLEL),
    ];
    for ((name, default), field) in
        defaults
            .into_iter()
            .zip([&limits.iterations, &limits.calls, &limits.parallel])
    {
        if let Some(zero) = field.spanned().filter(|limit| limit.value == 0) {
            let message =
                format!("0 does not mean \"none\" here: `{name}` takes its default, {default}");
            found.push(
                Diagnostic::new(Code::ZeroLimit, zero.span, message).with_remedy(
                    format!("Remove `{name}`, which says the same"),
                    Repair::RemovePair,
                ),
            );
        }
    }
}

fn zeros_in_mode(limits: &Limits, resolved: &[(&str, ResolvedLimit)], found: &mut Vec<Diagnostic>) {
    for ((name, field), (_, kept)) in named(limits).into_iter().zip(resolved) {
        let Some(zero) = field.spanned().filter(|limit| limit.value == 0) else {
            continue;
        };
        // Zero over a base that sets no cap changes nothing and promises nothing wrong.
        if kept.value == 0 {
            continue;
        }
        let value = if name == "time" {
            format_duration(kept.value)
        } else {
            kept.value.to_string()
        };
        let message = format!("0 keeps the base's `{name}`, {value}; a mode cannot lift a cap");
        let mut diagnostic = Diagnostic::new(Code::ZeroInMode, zero.span, message).with_remedy(
            format!("Remove `{name}`, which says the same"),
            Repair::RemovePair,
        );
        if let Origin::Base(span) = kept.origin {
            diagnostic = diagnostic.with_related(span, format!("the base's `{name}`"));
        }
        found.push(diagnostic);
    }
}

/// A mode that repeats what the base says anyway.
fn repeated(limits: &Limits, base: Option<&Limits>, found: &mut Vec<Diagnostic>) {
    let Some(base) = base else { return };
    for ((name, field), (_, of_base)) in named(limits).into_iter().zip(named(base)) {
        if let (Some(own), Some(inherited)) = (field.spanned(), of_base.spanned())
            && own.value == inherited.value
            && own.value > 0
        {
            let message =
                format!("the base's `{name}` is the same; the mode has it without saying so");
            found.push(
                Diagnostic::new(Code::LimitWithoutEffect, own.span, message)
                    .with_related(inherited.span, format!("the base's `{name}`"))
                    .with_remedy(
                        format!("Remove `{name}`, which says the same"),
                        Repair::RemovePair,
                    ),
            );
        }
    }
}
