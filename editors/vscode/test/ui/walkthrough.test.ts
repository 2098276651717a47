/** The first steps: the walkthrough, and a definition that is no file yet. */
import { windowTest } from './editor.ts';

windowTest('the walkthrough leads to a definition that runs before it is saved', async editor => {
  const window = await editor.open(editor.folder());
  const { page } = window;
  await window.command('Welcome: Open Walkthrough');
  await page
    .locator('.quick-input-list .monaco-list-row', { hasText: 'Start with loop definitions' })
    .click();
  await page.getByText('New Definition').first().click();
  await page.locator('#status\\.editor\\.mode', { hasText: 'Loop Definition' }).waitFor();
  await page.keyboard.type('loop');
  await page.locator('.suggest-widget .monaco-list-row', { hasText: 'A whole loop' }).first().click();
  await page.locator('.codelens-decoration').first().waitFor();
  await page.keyboard.press('Escape');
  await window.lens('Run');
  await window.waitText('my-loop #1', /│ hello[\s\S]*✓ answer/);
});
