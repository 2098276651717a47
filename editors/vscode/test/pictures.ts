/** Makes the pictures of the READMEs: see pictures.sh. */
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Editor, type Window } from './ui/editor.ts';

const IMAGES = fileURLToPath(new URL('../images', import.meta.url));
const THEMES = { dark: 'Default Dark Modern', light: 'Default Light Modern' };
const SIZE = { width: 960, height: 600 };

type Theme = keyof typeof THEMES;

/** A run with its calls in the Loop Runs view. */
async function run(window: Window, theme: Theme): Promise<void> {
  const { page } = window;
  await window.lens('Run');
  await window.waitText('order-desk #1', '✓ answer');
  await window.waitRows(/track_parcel/);
  const row = page.locator('.panel .monaco-list-row', { hasText: 'track_parcel' }).first();
  await row.locator('.monaco-tl-twistie').click();
  await page.keyboard.press('ArrowUp');
  await page.locator('.panel .monaco-list-row', { hasText: 'allowed by' }).first().waitFor();
  await picture(window, `run-${theme}`);
}

/** A question about a call that writes, and what it is about. */
async function question(window: Window, theme: Theme): Promise<void> {
  const { page } = window;
  await page.keyboard.press('Control+G');
  await page.locator('.quick-input-widget input').fill(':86');
  await page.keyboard.press('Enter');
  await window.lens('Run refund');
  await window.waitToast('record_refund');
  await window.waitText('order-desk #1', '? 4 record_refund');
  await picture(window, `question-${theme}`);
}

/** What a mode comes to. */
async function hover(window: Window, theme: Theme): Promise<void> {
  const { page } = window;
  await page.keyboard.press('Control+G');
  await page.locator('.quick-input-widget input').fill(':86');
  await page.keyboard.press('Enter');
  await window.hover('"refund"', /iterations/);
  await picture(window, `hover-${theme}`);
}

/** Tests in the Test Explorer, after they ran. */
async function tests(window: Window, theme: Theme): Promise<void> {
  const { page } = window;
  await window.command('Testing: Focus on Test Explorer View');
  const rows = page.locator('.test-explorer .monaco-list-row');
  await rows.filter({ hasText: 'order-desk.loop.toml' }).first().click();
  await page.keyboard.press('ArrowRight');
  await window.command('Test: Run All Tests');
  await rows
    .filter({ has: page.locator('.codicon-testing-passed-icon') })
    .nth(4)
    .waitFor();
  await page.keyboard.press('Control+J');
  await page.keyboard.press('Control+1');
  await page.keyboard.press('Control+End');
  // Away from what explains itself under the mouse.
  await page.mouse.move(600, 520);
  await page.locator('.monaco-hover').first().waitFor({ state: 'hidden' });
  await picture(window, `tests-${theme}`);
}

async function picture(window: Window, name: string): Promise<void> {
  await window.page.screenshot({ path: path.join(IMAGES, `${name}.png`) });
}

for (const [theme, acts] of [
  ['dark', [run, hover]],
  ['light', [question, tests]],
] as const) {
  const settings = {
    'workbench.colorTheme': THEMES[theme],
    'window.autoDetectColorScheme': false,
    'workbench.activityBar.location': 'hidden',
    'window.title': 'order-desk',
  };
  const editor = await Editor.start({ user: settings, size: SIZE });
  try {
    for (const act of acts) {
      const folder = editor.folder('order-desk.loop.toml', 'tools', 'data');
      const window = await editor.open(folder, 'order-desk.loop.toml');
      await window.page.locator('.codelens-decoration').first().waitFor();
      if (act !== tests) {
        await window.page.keyboard.press('Control+B');
      }
      await act(window, theme);
    }
  } finally {
    await editor.end();
  }
}
