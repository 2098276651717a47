/** More output than anybody reads. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { windowTest } from './editor.ts';

windowTest(
  '50,000 chunks and a line of 65,000 characters leave an editor in which one can write',
  async editor => {
    const window = await editor.open(editor.folder('much.loop.toml', 'print.awk'), 'much.loop.toml');
    await window.lens('Run');
    await window.waitText('much #1', /┆ \d+ lines before/);
    await window.click('name = "print"');
    await window.page.keyboard.type(' # typed while it prints');
    await window.waitText('much.loop.toml', '# typed while it prints');
    assert.doesNotMatch(await window.text('much #1'), /answer/);
    writeFileSync(path.join(window.folder, 'go'), '');
    const end = await window.waitText('much #1', '✓ answer · 1/25 iterations');
    assert.match(end, /… \[65000 characters\]/);
  },
);
