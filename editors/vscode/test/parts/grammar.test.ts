import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { IGrammar } from 'vscode-textmate';

const require = createRequire(import.meta.url);
const oniguruma = require('vscode-oniguruma') as typeof import('vscode-oniguruma');
const textmate = require('vscode-textmate') as typeof import('vscode-textmate');

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
await oniguruma.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
    createOnigString: text => new oniguruma.OnigString(text),
  }),
  loadGrammar: async scope => {
    const path = { 'source.loop-toml': 'loop-toml', 'text.loop-run': 'loop-run' }[scope];
    return path ? textmate.parseRawGrammar(read(`syntaxes/${path}.tmLanguage.json`), `${path}.json`) : null;
  },
});
const toml = (await registry.loadGrammar('source.loop-toml')) as IGrammar;
const run = (await registry.loadGrammar('text.loop-run')) as IGrammar;

/** The words of a text that have a scope, each with the innermost one. */
function words(grammar: IGrammar, text: string): string[] {
  const found: string[] = [];
  let stack = textmate.INITIAL;
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const { startIndex, endIndex, scopes } of tokens) {
      const word = line.slice(startIndex, endIndex);
      if (scopes.length > 1 && word.trim() !== '') {
        found.push(`${word} ${scopes.at(-1)?.replace(/(\.json)?\.loop-(toml|run)$/, '')}`);
      }
    }
  }
  return found;
}

/** Only the words whose scope is not punctuation. */
function plain(text: string): string[] {
  return words(toml, text).filter(word => !/ punctuation\.| keyword\.operator/.test(word));
}

test('tables, keys and every kind of value', () => {
  for (const [text, expected] of [
    ['[model]', ['model entity.name.type.table']],
    ['[[modes.model.script]]', ['modes', 'model', 'script'].map(part => `${part} entity.name.type.table`)],
    [
      '  [ "a.b" . c ] # end',
      ['"a.b" entity.name.type.table', 'c entity.name.type.table', ' end comment.line.number-sign'],
    ],
    ['name = true', ['name support.type.property-name', 'true constant.language.boolean']],
    [
      'a."b c".d-1 = 0x_',
      ['a support.type.property-name', '"b c" support.type.property-name', 'd-1 support.type.property-name'],
    ],
    ['n = 0xdead_beef', ['n support.type.property-name', '0xdead_beef constant.numeric.hex']],
    [
      'n = [-3, +1_000, 1.5e-3, -inf]',
      [
        'n support.type.property-name',
        '-3 constant.numeric.integer',
        '+1_000 constant.numeric.integer',
        '1.5e-3 constant.numeric.float',
        '-inf constant.numeric.float',
      ],
    ],
    [
      'd = 2026-03-03T10:00:00Z',
      ['d support.type.property-name', '2026-03-03T10:00:00Z constant.other.datetime'],
    ],
    ['d = 10:00', ['d support.type.property-name', '10:00 constant.other.time']],
    ["s = 'C:\\n'", ['s support.type.property-name', 'C:\\n string.quoted.single.literal']],
    [
      's = "a\\tb\\q"',
      [
        's support.type.property-name',
        'a string.quoted.double.basic',
        '\\t constant.character.escape',
        'b string.quoted.double.basic',
        '\\q invalid.illegal.escape',
      ],
    ],
    [
      'a = { b = 1, c = "x" }',
      [
        'a support.type.property-name',
        'b support.type.property-name',
        '1 constant.numeric.integer',
        'c support.type.property-name',
        'x string.quoted.double.basic',
      ],
    ],
    [
      '# loopls: allow zero_limit',
      ['loopls: keyword.other.directive', 'allow keyword.other.directive', ' zero_limit constant.other.code'],
    ],
  ] as const) {
    assert.deepEqual(plain(text), expected, text);
  }
});

test('placeholders and environment variables stand out in strings of every kind', () => {
  for (const [open, close] of [
    ['"', '"'],
    ["'", "'"],
    ['"""', '"""'],
    ["'''", "'''"],
  ]) {
    const found = plain(`command = ["x", ${open}id={{ id-1 }} \${API_KEY} {{.Names}}${close}]`);
    assert.ok(found.includes(' id-1  variable.parameter.placeholder'), found.join('\n'));
    assert.ok(found.includes('API_KEY variable.other.constant.environment'), found.join('\n'));
    assert.ok(
      found.some(word => /^ \{\{\.Names\}\} string/.test(word)),
      found.join('\n'),
    );
  }
  assert.deepEqual(plain('a = 1 # {{id}}'), [
    'a support.type.property-name',
    '1 constant.numeric.integer',
    ' {{id}} comment.line.number-sign',
  ]);
});

test('strings over several lines hold what looks like a table, and up to two quotes before their end', () => {
  assert.deepEqual(plain('s = """\n[limits]\ncalls = 1 \\\n\n"quoted""""\nb = 1'), [
    's support.type.property-name',
    '[limits] string.quoted.triple.basic',
    'calls = 1  string.quoted.triple.basic',
    '\\ constant.character.escape.line',
    '"quoted string.quoted.triple.basic',
    'b support.type.property-name',
    '1 constant.numeric.integer',
  ]);
});

test('what is left open ends where only a statement can begin', () => {
  for (const open of ['a = "open', "a = 'open", 'a = [1, 2', 'a = [{ b = 1', 'a = { b = [']) {
    const found = plain(`${open}\n[limits]\ncalls = 1`);
    assert.deepEqual(
      found.slice(-3),
      ['limits entity.name.type.table', 'calls support.type.property-name', '1 constant.numeric.integer'],
      open,
    );
  }
  assert.deepEqual(plain('a = [\nb = 1').slice(1), [
    'b support.type.property-name',
    '1 constant.numeric.integer',
  ]);
});

test('an example has a scope for every word', () => {
  const folder = new URL('../../../../examples/', import.meta.url);
  for (const name of readdirSync(folder).filter(name => name.endsWith('.loop.toml'))) {
    let stack = textmate.INITIAL;
    for (const line of readFileSync(new URL(name, folder), 'utf8').split('\n')) {
      const { tokens, ruleStack } = toml.tokenizeLine(line, stack);
      stack = ruleStack;
      for (const { startIndex, endIndex, scopes } of tokens) {
        const word = line.slice(startIndex, endIndex);
        assert.ok(
          word.trim() === '' || (scopes.length > 1 && !scopes.some(scope => scope.startsWith('invalid'))),
          `${name}: ${line}: ${word}`,
        );
      }
    }
  }
});

test('the lines of a run', () => {
  for (const [line, expected] of [
    [
      '▶ desk · quick · scripted/m',
      ['▶ keyword.control', 'desk  entity.name.type', '· quick · scripted/m comment.line'],
    ],
    ['> Where?', ['> comment.line.mark', 'Where? string.unquoted.prompt']],
    [
      '✗ 2 find {} · 12 ms · denied',
      [
        '✗ token.error-token',
        '2 constant.numeric',
        'find entity.name.function',
        ' · 12 ms · denied comment.line',
      ],
    ],
    ['… 1 find ', ['… keyword.control', '1 constant.numeric', 'find entity.name.function']],
    ['✓ answer · 1/8 iterations', ['✓ answer  markup.inserted.end', '· 1/8 iterations comment.line']],
    [
      '■ failed: · odd · 0/8 iterations · 0/20 calls · 42 tokens · 0.0 s',
      [
        '■ failed: · odd token.error-token',
        ' · 0/8 iterations · 0/20 calls · 42 tokens · 0.0 s comment.line',
      ],
    ],
    ['  ✓ answer', []],
    ['  │ ✓ 1 find', ['│ comment.line.mark']],
  ] as const) {
    assert.deepEqual(words(run, line), expected, line);
  }
});
