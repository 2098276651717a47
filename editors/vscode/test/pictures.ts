/**
 * Makes the pictures of the README, in the default dark and light themes, into test/screenshots/:
 *
 *     LOOPLS=… LOOPLS_TEST_VSCODE=… LOOPLS_TEST_CHROMIUM=… node test/pictures.ts
 */
import { Editor } from './ui/editor.ts';

const TITLES = { dark: 'Default Dark Modern', light: 'Default Light Modern' };

for (const [name, theme] of Object.entries(TITLES)) {
  const settings = { 'workbench.colorTheme': theme, 'window.autoDetectColorScheme': false };
  const editor = await Editor.start({ user: settings });
  try {
    const window = await editor.open(
      editor.folder('order-desk.loop.toml', 'tools', 'data'),
      'order-desk.loop.toml',
    );
    const { page } = window;
    await page.locator('.codelens-decoration').first().waitFor();
    await page.keyboard.press('Control+G');
    await page.locator('.quick-input-widget input').fill(':86');
    await page.keyboard.press('Enter');
    await window.lens('Run refund');
    const toast = await window.waitToast('record_refund');
    await window.waitText('order-desk #1', '? 4 record_refund');
    await window.screenshot(`asks-${name}`);
    await toast.getByText('Allow Once').click();
    await window.waitText('order-desk #1', '✓ answer');
    await window.runRows();
    await page
      .locator('.panel .monaco-list-row', { hasText: 'record_refund' })
      .first()
      .locator('.monaco-tl-twistie')
      .click();
    await page.locator('.panel .monaco-list-row', { hasText: 'took' }).first().waitFor();
    await window.screenshot(`ran-${name}`);
    await page.locator('.panel .codicon-panel-close, .panel .codicon-close').first().click();
    await window.hover('"refund"');
    await window.screenshot(`hover-${name}`);
  } finally {
    await editor.end();
  }
}
