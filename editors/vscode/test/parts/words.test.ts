import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputLine, label, message, oneLine, visible, withoutMiddle } from '../../src/runs/foreign.ts';
import { bytes, duration, shortCount, shortTime } from '../../src/runs/words.ts';

test('counts and times are short, cut and not rounded', () => {
  for (const [count, expected] of [
    [0, '0'],
    [999, '999'],
    [1_000, '1k'],
    [1_234, '1.2k'],
    [12_900, '12k'],
    [3_450_000, '3.4M'],
  ] as const) {
    assert.equal(shortCount(count), expected);
  }
  for (const [ms, expected] of [
    [0, '0.0 s'],
    [2_450, '2.4 s'],
    [59_999, '59.9 s'],
    [65_000, '1 min 05 s'],
    [3_600_000, '60 min 00 s'],
  ] as const) {
    assert.equal(shortTime(ms), expected);
  }
  assert.deepEqual([duration(20), duration(1_200)], ['20 ms', '1.2 s']);
  assert.deepEqual([bytes(130), bytes(1_999), bytes(3_000_000)], ['130 B', '1.9 kB', '3 MB']);
});

test('what a person would not see is written out', () => {
  assert.equal(visible('a\u0000b\u202ec\u{e0001}d'), 'a\\u{0}b\\u{202e}c\\u{e0001}d');
  assert.equal(visible('tab\tline\r\nline\rend'), 'tab\tline\nline\nend');
});

test('a line is one line, and a long one says that it goes on', () => {
  for (const [text, expected] of [
    ['  two\n word ', 'two word'],
    ['12345678', '12345678'],
    ['123456789', '12345678…'],
    [`1${' '.repeat(100)}2`, '1…'],
  ] as const) {
    assert.equal(oneLine(text, 8), expected);
  }
  assert.equal(inputLine({ id: 1 }, 20), '{"id":1}');
  assert.equal(inputLine('{ not json', 20), '{ not json');
  assert.equal(inputLine(undefined, 20), '');
});

test('nothing in a message is a link', () => {
  assert.equal(message('[go](command:x)', 100), '[go] (command:x)');
  assert.equal(withoutMiddle('[go](command:x)', 100), '[go] (command:x)');
});

test('nothing in a list or the status bar is an icon', () => {
  assert.equal(label('a $(trash) b', 100), 'a $ (trash) b');
});

test('the middle is left out and said', () => {
  assert.equal(withoutMiddle('0123456789ab', 4), '01…[8 characters left out]…ab');
});
