import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RunEvent } from '../../src/runs/events.ts';
import { apply, Chunks, newRun, openCalls, type Run } from '../../src/runs/fold.ts';
import { counters, reasonWords, statusWords } from '../../src/runs/words.ts';

/** Recorded runs, each with a file of how it stands after each of its events; all folds read them. */
const RECORDED = new URL('../../../../tests/data/runs/', import.meta.url);

function lines<T>(name: string): T[] {
  const text = readFileSync(new URL(name, RECORDED), 'utf8');
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

/** The events of a recorded run. */
function events(name: string): RunEvent[] {
  return lines(`${name}.jsonl`);
}

function folded(events: RunEvent[]): Run {
  const run = newRun();
  for (const event of events) {
    apply(run, event);
  }
  return run;
}

/** What the other folds of the project come to as well: a line an event, with what it changed. */
test('recorded runs stand, after each event, as their states say', () => {
  const names = readdirSync(RECORDED).filter(name => name.endsWith('.states.jsonl'));
  assert.ok(names.length >= 10);
  for (const name of names) {
    const states = lines<Record<string, unknown>>(name);
    const events = lines<RunEvent>(name.replace('.states', ''));
    assert.equal(states.length, events.length, name);
    const run = newRun();
    let expected = {};
    for (const [number, event] of events.entries()) {
      apply(run, event);
      const { after, ...changed } = states[number] as { after: string };
      assert.equal(after, event.type);
      expected = { ...expected, ...changed };
      assert.deepEqual(stateOf(run), expected, `${name}:${number + 1}`);
    }
  }
});

/** What every fold knows of a run. */
function stateOf(run: Run): object {
  const { status, mode, iterations, calls, tokens, stop, reason, limit, answer } = run;
  const open = openCalls(run).map(({ call, tool, asked }) => `${call} ${tool}${asked ? '?' : ''}`);
  const state = { status, mode, step: run.steps.at(-1)?.step ?? 0, iterations, calls, tokens, open };
  const end = { stop, reason, limit, answer, counters: stop && counters(run) };
  const known = Object.entries(end).filter(([, value]) => value !== undefined);
  return { ...state, ...Object.fromEntries(known) };
}

test('how a run stands and why it ended, in words', () => {
  for (const [name, status, reason] of [
    ['denied', 'answer', undefined],
    ['limit', 'stopped at a limit', 'iterations 2 of 1, set in line 15'],
    ['time', 'stopped at a limit', 'time 301 ms of 300 ms, set in line 10'],
    ['refusal', 'the model refused', 'the model refused'],
    ['cut', 'the reply was cut', "the reply was cut at the model's limit of tokens"],
    ['refused', 'failed', 'this folder is not trusted, so nothing was started'],
    ['left', 'cancelled', undefined],
  ] as const) {
    const run = folded(events(name));
    assert.equal(statusWords(run), status, name);
    assert.equal(reasonWords(run), reason, name);
  }
  assert.equal(statusWords(folded(events('left').slice(0, 4))), 'step 1');
  assert.equal(statusWords(folded(events('left').slice(0, 5))), 'asks you');
});

test('a run that ends early takes its calls with it', () => {
  assert.deepEqual(
    [...folded(events('left')).byNumber.values()].map(({ abandoned, asked }) => ({ abandoned, asked })),
    [
      { abandoned: true, asked: undefined },
      { abandoned: true, asked: undefined },
    ],
  );
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
