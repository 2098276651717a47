import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Editor } from './editor.ts';

let editor: Editor;
before(async () => {
  editor = await Editor.start();
});
after(() => editor.end());

test('a negative limit has a squiggle, the hover tells what a mode comes to, and a lens runs it', async () => {
  const window = await editor.open(editor.folder('modes.loop.toml'), 'modes.loop.toml');
  await window.lens('Run quick');
  await window.screenshot('first');
  await window.waitText('modes #1', 'answer');
  await window.screenshot('first');
  assert.deepEqual(await window.toasts(), []);
  await window.close();
});
