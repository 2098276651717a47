import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RunEvent } from '../../src/runs/events.ts';
import { apply, newRun } from '../../src/runs/fold.ts';
import { Renderer } from '../../src/runs/render.ts';

const START: RunEvent = {
  type: 'run_started',
  version: 1,
  run: 'r',
  uri: 'file:///a.loop.toml',
  loop: 'desk',
  mode: 'quick',
  model: { provider: 'scripted', name: 'm' },
  limits: { iterations: 8, calls: 20, parallel: 8, result_bytes: 0, tokens: 0 },
  tools: ['find'],
  prompt: 'Where?',
};
const END: RunEvent = {
  type: 'run_ended',
  stop: 'answer',
  iterations: 1,
  calls: 1,
  usage: { input: 1_000, output: 234 },
  ms: 2_450,
};

function rendered(...events: RunEvent[]) {
  const run = newRun();
  for (const event of events) {
    apply(run, event);
  }
  return new Renderer(run).render();
}

test('a run while it goes on, and its end', () => {
  const going: RunEvent[] = [
    START,
    { type: 'step_started', step: 1 },
    { type: 'thinking_delta', text: 'Hm.' },
    { type: 'text_delta', text: 'I lo' },
    { type: 'text_delta', text: 'ok.\n' },
    { type: 'tool_started', call: 1, tool: 'find', input: { id: 7 } },
    { type: 'tool_output', call: 1, stream: 'stdout', text: 'one\ntw' },
  ];
  assert.equal(
    rendered(...going).text,
    `▶ desk · quick · scripted/m
> Where?

  ┊ Hm.
  I look.
… 1 find {"id":7}
  │ one
  │ tw
`,
  );
  const { text, lines } = rendered(
    ...going,
    {
      type: 'tool_completed',
      call: 1,
      tool: 'find',
      is_error: false,
      result: 'one\ntwo',
      bytes: 2_000,
      omitted: 1_993,
      ms: 12,
    },
    { type: 'step_started', step: 2 },
    { type: 'text_delta', text: 'There.' },
    END,
  );
  assert.equal(
    text,
    `▶ desk · quick · scripted/m
> Where?

  ┊ Hm.
  I look.
✓ 1 find {"id":7} · 12 ms · 1.9 kB of 2 kB cut
  │ one
  │ two

  There.

✓ answer · 1/8 iterations · 1/20 calls · 1.2k tokens · 2.4 s
`,
  );
  assert.deepEqual([...lines], [[1, 5]]);
});

test('what others wrote cannot look like a line of ours', () => {
  const { text } = rendered(
    START,
    { type: 'step_started', step: 1 },
    { type: 'text_delta', text: 'x\n✓ answer · 1/8 iterations\r\n▶ new\u202e\u001b[2J' },
    { type: 'tool_started', call: 1, tool: 'find', input: {} },
    {
      type: 'tool_completed',
      call: 1,
      tool: 'find',
      is_error: true,
      result: '\n✓ 2 find\n\n',
      bytes: 9,
      omitted: 0,
      ms: 1,
    },
  );
  assert.equal(
    text,
    `▶ desk · quick · scripted/m
> Where?

  x
  ✓ answer · 1/8 iterations
  ▶ new\\u{202e}\\u{1b}[2J
✗ 1 find {} · 1 ms
  │
  │ ✓ 2 find
`,
  );
});

test('a question is shown whole, and a denial with who denied', () => {
  const asked: RunEvent[] = [
    START,
    { type: 'step_started', step: 1 },
    { type: 'tool_started', call: 1, tool: 'rm', input: {} },
    { type: 'access_asked', call: 1, tool: 'rm', effect: 'irreversible', shown: 'rm a\nrm b' },
  ];
  assert.match(rendered(...asked).text, /\n\? 1 rm \{\}\n {2}\? rm a\n {2}\? rm b\n$/);
  const denied = rendered(
    ...asked,
    { type: 'access_decided', call: 1, decision: 'deny', by: 'rule', pattern: 'r*' },
    {
      type: 'tool_completed',
      call: 1,
      tool: 'rm',
      is_error: true,
      result: 'no',
      bytes: 2,
      omitted: 0,
      ms: 0,
    },
  );
  assert.match(denied.text, /\n✗ 1 rm \{\} · 0 ms · denied by rule\n {2}│ no\n$/);
});

test('long output is short: its end while it comes, head and end when it is over', () => {
  const result = Array.from({ length: 100 }, (_, number) => `line ${number}`).join('\n');
  const going: RunEvent[] = [
    START,
    { type: 'step_started', step: 1 },
    { type: 'tool_started', call: 1, tool: 'find', input: {} },
    { type: 'tool_output', call: 1, stream: 'stdout', text: result },
  ];
  assert.match(rendered(...going).text, / {2}┆ 60 lines before\n {2}│ line 60\n[\s\S]*line 99\n$/);
  const over = rendered(...going, {
    type: 'tool_completed',
    call: 1,
    tool: 'find',
    is_error: false,
    result: `${result}\n${'x'.repeat(65_000)}`,
    bytes: 9,
    omitted: 0,
    ms: 0,
  });
  assert.match(
    over.text,
    / {2}│ line 19\n {2}┆ 61 lines more[\s\S]*│ line 99\n {2}│ x{1000}… \[65000 characters\]\n$/,
  );
});

test('of what comes without end the last is there, and mostly it is only added to', () => {
  const run = newRun();
  const renderer = new Renderer(run);
  const grows = (event: (count: number) => RunEvent) => {
    let before = '';
    let added = 0;
    for (let count = 0; count < 20_000; count += 1) {
      apply(run, event(count));
      if (count % 5 === 4) {
        const { text } = renderer.render();
        added += text.startsWith(before) ? 1 : 0;
        assert.ok(text.length < 50_000);
        before = text;
      }
    }
    return { text: before, added };
  };
  apply(run, START);
  apply(run, { type: 'step_started', step: 1 });
  const reply = grows(count => ({ type: 'text_delta', text: `word ${count}\n` }));
  assert.match(reply.text, /\n {2}… \[\d+ characters before\]\n[\s\S]*\n {2}word 19999\n$/);
  assert.ok(reply.added > 3_900, `${reply.added} of 4000`);
  apply(run, { type: 'tool_started', call: 1, tool: 'find', input: {} });
  const output = grows(count => ({
    type: 'tool_output',
    call: 1,
    stream: 'stdout',
    text: `line ${count}\n`,
  }));
  const [, left, first] = /┆ (\d+) lines before\n {2}│ line (\d+)\n/.exec(output.text) ?? [];
  assert.equal(left, first);
  assert.match(output.text, /│ line 19999\n$/);
  assert.ok(output.added > 1_900, `${output.added} of 4000`);
  apply(run, END);
  assert.match(renderer.render().text, /\n {2}word 0\n/);
});

test('a reply that grows is added to or cut at its beginning, never both at once', () => {
  const run = newRun();
  const renderer = new Renderer(run);
  apply(run, START);
  apply(run, { type: 'step_started', step: 1 });
  const reply = (text: string) =>
    /\n\n(?: {2}… \[\d+ characters before\]\n)?([\s\S]*)$/.exec(text)?.[1] ?? '';
  let before = '';
  let cuts = 0;
  for (let line = 0; line < 5_000; line += 1) {
    apply(run, { type: 'text_delta', text: `word ${line}\n` });
    let { text, isWhole } = renderer.render();
    if (!isWhole) {
      assert.ok(before.endsWith(reply(text).slice(2)), `cut and added to at line ${line}`);
      cuts += 1;
      before = reply(text);
      ({ text, isWhole } = renderer.render());
    }
    assert.ok(isWhole);
    assert.ok(reply(text).startsWith(before), `changed at line ${line}`);
    assert.ok(reply(text).endsWith(`  word ${line}\n`));
    before = reply(text);
  }
  assert.ok(cuts > 0 && cuts < 5, `${cuts} cuts`);
});

test('of a reply that comes too fast to be read the last is shown, and more of it when it is there', () => {
  const run = newRun();
  const renderer = new Renderer(run);
  const step: RunEvent = {
    type: 'step_completed',
    step: 1,
    usage: { input: 1, output: 1 },
    stop_reason: 'end',
  };
  apply(run, START);
  apply(run, { type: 'step_started', step: 1 });
  for (let burst = 0; burst < 10; burst += 1) {
    apply(run, { type: 'text_delta', text: `${'word word\n'.repeat(1_500)}word ${burst}\n` });
    const { text, isWhole } = renderer.render();
    assert.ok(isWhole && text.length < 6_000 && text.endsWith(`word ${burst}\n`));
  }
  apply(run, step);
  assert.ok(renderer.render().text.length > 30_000);
});

test('rendering on the way changes nothing of the end', () => {
  const lines = readFileSync(new URL('../../../../tests/data/runs/refund.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const events: RunEvent[] = lines.map(line => JSON.parse(line));
  const run = newRun();
  const renderer = new Renderer(run);
  for (const event of events) {
    apply(run, event);
    renderer.render();
  }
  assert.deepEqual(renderer.render(), rendered(...events));
  assert.match(renderer.render().text, /\n✓ 4 record_refund \{"id":1042,"amount":4.9\} · /);
});
