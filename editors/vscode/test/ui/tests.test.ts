/** The tests of definitions in the Test Explorer, and runs that become tests. */
import assert from 'node:assert/strict';
import { fileTest, windowTest } from './editor.ts';

windowTest(
  'the Test Explorer lists the tests of a definition, runs them, and says of each what the server says',
  async editor => {
    const window = await editor.open(editor.folder('tests.loop.toml'), 'tests.loop.toml');
    const { page } = window;
    await page.locator('.codelens-decoration', { hasText: 'Run test' }).first().waitFor();
    await window.command('Testing: Focus on Test Explorer View');
    const rows = page.locator('.test-explorer .monaco-list-row');
    await rows.filter({ hasText: 'tests.loop.toml' }).first().click();
    await page.keyboard.press('ArrowRight');
    await rows.filter({ hasText: 'says more' }).first().waitFor();
    await window.command('Test: Run All Tests');
    // Both runs end with an answer; the second test expects another one.
    const test = (name: string, state: string) =>
      rows.filter({ hasText: name }).filter({ has: page.locator(`.codicon-testing-${state}-icon`) });
    await test('says fine', 'passed').first().waitFor();
    await test('says more', 'failed').first().waitFor();
    await window.screenshot('tests');
  },
);

fileTest(
  'the lens of a test runs it as the Test Explorer does, and opens no document of the run',
  ['tests.loop.toml'],
  async window => {
    const { page } = window;
    await window.lens('Run test');
    await page.locator('.codelens-decoration', { hasText: 'says fine passed ·' }).first().waitFor();
    await window.waitRows(/^tests · says fine#1 passed\n/);
    assert.equal(await page.locator('.tab', { hasText: 'tests #1' }).count(), 0);
  },
);

fileTest(
  'a run becomes a test, which is shown before it is added, and passes',
  ['modes.loop.toml'],
  async window => {
    const { page } = window;
    const input = page.locator('.quick-input-widget input');
    const choice = (text: string) => page.locator('.quick-input-list .monaco-list-row', { hasText: text });
    await window.lens('Run quick');
    await window.waitText('modes #1', '✓ answer');

    // Not wanted after all.
    await window.command('Loop: Save Run as Test');
    await page.locator('.quick-input-widget', { hasText: 'The name of the test' }).waitFor();
    await page.keyboard.press('Enter');
    await window.waitText('to be added', /\[\[tests\]\][\s\S]*name = "How are you\?"[\s\S]*script/);
    await window.screenshot('save-as-test');
    await choice('Cancel').click();
    await page.locator('.tab', { hasText: 'to be added' }).waitFor({ state: 'detached' });

    await window.command('Loop: Save Run as Test');
    await page.locator('.quick-input-widget', { hasText: 'The name of the test' }).waitFor();
    await input.fill('is well');
    await page.keyboard.press('Enter');
    await choice('Add this test to').click();
    await window.waitText('modes.loop.toml', /\[\[tests\]\][\s\S]*name = "is well"/);
    await window.lens('Run test');
    await page.locator('.codelens-decoration', { hasText: 'is well passed ·' }).first().waitFor();
  },
);
