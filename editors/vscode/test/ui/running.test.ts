/** Runs, as a person starts, reads and ends them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { editorTest, type Window, windowTest } from './editor.ts';

function touch(window: Window, name: string): void {
  writeFileSync(path.join(window.folder, name), '');
}

windowTest(
  'a lens runs its own mode; the run streams beside the definition and does not take the focus',
  async editor => {
    const window = await editor.open(editor.folder('waits.loop.toml', 'wait.sh'), 'waits.loop.toml');
    await window.lens('Run right');
    const text = await window.waitText('waits #1', 'right waits');
    assert.match(text, /waits · right · scripted\/right/);
    assert.match(text, /> Go\./);
    assert.match(text, /… 1 wait_right \{\}/);
    assert.doesNotMatch(text, /right answers/);
    await window.screenshot('running');
    // Whoever types goes on in the definition.
    await window.page.keyboard.type('#typed');
    await window.waitText('waits.loop.toml', '#typed');
    touch(window, 'right.go');
    const end = await window.waitText('waits #1', '✓ answer · 1/25 iterations · 1/100 calls');
    assert.match(end, /✓ 1 wait_right/);
    assert.match(end, /│ right goes on/);
    assert.match(end, /right answers/);
    assert.deepEqual(await window.toasts(), []);
    // The lens tells of the run too.
    await window.page
      .locator('.codelens-decoration', { hasText: 'answer · 1/25 iterations' })
      .first()
      .waitFor();
    const rows = (await window.runRows()).join('\n');
    assert.match(
      rows,
      /^waits · right#1 answer\nStep 1right begins\nwait_right\{\} · \d.*\nStep 2right answers$/,
    );
    await window.screenshot('ran');
  },
);

windowTest('two runs at once are kept apart, and Stop ends the one it belongs to', async editor => {
  const window = await editor.open(editor.folder('waits.loop.toml', 'wait.sh'), 'waits.loop.toml');
  const { page } = window;
  await window.lens('Run left');
  await window.waitText('waits #1', 'left waits');
  await window.lens('Run right');
  await window.waitText('waits #2', 'right waits');
  await page.locator('.tab[aria-label*="waits #1"]').click();
  await page
    .locator(
      '.editor-group-container:has(.tab.active[aria-label*="waits #1"]) .action-label[aria-label*="Stop"]',
    )
    .click();
  const left = await window.waitText('waits #1', '■ cancelled');
  assert.match(left, /✗ 1 wait_left/);
  assert.doesNotMatch(left, /right/);
  await page.locator('.tab[aria-label*="waits #2"]').click();
  touch(window, 'right.go');
  const right = await window.waitText('waits #2', '✓ answer');
  assert.doesNotMatch(right, /left/);
});

windowTest(
  'what is shown is run, saved or not; lens, palette, title button and code action do the same',
  async editor => {
    const window = await editor.open(editor.folder('modes.loop.toml'), 'modes.loop.toml');
    const { page } = window;
    await window.lens('Run quick');
    await window.waitText('modes #1', '✓ answer');
    await window.click('text = "Fine, I hear."');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type(' Not saved.');
    await window.command('Loop: Run');
    await window.waitText('modes #2', 'Not saved.');
    await page.locator('.editor-actions .action-label[aria-label^="Run"]').first().click();
    await window.waitText('modes #3', 'Not saved.');
    await window.click('name = "slow"');
    await page.keyboard.press('Control+.');
    await page.locator('.action-widget .monaco-list-row', { hasText: 'Run loop in mode slow' }).click();
    await window.waitText('modes #4', /modes · slow[\s\S]*Not saved\./);
  },
);

windowTest(
  'a call that writes is asked about: Deny is an answer, and so is Allow in the view',
  async editor => {
    const window = await editor.open(editor.folder('writes.loop.toml'), 'writes.loop.toml');
    const { page } = window;
    const written = path.join(window.folder, 'written');
    await window.lens('Run');
    const toast = await window.waitToast('call 1 of write (write) will do this');
    assert.match(await toast.innerText(), /tee written/);
    await window.screenshot('question');
    await toast.getByText('Deny').click();
    await window.waitText('writes #1', 'denied');
    await window.waitText('writes #1', '✓ answer');
    assert.equal(existsSync(written), false);

    await window.lens('Run');
    await window.waitToast('writes #2: call 1 of write');
    await page
      .locator('#loopls\\.loopls\\.loopls\\.runs, .statusbar-item', { hasText: 'write asks' })
      .first()
      .click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Allow Once' }).click();
    await window.waitText('writes #2', '✓ answer');
    assert.equal(readFileSync(written, 'utf8'), 'a text');
  },
);

editorTest(
  'without lenses and hints, title and palette run',
  { settings: { 'loopls.lenses': false } },
  async editor => {
    const window = await editor.open(editor.folder('modes.loop.toml'), 'modes.loop.toml');
    const { page } = window;
    // What comes after the lenses would have come.
    await window.hover('quick');
    assert.equal(await page.locator('.codelens-decoration').count(), 0);
    await window.touch();
    await window.command('Loop: Run');
    await window.waitText('modes #1', '✓ answer');
    editor.writeSettings({ 'loopls.lenses': true, 'loopls.run.mode': 'slow', 'loopls.run.reveal': 'never' });
    await page.locator('.codelens-decoration').first().waitFor();
    await window.touch();
    await window.command('Loop: Run');
    const toast = await window.waitToast('modes: answer: Fine, I hear.');
    await toast.getByText('Show Run').click();
    await window.waitText('modes #2', 'modes · slow');
  },
);

windowTest(
  'a definition without a prompt is asked for one, and a next turn goes on from the last',
  async editor => {
    const folder = editor.folder('modes.loop.toml');
    const file = path.join(folder, 'modes.loop.toml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('prompt = "How are you?"\n', ''));
    const window = await editor.open(folder, 'modes.loop.toml');
    const { page } = window;
    const input = page.locator('.quick-input-widget input');
    await window.lens('Run quick');
    await input.fill('And you?');
    await page.keyboard.press('Enter');
    await window.waitText('modes #2', /> And you\?[\s\S]*✓ answer/);
    await window.command('Loop: Next Turn');
    await input.fill('And now?');
    await page.keyboard.press('Enter');
    await window.waitText('modes #3', /> And now\?[\s\S]*✓ answer/);
  },
);

windowTest('what is wrong with a definition is said instead of a run', async editor => {
  const window = await editor.open(editor.folder('faulty.loop.toml'), 'faulty.loop.toml');
  await window.lens('Run');
  const toast = await window.waitToast(/Nothing was run: faulty\.loop\.toml:8:9: .*never negative/);
  await toast.getByText('Show Problems').click();
  await window.page.locator('.markers-panel .monaco-list-row').first().waitFor();
});
