/** Runs, as a person starts, reads and ends them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { editorTest, fileTest, windowTest } from './editor.ts';
import { Model } from './model.ts';
import { SOON_MS, until } from './waiting.ts';

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
    await window.lensLine('answer · 1/25 iterations').waitFor();
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
    await window.actOnRow('track_parcel', 'Show Input and Result', window.tab('track_parcel #1.2'));
    const call = await window.waitText('track_parcel #1.2', 'delayed by snow');
    assert.match(call, /input\n {2}\{\n {4}"id": 1042\n {2}\}/);
    const line = page.locator('.statusbar-item', { hasText: /Ln 51,/ });
    await window.actOnRow('track_parcel', 'Go to Definition', line);
    await window.command('Loop: Open Transcript');
    await window.waitText('.jsonl', /"type":"run_started"[\s\S]*"type":"run_ended"/);
  },
);

windowTest('the Loop Runs view grows with the run: a step opens with its first call', async editor => {
  const model = await Model.start();
  try {
    const folder = editor.folder();
    writeFileSync(path.join(folder, 'played.loop.toml'), model.definition);
    const window = await editor.open(folder, 'played.loop.toml');
    await window.lens('Run');
    await model.next();
    model.say('I begin.');
    await window.waitText('played #1', 'I begin.');
    await window.waitRows(/^played#1 step 1\nStep 1I begin\.$/);
    model.end('note');
    await model.next();
    await window.waitRows(/^played#1 step 2\nStep 1I begin\.\nnote\{\} · \d.*\nStep 2$/);
    model.say('Done.');
    model.end();
    await window.waitRows(/^played#1 answer\nStep 1I begin\.\nnote\{\} · \d.*\nStep 2Done\.$/);
    // Nobody counted tokens, so none are told.
    await window.waitText('played #1', /✓ answer · 1\/25 iterations · 1\/100 calls · \d+\.\d s/);
    await window.lensLine(/answer · 1\/25 iterations · 1\/100 calls · \d+\.\d s/).waitFor();
  } finally {
    model.stop();
  }
});

fileTest(
  'what Loop Runs offers of a run stays in place while calls come and go',
  ['naps.loop.toml'],
  async (window, folder) => {
    await window.lens('Run');
    await window.waitRows(/^naps#1 step 1\nStep 1I nap\.\nnap/);
    const row = window.page.locator('.panel .monaco-list-row', { hasText: 'naps' }).first();
    await row.hover();
    const calls = () => readFileSync(path.join(folder, 'naps'), 'utf8').split('\n').length;
    // A view that has just been opened is drawn once more.
    await until('Stop to be the same through five calls, and to be pressed', async () => {
      const stop = await row.locator('.action-label[aria-label^="Stop"]').elementHandle({ timeout: SOON_MS });
      const before = calls();
      await until('five more calls', () => calls() >= before + 5, SOON_MS);
      await stop?.click({ timeout: SOON_MS });
      return true;
    });
    await window.waitText('naps #1', 'cancelled');
    await window.waitRows(/^naps#1 cancelled\n/);
  },
);

fileTest(
  'two runs at once are kept apart, and Stop ends the one it belongs to',
  WAITS,
  async (window, folder) => {
    await window.lens('Run left');
    await window.waitText('waits #1', 'left waits');
    await window.lens('Run right');
    await window.waitText('waits #2', 'right waits');
    await window.tab('waits #1').click();
    await window.group('waits #1').locator('.action-label[aria-label*="Stop"]').click();
    const left = await window.waitText('waits #1', '■ cancelled');
    assert.match(left, /✗ 1 wait_left/);
    assert.doesNotMatch(left, /right/);
    await window.tab('waits #2').click();
    writeFileSync(path.join(folder, 'right.go'), '');
    const right = await window.waitText('waits #2', '✓ answer');
    assert.doesNotMatch(right, /left/);
  },
);

fileTest('Stop that is pressed again and again ends no other run', WAITS, async (window, folder) => {
  await window.lens('Run right');
  await window.waitText('waits #1', 'right waits');
  await window.lens('Run left');
  await window.waitText('waits #2', 'left waits');
  await window.waitRows(/^waits · left#2 step 1\n[\s\S]*waits · right#1 step 1\n/);
  const row = window.page.locator('.panel .monaco-list-row', { hasText: 'waits · left' }).first();
  await row.hover();
  const stop = await row.locator('.action-label[aria-label^="Stop"]').boundingBox();
  assert.ok(stop);
  // The row shows that the run is over a moment after it is: this is about the presses in between.
  for (let presses = 0; presses < 10; presses += 1) {
    await window.page.mouse.click(stop.x + stop.width / 2, stop.y + stop.height / 2);
  }
  await window.waitText('waits #2', '■ cancelled');
  await window.page.keyboard.press('Escape');
  await window.tab('waits #1').click();
  writeFileSync(path.join(folder, 'right.go'), '');
  await window.waitText('waits #1', '✓ answer');
});

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
    const title = window.group('modes.loop.toml').locator('.editor-actions .action-label[aria-label^="Run"]');
    await title.first().click();
    await window.waitText('modes #3', 'Not saved.');
    await window.click('name = "slow"');
    await window.act('Run loop in mode slow');
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
    await window.press('writes #1: call 1 of write', 'Deny');
    await window.waitText('writes #1', /· denied[\s\S]*✓ answer/);
    assert.equal(existsSync(written), false);

    await window.lens('Run');
    await window.waitToast('writes #2: call 1 of write');
    await page.locator('.statusbar-item', { hasText: 'write asks' }).first().click();
    await window.choose('Allow Once');
    await window.waitText('writes #2', '✓ answer');
    assert.equal(readFileSync(written, 'utf8'), 'a text');
  },
);

fileTest(
  'a tool that is allowed for this run is not asked about again in it; another tool is, and so is the next run',
  ['asks.loop.toml'],
  async (window, folder) => {
    const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
    await window.lens('Run');
    await window.press('asks #1: call 1 of write', 'Allow write for This Run');
    await window.waitToast('asks #1: call 3 of note');
    assert.equal(read('written'), 'onetwo');
    await window.waitText('asks #1', /✓ 1 write[\s\S]*✓ 2 write[\s\S]*\? 3 note/);
    await window.press('asks #1: call 3 of note', 'Deny');
    await window.waitText('asks #1', /✗ 3 note .* · denied[\s\S]*✓ answer/);
    assert.equal(existsSync(path.join(folder, 'noted')), false);

    await window.lens('Run');
    await window.press('asks #2: call 1 of write', 'Deny');
    await window.press('asks #2: call 2 of write', 'Allow Once');
    await window.press('asks #2: call 3 of note', 'Allow note for This Run');
    await window.waitText('asks #2', '✓ answer');
    assert.deepEqual([read('written'), read('noted')], ['onetwotwo', 'three']);
  },
);

fileTest(
  'of two runs that ask at once each gets its own answer, the second one first',
  ['writes.loop.toml'],
  async (window, folder) => {
    await window.lens('Run');
    await window.waitToast('writes #1: call 1 of write');
    await window.command('Loop: Run');
    await window.press('writes #2: call 1 of write', 'Allow Once');
    await window.waitText('writes #2', '✓ answer');
    assert.equal(readFileSync(path.join(folder, 'written'), 'utf8'), 'a text');
    await window.press('writes #1: call 1 of write', 'Deny');
    await window.tab('writes #1').click();
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
    await window.hover('"right"', /program and its arguments/);
    assert.equal(await page.locator('.codelens-decoration').count(), 0);
    const latch = path.join(window.folder, 'right.go');
    const isWaiting = page.locator('.statusbar-item', { hasText: 'waits step 1' });
    await window.touch();
    await window.command('Loop: Run');
    await isWaiting.waitFor();
    writeFileSync(latch, '');
    await window.press('waits: answer: right answers', 'Show Run');
    await window.waitText('waits #1', '✓ answer');
    await isWaiting.waitFor({ state: 'hidden' });

    rmSync(latch);
    await window.command('Loop: Run Again');
    // It has said much before there is a document to show it in.
    await isWaiting.waitFor();
    await window.command('Loop: Show Run');
    await window.choose('#2 waits right');
    await window.waitText('waits #2', /^▶ waits · right[\s\S]*right begins[\s\S]*right waits/);
    writeFileSync(latch, '');
    await window.waitText('waits #2', '✓ answer');
    editor.writeSettings({ 'loopls.lenses': true });
    await window.answered();
  },
);

editorTest(
  'a run that nobody sees stops from the status bar, from its message and from Loop Runs',
  { settings: { 'loopls.run.reveal': 'never' } },
  async editor => {
    const window = await editor.open(editor.folder(...WAITS), 'waits.loop.toml');
    const { page } = window;
    const isGoing = page.locator('.statusbar-item', { hasText: 'waits step 1' }).first();
    const stops = [
      () => isGoing.click(),
      () => window.press('waits #2: step 1', 'Cancel'),
      async () => {
        await window.waitRows(/^waits · right#3 step 1\n/);
        const cancelled = page.locator('.panel .monaco-list-row', { hasText: '#3 cancelled' });
        await window.actOnRow('#3 step 1', 'Stop', cancelled.first());
      },
    ];
    for (const stop of stops) {
      await window.lens('Run right');
      await isGoing.waitFor();
      await stop();
      await window.waitToast('waits: cancelled');
      await isGoing.waitFor({ state: 'hidden' });
      await window.forgetMessages();
    }
  },
);

fileTest(
  'a definition without a prompt is asked for one, and a next turn goes on from the last',
  ['modes.loop.toml'],
  async window => {
    const { page } = window;
    await window.click('prompt = "How are you?"');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.press('Backspace');
    await window.lens('Run quick');
    await window.answer('The user message', 'And you?');
    await window.waitText('modes #1', /> And you\?[\s\S]*✓ answer/);
    await window.command('Loop: Next Turn…');
    await window.answer('What to say next', 'And now?');
    await window.waitText('modes #2', /> And now\?[\s\S]*✓ answer/);
  },
);

fileTest(
  'what is wrong with a definition is said instead of a run, and does not take the focus',
  ['faulty.loop.toml'],
  async window => {
    const { page } = window;
    await window.lens('Run');
    const says = /Nothing was run: faulty\.loop\.toml:8:9: .*never negative/;
    await window.waitToast(says);
    await page.keyboard.type('#typed');
    await window.waitText('faulty.loop.toml', '#typed');
    await window.press(says, 'Show Problems');
    await page.locator('.markers-panel .monaco-list-row').first().waitFor();
  },
);
