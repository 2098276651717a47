import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RunEvent } from '../../src/runs/events.ts';
import { apply, Chunks, newRun, openCalls, type Run } from '../../src/runs/fold.ts';
import { counters, reasonWords, statusWords } from '../../src/runs/words.ts';

/** The events of a recorded run. */
function events(name: string): RunEvent[] {
  const lines = readFileSync(new URL(`../transcripts/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.map(line => JSON.parse(line));
}

function folded(events: RunEvent[]): Run {
  const run = newRun();
  for (const event of events) {
    apply(run, event);
  }
  return run;
}

test('recorded runs come to what they were', () => {
  for (const [name, status, reason, summary] of [
    ['denied', 'answer', undefined, '1/25 iterations · 2/100 calls · 0 tokens · 0.0 s'],
    [
      'limit',
      'stopped at a limit',
      'iterations 2 of 1, set in line 15',
      '1/1 iterations · 1/100 calls · 0 tokens · 0.0 s',
    ],
    ['refusal', 'the model refused', 'the model refused', '0/25 iterations · 0/100 calls · 0 tokens · 0.0 s'],
    ['refund', 'answer', undefined, '2/4 iterations · 4/8 calls · 0 tokens · 0.1 s'],
  ] as const) {
    const run = folded(events(name));
    assert.equal(statusWords(run), status, name);
    assert.equal(reasonWords(run), reason, name);
    assert.equal(counters(run), summary, name);
    assert.deepEqual(openCalls(run), [], name);
  }
});

test('a run stands as its events say, one after the other', () => {
  const run = newRun();
  const seen = [statusWords(run)];
  for (const event of events('denied')) {
    apply(run, event);
    const asked = openCalls(run).filter(call => call.asked);
    seen.push(`${event.type}: ${statusWords(run)}, ${openCalls(run).length} open, ${asked.length} asked`);
  }
  assert.deepEqual(seen, [
    'starting',
    'run_started: starting, 0 open, 0 asked',
    'step_started: step 1, 0 open, 0 asked',
    'tool_started: step 1, 1 open, 0 asked',
    'tool_started: step 1, 2 open, 0 asked',
    'access_asked: asks you, 2 open, 1 asked',
    'access_decided: step 1, 2 open, 0 asked',
    'access_asked: asks you, 2 open, 1 asked',
    'access_decided: step 1, 2 open, 0 asked',
    'tool_completed: step 1, 1 open, 0 asked',
    'tool_completed: step 1, 0 open, 0 asked',
    'step_completed: step 1, 0 open, 0 asked',
    'step_started: step 2, 0 open, 0 asked',
    'text_delta: step 2, 0 open, 0 asked',
    'step_completed: step 2, 0 open, 0 asked',
    'run_ended: answer, 0 open, 0 asked',
  ]);
});

test('a run that ends early takes its calls with it', () => {
  const run = folded([
    ...events('denied').slice(0, 5),
    {
      type: 'run_ended',
      stop: 'cancelled',
      iterations: 1,
      calls: 2,
      usage: { input: 3, output: 4 },
      ms: 61_000,
    },
  ]);
  assert.deepEqual(
    [...run.byNumber.values()].map(({ abandoned, asked }) => ({ abandoned, asked })),
    [
      { abandoned: true, asked: undefined },
      { abandoned: true, asked: undefined },
    ],
  );
  assert.equal(counters(run), '1/25 iterations · 2/100 calls · 7 tokens · 1 min 01 s');
});

test('events of another time change nothing', () => {
  const run = folded([
    { type: 'text_delta', text: 'before a step' },
    { type: 'tool_output', call: 7, stream: 'stdout', text: 'of no call' },
    { type: 'made_tomorrow' } as unknown as RunEvent,
  ]);
  assert.deepEqual({ ...run, revision: 0 }, newRun());
});

test('of text without end the end is kept', () => {
  const chunks = new Chunks(10);
  for (let number = 0; number < 5_000; number += 1) {
    chunks.push(`${number} `);
  }
  const text = chunks.toString();
  assert.ok(text.endsWith('4998 4999 '), text);
  assert.ok(text.length <= 20, text);
  assert.equal(chunks.gone + text.length, 5_000 + 10 + 2 * 90 + 3 * 900 + 4 * 4_000);
});
