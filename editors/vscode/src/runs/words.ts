/** What is said of a run: short words that read the same in the tree, the document, the status bar and in messages. */
import { NO_PROMPT, NOT_TRUSTED, type StopReason } from './events.ts';
import { isSuccess, type Run } from './fold.ts';

const STOPS: Record<StopReason, string> = {
  answer: 'answer',
  limit: 'stopped at a limit',
  cancelled: 'cancelled',
  refusal: 'the model refused',
  max_tokens: 'the reply was cut',
  failed: 'failed',
};

/** The reasons that are one word, for people. */
const REASONS: Record<string, string> = {
  [NO_PROMPT]: 'there is no prompt',
  [NOT_TRUSTED]: 'this folder is not trusted, so nothing was started',
};

/** How a run stands. Only an answer reads like success. */
export function statusWords(run: Run): string {
  switch (run.status) {
    case 'starting':
      return 'starting';
    case 'replying':
    case 'calling':
      return `step ${run.steps.at(-1)?.step ?? 0}`;
    case 'asking':
      return 'asks you';
    case 'ended':
      if (run.verdict && run.stop !== 'cancelled') {
        return isSuccess(run) ? 'passed' : 'did not pass';
      }
      return run.stop ? (STOPS[run.stop] ?? run.stop) : 'ended';
  }
}

/** Why a run ended so, where there is more to say than how; else nothing. */
export function reasonWords(run: Run): string | undefined {
  if (run.verdict && run.stop !== 'cancelled') {
    return run.verdict.misses[0]?.message;
  }
  if (run.limit) {
    const { name, reached, max, line } = run.limit;
    const where = line === undefined ? 'the default' : `set in line ${line + 1}`;
    const count = (value: number) => (name === 'time' ? duration(value) : value);
    return `${name} ${count(reached)} of ${count(max)}, ${where}`;
  }
  return REASONS[run.reason ?? ''] ?? run.reason;
}

/**
 * `3/8 iterations · 5/20 calls · 1.2k tokens`, and how long it took once it is over; without tokens where nobody counted any,
 * which not every model does.
 */
export function counters(run: Run): string {
  const of = (count: number, max: number | undefined) => (max === undefined ? `${count}` : `${count}/${max}`);
  const parts = [
    `${of(run.iterations, run.limits?.iterations)} iterations`,
    `${of(run.calls, run.limits?.calls)} calls`,
  ];
  if (run.tokens > 0) {
    parts.push(`${shortCount(run.tokens)} tokens`);
  }
  if (run.ms !== undefined) {
    parts.push(shortTime(run.ms));
  }
  return parts.join(' · ');
}

/** `950`, `1.2k`, `12k`, `1.2M`; cut, not rounded. */
export function shortCount(count: number): string {
  if (count < 1_000) {
    return `${count}`;
  }
  const [unit, suffix] = count < 1_000_000 ? [1_000, 'k'] : [1_000_000, 'M'];
  const whole = Math.trunc(count / unit);
  const tenth = Math.trunc((count % unit) / (unit / 10));
  return whole < 10 && tenth > 0 ? `${whole}.${tenth}${suffix}` : `${whole}${suffix}`;
}

/** `2.4 s`, `1 min 05 s`; cut, not rounded. */
export function shortTime(ms: number): string {
  const seconds = Math.trunc(ms / 1_000);
  return seconds < 60
    ? `${seconds}.${Math.trunc((ms % 1_000) / 100)} s`
    : `${Math.trunc(seconds / 60)} min ${`${seconds % 60}`.padStart(2, '0')} s`;
}

/** `20 ms`, or as `shortTime` from a second on. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : shortTime(ms);
}

/** `130 B`, `1.2 kB`, `3 MB`; cut, not rounded. */
export function bytes(count: number): string {
  return count < 1_000 ? `${count} B` : shortCount(count).replace(/(k|M)$/, ' $1B');
}
