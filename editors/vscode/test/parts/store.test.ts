import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../src/runs/events.ts';
import { isSuccess } from '../../src/runs/fold.ts';
import { Runs } from '../../src/runs/store.ts';
import { counters, reasonWords, statusWords } from '../../src/runs/words.ts';

const URI = 'file:///a.loop.toml';

function started(run: string): RunEvent {
  return {
    type: 'run_started',
    version: 1,
    run,
    uri: URI,
    loop: 'desk',
    mode: '',
    model: { provider: 'scripted', name: 'm' },
    limits: { iterations: 8, calls: 20, parallel: 8, result_bytes: 0, tokens: 0 },
    tools: [],
    prompt: 'Go.',
  };
}

function ended(stop: 'answer' | 'failed' | 'cancelled', reason?: string): RunEvent {
  const end = {
    type: 'run_ended',
    stop,
    iterations: 0,
    calls: 0,
    usage: { input: 0, output: 0 },
    ms: 1,
  } as const;
  return reason === undefined ? end : { ...end, reason };
}

/** Runs with a server that answers as told, and what is heard of them. */
function runs(answer: () => Promise<unknown> = () => Promise.resolve({})) {
  const sent: unknown[] = [];
  const heard: string[] = [];
  const runs = new Runs((command, argument) => {
    sent.push([command, argument]);
    return answer();
  });
  runs.onBegan.on(run => heard.push(`#${run.number} began`));
  runs.onEnded.on(run => heard.push(`#${run.number} ended: ${run.view.stop}`));
  runs.onRefused.on(({ run, reason }) => heard.push(`#${run.number} refused: ${reason}`));
  return { runs, sent, heard };
}

test('a run is asked for with an id of ours, and its events find it', () => {
  const { runs: all, sent, heard } = runs();
  const run = all.start({ uri: URI, mode: 'quick' });
  assert.deepEqual(sent, [['loopls.run', { uri: URI, mode: 'quick', run: run.id }]]);
  all.take({ run: run.id, seq: 0, event: started(run.id) });
  all.take({ run: 'nobody', seq: 0, event: ended('answer') });
  all.take({ run: run.id, seq: 1, event: ended('answer') });
  all.take({ run: run.id, seq: 2, event: ended('failed') });
  assert.deepEqual(heard, ['#1 began', '#1 ended: answer']);
});

test('a run that was over before it began is refused and gone', () => {
  const { runs: all, heard } = runs();
  for (const end of [ended('failed', 'not_trusted'), ended('failed', 'no such mode'), ended('cancelled')]) {
    const run = all.start({ uri: URI });
    all.take({ run: run.id, seq: 0, event: end });
  }
  assert.deepEqual(heard, [
    '#1 refused: this folder is not trusted, so nothing was started',
    '#1 refused: no such mode',
    '#1 refused: undefined',
  ]);
  assert.deepEqual(all.all(), []);
});

test('a server that does not take the run refuses it', async () => {
  const { runs: all, heard } = runs(() => Promise.reject(new Error('is not open')));
  all.start({ uri: URI });
  await new Promise(setImmediate);
  assert.deepEqual(heard, ['#1 refused: is not open']);
});

test('a run that something else started is shown from its beginning on', () => {
  const { runs: all, heard } = runs();
  all.take({ run: 'other', seq: 1, event: { type: 'step_started', step: 1 } });
  assert.deepEqual(heard, []);
  all.take({ run: 'other', seq: 0, event: started('other') });
  assert.deepEqual(heard, ['#1 began']);
});

test('when the server is gone, the runs that go on have failed, and those that had not begun are refused', () => {
  const { runs: all, heard } = runs();
  const run = all.start({ uri: URI });
  all.take({ run: run.id, seq: 0, event: started(run.id) });
  all.start({ uri: URI });
  all.failAll('the server ended');
  assert.deepEqual(heard.toSorted(), ['#1 began', '#1 ended: failed', '#2 refused: the server ended']);
  assert.equal(run.view.reason, 'the server ended');
  assert.equal(counters(run.view), '0/8 iterations · 0/20 calls');
  assert.deepEqual(all.going(), []);
});

test('fifty runs that are over stay', () => {
  const { runs: all } = runs();
  for (let number = 0; number < 60; number += 1) {
    const run = all.start({ uri: URI });
    all.take({ run: run.id, seq: 0, event: started(run.id) });
    all.take({ run: run.id, seq: 1, event: ended('answer') });
  }
  assert.deepEqual(
    all.all().map(run => run.number),
    Array.from({ length: 50 }, (_, index) => 60 - index),
  );
  all.clear();
  assert.deepEqual(all.all(), []);
});

test('a test passed if the server says so, however its run ended', () => {
  for (const [stop, passed, words, why] of [
    ['answer', true, 'passed', undefined],
    ['answer', false, 'did not pass', 'the answer is "No."'],
    ['failed', true, 'passed', undefined],
    ['cancelled', true, 'cancelled', undefined],
  ] as const) {
    const { runs: all } = runs();
    const { id, view } = all.start({ uri: URI, test: 'says yes' });
    all.take({ run: id, seq: 0, event: started(id) });
    const at = { line: 3, character: 0 };
    const misses = passed ? [] : [{ range: { start: at, end: at }, message: 'the answer is "No."' }];
    all.judge({ run: id, test: 'says yes', passed, misses });
    all.take({ run: id, seq: 1, event: ended(stop) });
    assert.equal(statusWords(view), words);
    assert.equal(reasonWords(view), why);
    assert.equal(isSuccess(view), words === 'passed');
  }
});
