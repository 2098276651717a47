/** Runs, as a person starts, reads and ends them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { editorTest, fileTest } from './editor.ts';

const WAITS: [string, string] = ['waits.loop.toml', 'wait.sh'];

fileTest(
  'a lens runs its own mode; the run streams beside the definition and does not take the focus',
  WAITS,
  async (window, folder) => {
    const { page } = window;
    await window.lens('Run right');
    const text = await window.waitText('waits #1', 'right waits');
    assert.match(text, /waits · right · scripted\/right/);
    assert.match(text, /> Go\./);
    assert.match(text, /… 1 wait_right \{\}/);
    assert.doesNotMatch(text, /right answers/);
    await window.screenshot('running');
    // Whoever types goes on in the definition.
    await page.keyboard.type('#typed');
    await window.waitText('waits.loop.toml', '#typed');
    writeFileSync(path.join(folder, 'right.go'), '');
    const end = await window.waitText('waits #1', '✓ answer · 1/25 iterations · 1/100 calls');
    assert.match(end, /✓ 1 wait_right/);
    assert.match(end, /│ right goes on/);
    assert.match(end, /right answers/);
    assert.deepEqual(await window.toasts(), []);
    // The lens tells of the run too.
    await page.locator('.codelens-decoration', { hasText: 'answer · 1/25 iterations' }).first().waitFor();
  },
);

fileTest(
  'the Loop Runs view has steps and calls, jumps to the tool, and shows a call whole',
  ['order-desk.loop.toml', 'tools', 'data'],
  async window => {
    const { page } = window;
    await window.lens('Run');
    await window.waitText('order-desk #1', '✓ answer');
    await window.waitRows(
      /^order-desk · lookup#1 answer\nStep 1I look at .*\nfind_order\{"id":1042\} · \d.*\ntrack_parcel\{"id":1042\} · \d.*\nStep 2/,
    );
    await window.screenshot('ran');
    const row = page.locator('.panel .monaco-list-row', { hasText: 'track_parcel' }).first();
    const act = (title: string) => row.locator(`.action-label[aria-label^="${title}"]`);
    await row.hover();
    await act('Show Input and Result').click();
    const call = await window.waitText('track_parcel #1.2', 'delayed by snow');
    assert.match(call, /input\n {2}\{\n {4}"id": 1042\n {2}\}/);
    await row.hover();
    await act('Go to Definition').click();
    await page.locator('.statusbar-item', { hasText: /Ln 51,/ }).waitFor();
    await window.command('Loop: Open Transcript');
    await window.waitText('.jsonl', /"type":"run_started"[\s\S]*"type":"run_ended"/);
  },
);

fileTest(
  'two runs at once are kept apart, and Stop ends the one it belongs to',
  WAITS,
  async (window, folder) => {
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
    writeFileSync(path.join(folder, 'right.go'), '');
    const right = await window.waitText('waits #2', '✓ answer');
    assert.doesNotMatch(right, /left/);
  },
);

fileTest(
  'what is shown is run, saved or not; lens, palette, title button and code action do the same',
  ['modes.loop.toml'],
  async window => {
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
    await page.locator('.tab.dirty', { hasText: 'modes.loop.toml' }).waitFor();
  },
);

fileTest(
  'a call that writes is asked about: Deny is an answer, and so is Allow from the status bar',
  ['writes.loop.toml'],
  async (window, folder) => {
    const { page } = window;
    const written = path.join(folder, 'written');
    await window.lens('Run');
    const toast = await window.waitToast('writes #1: call 1 of write (write) will do this');
    assert.match(await toast.innerText(), /tee written/);
    await window.screenshot('question');
    await toast.getByText('Deny').click();
    await window.waitText('writes #1', /· denied[\s\S]*✓ answer/);
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

fileTest(
  'of two runs that ask at once each gets its own answer, the second one first',
  ['writes.loop.toml'],
  async (window, folder) => {
    await window.lens('Run');
    const first = await window.waitToast('writes #1: call 1 of write');
    await window.command('Loop: Run');
    const second = await window.waitToast('writes #2: call 1 of write');
    await second.getByText('Allow Once').click();
    await window.waitText('writes #2', '✓ answer');
    assert.equal(readFileSync(path.join(folder, 'written'), 'utf8'), 'a text');
    await first.getByText('Deny').click();
    await window.page.locator('.tab[aria-label*="writes #1"]').click();
    await window.waitText('writes #1', /· denied[\s\S]*✓ answer/);
    assert.doesNotMatch(await window.text('writes #1'), /│ a text/);
  },
);

editorTest(
  'without lenses, title and palette run; a run that opens nothing has its first words once it is looked at',
  { settings: { 'loopls.lenses': false, 'loopls.run.reveal': 'never', 'loopls.run.mode': 'right' } },
  async editor => {
    const window = await editor.open(editor.folder(...WAITS), 'waits.loop.toml');
    const { page } = window;
    // What comes after the lenses would have come.
    await window.hover('"right"');
    assert.equal(await page.locator('.codelens-decoration').count(), 0);
    const latch = path.join(window.folder, 'right.go');
    const isWaiting = page.locator('.statusbar-item', { hasText: 'waits step 1' });
    await window.touch();
    await window.command('Loop: Run');
    await isWaiting.waitFor();
    writeFileSync(latch, '');
    const toast = await window.waitToast('waits: answer: right answers');
    await toast.getByText('Show Run').click();
    await window.waitText('waits #1', '✓ answer');

    rmSync(latch);
    await window.command('Loop: Run Again');
    // It has said much before there is a document to show it in.
    await isWaiting.waitFor();
    await window.command('Loop: Show Run');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: '#2 waits right' }).click();
    await window.waitText('waits #2', /^▶ waits · right[\s\S]*right begins[\s\S]*right waits/);
    writeFileSync(latch, '');
    await window.waitText('waits #2', '✓ answer');
    editor.writeSettings({ 'loopls.lenses': true });
    await page.locator('.codelens-decoration').first().waitFor();
  },
);

fileTest(
  'a definition without a prompt is asked for one, and a next turn goes on from the last',
  ['modes.loop.toml'],
  async window => {
    const { page } = window;
    const input = page.locator('.quick-input-widget input');
    await window.click('prompt = "How are you?"');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.press('Backspace');
    await window.lens('Run quick');
    await page.locator('.quick-input-widget', { hasText: 'The user message' }).waitFor();
    await input.fill('And you?');
    await page.keyboard.press('Enter');
    await window.waitText('modes #1', /> And you\?[\s\S]*✓ answer/);
    await window.command('Loop: Next Turn');
    await page.locator('.quick-input-widget', { hasText: 'What to say next' }).waitFor();
    await input.fill('And now?');
    await page.keyboard.press('Enter');
    await window.waitText('modes #2', /> And now\?[\s\S]*✓ answer/);
  },
);

fileTest(
  'what is wrong with a definition is said instead of a run, and does not take the focus',
  ['faulty.loop.toml'],
  async window => {
    const { page } = window;
    await window.lens('Run');
    const toast = await window.waitToast(/Nothing was run: faulty\.loop\.toml:8:9: .*never negative/);
    await page.keyboard.type('#typed');
    await window.waitText('faulty.loop.toml', '#typed');
    await toast.getByText('Show Problems').click();
    await page.locator('.markers-panel .monaco-list-row').first().waitFor();
  },
);
