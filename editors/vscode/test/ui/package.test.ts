/** The package, as somebody gets it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Editor } from './editor.ts';

const EXTENSION = fileURLToPath(new URL('../..', import.meta.url));

test('the package, installed on a clean profile, runs the example without any setting', async () => {
  execFileSync(process.execPath, ['scripts/package.mjs'], {
    cwd: EXTENSION,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const editor = await Editor.start({ package: path.join(EXTENSION, 'loopls-linux-x64.vsix') });
  try {
    await editor.use('package', async () => {
      const folder = editor.folder('order-desk.loop.toml', 'tools', 'data');
      const window = await editor.open(folder, 'order-desk.loop.toml');
      await window.lens('Run');
      const text = await window.waitText('order-desk #1', '✓ answer · 1/6 iterations · 2/6 calls');
      assert.match(text, /✓ 2 track_parcel \{"id":1042\}/);
      await window.screenshot('example');
      await window.command('loopls: Show Version');
      await window.waitToast(/loopls \d+\.\d+\.\d+, .*loopls\.loopls-.*\/server\/loopls/);
    });
  } finally {
    await editor.end();
  }
});
