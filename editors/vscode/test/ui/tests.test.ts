/** The tests of definitions in the Test Explorer. */
import { editorTests } from './editor.ts';

const inEditor = editorTests();

inEditor('the tests of a definition are listed under it', async editor => {
  const window = await editor.open(editor.folder('tests.loop.toml'), 'tests.loop.toml');
  const { page } = window;
  await page.locator('.codelens-decoration', { hasText: 'Run test' }).first().waitFor();
  await window.command('Testing: Focus on Test Explorer View');
  const rows = page.locator('.test-explorer .monaco-list-row');
  await rows.filter({ hasText: 'tests.loop.toml' }).first().click();
  await page.keyboard.press('ArrowRight');
  await rows.filter({ hasText: 'says fine' }).first().waitFor();
  await rows.filter({ hasText: 'says more' }).first().waitFor();
  await window.screenshot('tests');
});
