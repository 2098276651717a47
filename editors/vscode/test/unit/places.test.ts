import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf } from '../../src/places.ts';

const TEXT = `name = "find"

[limits]
calls = 3

[[tools]]
description = "Finds."
name = "find"

[[tools]]
name = 'several'
produces = ["one", "two"]

[[modes]]
name = "find"
`;

test('a tool is where its name is, a mode where its own is, a limit where the run says', () => {
  for (const [name, line] of [
    [{ tool: 'find' }, 7],
    [{ tool: 'several' }, 10],
    [{ tool: 'two' }, 11],
    [{ tool: 'gone' }, 0],
    [{ mode: 'find' }, 14],
    [{ mode: '' }, 0],
    [{ mode: 'find', limit: 3 }, 3],
    [{ mode: 'find', limit: 300 }, 14],
  ] as const) {
    assert.equal(placeOf(TEXT, name), line, JSON.stringify(name));
    assert.equal(placeOf(TEXT.replaceAll('\n', '\r\n'), name), line, JSON.stringify(name));
  }
});
