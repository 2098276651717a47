/** The first steps: the walkthrough, and a definition that is no file yet. */
import { until, windowTest } from './editor.ts';
import { SOON_MS } from './waiting.ts';

windowTest('the walkthrough leads to a definition that runs before it is saved', async editor => {
  const window = await editor.open(editor.folder());
  const { page } = window;
  const button = page.getByRole('button', { name: 'New Definition', exact: true });
  await until('the walkthrough', async () => {
    // A window that has just been opened may close a question of its own.
    await window.command('Welcome: Open Walkthrough...');
    await window.choose('Start with loop definitions', SOON_MS);
    await button.waitFor({ timeout: SOON_MS });
    return true;
  });
  await button.click();
  await window.waitText('Untitled-1', 'name = "my-loop"');
  await until('the cursor at the name', async () => (await window.lineOfCursor()).includes('"my-loop"'));
  // What is typed is its name, in both places where it stands.
  await page.keyboard.type('greeter');
  await page.keyboard.press('Escape');
  await window.waitText('Untitled-1', /name = "greeter"[\s\S]*name = "greeter"/);
  await window.lens('Run');
  await window.waitText('greeter #1', /│ hello[\s\S]*✓ answer/);
});
