/** The tests of definitions in the Test Explorer, and runs that become tests. */
import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { fileTest, until, windowTest } from './editor.ts';
import { SOON_MS } from './waiting.ts';

windowTest(
  'the Test Explorer lists the tests of a definition, runs them, and says of each what the server says',
  async editor => {
    const window = await editor.open(editor.folder('tests.loop.toml'), 'tests.loop.toml');
    const { page } = window;
    await window.lensLine('Run test').waitFor();
    await window.command('Testing: Focus on Test Explorer View');
    const rows = page.locator('.test-explorer .monaco-list-row');
    await until('the tests of the file', async () => {
      // Opens the file's row, or goes from the open one to its first test.
      await rows.filter({ hasText: 'tests.loop.toml' }).first().click({ timeout: SOON_MS });
      await page.keyboard.press('ArrowRight');
      await rows.filter({ hasText: 'says more' }).first().waitFor({ timeout: SOON_MS });
      return true;
    });
    await window.command('Test: Run All Tests');
    // Both runs end with an answer; the second test expects another one.
    const test = (name: string, state: string) =>
      rows.filter({ hasText: name }).filter({ has: page.locator(`.codicon-testing-${state}-icon`) });
    await test('says fine', 'passed').first().waitFor();
    await test('says more', 'failed').first().waitFor();
    // Why, at the expectation or among the results: VS Code decides which it shows.
    await page
      .locator('.test-error-content-widget, .test-output-peek-tree .monaco-list-row', {
        hasText: 'the answer is `Fine.`',
      })
      .filter({ visible: true })
      .first()
      .waitFor();
    await window.screenshot('tests');
    // A definition that is new is there too, until it is gone. VS Code begins to watch files when it has the time.
    const file = (number: number) => path.join(window.folder, `new${number}.loop.toml`);
    const row = (number: number) => rows.filter({ hasText: `new${number}.loop.toml` });
    let number = 0;
    await until('a new definition', async () => {
      number += 1;
      copyFileSync(path.join(window.folder, 'tests.loop.toml'), file(number));
      await row(number).waitFor({ timeout: SOON_MS });
      return true;
    });
    rmSync(file(number));
    await row(number).waitFor({ state: 'detached' });
  },
);

fileTest(
  'the lens of a test runs it as the Test Explorer does, and opens no document of the run',
  ['tests.loop.toml'],
  async window => {
    const { page } = window;
    await window.lens('Run test');
    await window.lensLine('says fine passed ·').waitFor();
    await window.waitRows(/^tests · says fine#1 passed\n/);
    assert.equal(await page.locator('.tab', { hasText: 'tests #1' }).count(), 0);
  },
);

fileTest(
  'a run becomes a test, which is shown before it is added, and passes',
  ['modes.loop.toml'],
  async window => {
    const { page } = window;
    await window.lens('Run quick');
    await window.waitText('modes #1', '✓ answer');

    // Not wanted after all.
    await window.command('Loop: Save Run as Test…');
    await window.answer('The name of the test');
    await window.waitText('to be added', /\[\[tests\]\][\s\S]*name = "How are you\?"[\s\S]*script/);
    await window.screenshot('save-as-test');
    await window.choose('Cancel');
    await page.locator('.tab', { hasText: 'to be added' }).waitFor({ state: 'detached' });

    await window.command('Loop: Save Run as Test…');
    await window.answer('The name of the test', 'is well');
    await window.choose(/^Add this test to/);
    await window.waitText('modes.loop.toml', /\[\[tests\]\][\s\S]*name = "is well"/);
    await window.lens('Run test');
    await window.lensLine('is well passed ·').waitFor();
  },
);
