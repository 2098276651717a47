/** The first steps: the walkthrough, and a definition that is no file yet. */
import { windowTest } from './editor.ts';

windowTest('the walkthrough leads to a definition that runs before it is saved', async editor => {
  const window = await editor.open(editor.folder());
  const { page } = window;
  await window.command('Welcome: Open Walkthrough...');
  await window.choose('Start with loop definitions');
  await page.getByRole('button', { name: 'New Definition', exact: true }).click();
  await window.waitText('Untitled-1', 'name = "my-loop"');
  // What is typed is its name, in both places where it stands.
  await page.keyboard.type('greeter');
  await page.keyboard.press('Escape');
  await window.waitText('Untitled-1', /name = "greeter"[\s\S]*name = "greeter"/);
  await window.lens('Run');
  await window.waitText('greeter #1', /│ hello[\s\S]*✓ answer/);
});
