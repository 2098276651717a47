// The program against aimock, which nobody here wrote and which speaks the protocols of all providers: what comes of its
// replies, and what it was asked.
//
//     node tests/wire/run.mjs FOLDER    FOLDER holds node_modules; LOOPLS is the path of the program
//
// aimock mends what is malformed, so that is tested against fakes of our own (tests/it/run/providers.rs).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const loopls = process.env.LOOPLS;
const entry = join(resolve(process.argv[2]), 'node_modules/@copilotkit/aimock/dist/index.js');
const { LLMock } = await import(pathToFileURL(entry));

const KEY = 'key-that-nobody-sees';
const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
await mock.start();

// Where each provider's protocol begins at one address.
const PROVIDERS = {
  openai: '/v1',
  'openai-compatible': '/v1',
  anthropic: '',
  gemini: '',
  ollama: '',
};

const folder = mkdtempSync(join(tmpdir(), 'loopls-wire-'));

/** Writes a definition that asks `provider`, and returns its path. */
function definition(provider, extra = '', model = '') {
  const path = join(folder, `${provider}.loop.toml`);
  const tool = (name, script) => `
[[tools]]
name = "${name}"
description = "Does ${name}."
effect = "read"
command = ["sh", "-c", '${script}']
input.properties.order = { type = "integer", description = "The order." }
`;
  writeFileSync(
    path,
    `name = "desk"
system = "Be brief."

[model]
provider = "${provider}"
name = "claude-or-another"
base_url = "${mock.url}${PROVIDERS[provider]}"
api_key_env = "DESK_KEY"
${model}
${extra}
${tool('find', 'until [ -e tracked ]; do sleep 0.1; done; rm tracked; sleep 1; cat')}
${tool('track', 'touch tracked; echo here')}
`,
  );
  return path;
}

/** Runs the program; `signal` is sent to it once an event of `signal.at` was seen. */
function run(path, prompt, { args = [], signal } = {}) {
  return new Promise((done, fail) => {
    const env = { ...process.env, DESK_KEY: KEY, XDG_STATE_HOME: folder };
    const child = spawn(loopls, ['run', '--json', ...args, path, prompt], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      if (signal && stdout.includes(`"type":"${signal.at}"`)) {
        child.kill(signal.name);
        signal = undefined;
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.on('error', fail);
    child.on('close', (status) => {
      if (`${stdout}${stderr}`.includes(KEY)) {
        fail(new Error('the key is shown'));
        return;
      }
      const events = stdout
        .split('\n')
        .filter((line) => line)
        .map((line) => JSON.parse(line));
      const of = (type) => events.filter((event) => event.type === type);
      done({ status, stderr, events, of, ended: events.at(-1) ?? { stderr } });
    });
  });
}

/** Replies to `prompt`: to the n-th request whose last message of a person holds it, the n-th of `responses`. */
function replies(prompt, responses, options = {}) {
  responses.forEach((response, sequenceIndex) => {
    mock.addFixture({ match: { userMessage: prompt, sequenceIndex }, response, ...options });
  });
}

const two = { toolCalls: [
  { name: 'find', arguments: '{"order":1042}', id: 'call_find' },
  { name: 'track', arguments: '{}', id: 'call_track' },
] };

/** What was last asked, as text. The mock tells it in the words of chat completions, whatever the protocol was. */
const asked = () => JSON.stringify(mock.getLastRequest().body);

const tests = {
  async 'two calls in one reply run side by side and are answered in call order'(provider) {
    const usage = { prompt_tokens: 12, completion_tokens: 5 };
    replies('parallel', [{ ...two, usage }, { content: 'Both done.', usage }]);
    const ran = await run(definition(provider), 'parallel');
    assert.equal(ran.ended.stop, 'answer', JSON.stringify(ran.ended));
    assert.equal(ran.ended.answer, 'Both done.');
    assert.deepEqual([ran.ended.iterations, ran.ended.calls], [1, 2]);
    assert.deepEqual(ran.of('tool_started').map((event) => [event.tool, event.input]), [['find', { order: 1042 }], ['track', {}]]);
    const order = ran.events.map((event) => event.type).filter((type) => type.startsWith('tool_') && type !== 'tool_output');
    assert.deepEqual(order, ['tool_started', 'tool_started', 'tool_completed', 'tool_completed']);
    // The second is done first, and told second.
    assert.deepEqual(ran.of('tool_completed').map((event) => event.tool), ['track', 'find']);
    const results = mock.getLastRequest().body.messages.slice(-2);
    // Gemini takes an object for a result, and the mock tells it as JSON.
    const told = (text) => (provider === 'gemini' ? JSON.stringify({ output: text }) : text);
    assert.deepEqual(results.map((result) => [result.role, result.content]), [['tool', told('{"order":1042}')], ['tool', told('here\n')]]);
    assert.ok(ran.ended.usage.input > 0 && ran.ended.usage.output > 0, JSON.stringify(ran.ended.usage));
  },

  async 'several turns go on with what was said'(provider) {
    replies('first of all', [{ toolCalls: [{ name: 'track', arguments: '{}' }] }, { content: 'It is here.' }]);
    replies('and then', [{ content: 'That was all.' }]);
    const path = definition(provider);
    const first = await run(path, 'first of all');
    assert.equal(first.ended.answer, 'It is here.');
    const second = await run(path, 'and then', { args: ['--continue', first.events[0].run] });
    assert.equal(second.ended.answer, 'That was all.');
    for (const said of ['first of all', 'here', 'It is here.', 'and then']) {
      assert.ok(asked().includes(said), `${said}: ${asked()}`);
    }
  },

  async 'a provider that is busy is asked again when it says'(provider) {
    const error = { message: 'slow down', type: 'rate_limit_error' };
    replies('busy', [{ error, status: 429, retryAfter: 1 }, { content: 'Now.' }]);
    const ran = await run(definition(provider), 'busy');
    assert.equal(ran.ended.answer, 'Now.', JSON.stringify(ran.ended));
    const [retry] = ran.of('retry');
    assert.equal(retry.after_ms, 1000);
    assert.match(retry.reason, /answered 429 Too Many Requests: slow down$/);
  },

  async 'one that is overloaded too'(provider) {
    const error = { message: 'Overloaded', type: 'overloaded_error' };
    replies('overloaded', [{ error, status: 529 }, { content: 'Now.' }]);
    const ran = await run(definition(provider), 'overloaded');
    assert.equal(ran.ended.answer, 'Now.', JSON.stringify(ran.ended));
    assert.match(ran.of('retry')[0].reason, /answered 529 .*: Overloaded$/);
  },

  async 'what asking again would not mend fails with its words'(provider) {
    replies('no such key', [{ error: { message: 'no such key' }, status: 401 }]);
    const ran = await run(definition(provider), 'no such key');
    assert.deepEqual([ran.ended.stop, ran.status], ['failed', 5]);
    assert.match(ran.ended.reason, /answered 401 Unauthorized: no such key/);
    assert.equal(ran.of('retry').length, 0);
  },

  async 'a reply that is cut is no answer, and of its calls none runs'(provider) {
    replies('cut text', [{ content: 'It is', finishReason: 'length' }]);
    replies('cut call', [{ ...two, finishReason: 'length' }]);
    for (const prompt of ['cut text', 'cut call']) {
      const ran = await run(definition(provider), prompt);
      assert.deepEqual([ran.ended.stop, ran.status], ['max_tokens', 4], `${prompt}: ${JSON.stringify(ran.ended)}`);
      assert.equal(ran.of('tool_started').length, 0);
    }
  },

  async 'a stream that breaks off is no answer'(provider) {
    replies('breaks', [{ content: 'This never comes to its end, however long one waits.' }], { chunkSize: 4, truncateAfterChunks: 3 });
    const ran = await run(definition(provider), 'breaks');
    assert.deepEqual([ran.ended.stop, ran.status], ['failed', 5], JSON.stringify(ran.ended));
  },

  async 'a slow stream is shown as it comes'(provider) {
    const content = 'It was shipped on Monday and will arrive soon.';
    replies('slow', [{ content }], { chunkSize: 8, latency: 40 });
    const ran = await run(definition(provider), 'slow');
    assert.equal(ran.ended.answer, content);
    const times = ran.of('text_delta').map((event) => event.t);
    assert.ok(times.length > 3 && times.at(-1) - times[0] > 0.1, `${times}`);
  },

  async 'a cancel in the middle of a stream ends it'(provider) {
    replies('endless', [{ content: 'word '.repeat(4000) }], { chunkSize: 5, latency: 20 });
    const start = Date.now();
    const ran = await run(definition(provider), 'endless', { signal: { at: 'text_delta', name: 'SIGINT' } });
    assert.deepEqual([ran.ended.stop, ran.status], ['cancelled', 130], JSON.stringify(ran.ended));
    assert.ok(Date.now() - start < 60_000, 'the stream was read to its end');
  },
};

/** The form of an answer, where the provider sees to it beside tools. */
async function structured(provider) {
  const output = `
[output]
name = "state"
[output.schema]
type = "object"
required = ["shipped"]
additionalProperties = false
properties = { shipped = { type = "boolean" } }
`;
  const native = ['openai', 'anthropic'].includes(provider);
  const answer = native
    ? { content: '{"shipped": true}' }
    : { toolCalls: [{ name: '_looprig_final_output', arguments: '{"shipped": true}' }] };
  replies('structured', [answer]);
  const ran = await run(definition(provider, output), 'structured');
  assert.equal(ran.ended.answer, '{"shipped":true}', JSON.stringify(ran.ended));
}
tests['a structured answer'] = structured;

/** Which protocol is spoken: OpenAI's own has no stop sequences. */
async function protocol(provider) {
  replies('which protocol', [{ content: 'This.' }, { content: 'That.' }]);
  const paths = [];
  for (const model of ['', 'stop = ["END"]']) {
    const ran = await run(definition(provider, '', model), 'which protocol');
    assert.equal(ran.ended.stop, 'answer', JSON.stringify(ran.ended));
    paths.push(mock.getLastRequest().path);
  }
  assert.deepEqual(paths, ['/v1/responses', '/v1/chat/completions']);
}

let [passed, failed] = [0, 0];
for (const provider of Object.keys(PROVIDERS)) {
  const all = provider === 'openai' ? { ...tests, 'the protocol fits the parameters': protocol } : tests;
  for (const [name, test] of Object.entries(all)) {
    mock.reset();
    try {
      await test(provider);
      passed += 1;
    } catch (error) {
      failed += 1;
      console.error(`FAILED ${provider}: ${name}\n${error.message}\n`);
    }
  }
}
await mock.stop();
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
