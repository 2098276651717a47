/** A folder that is not trusted: everything that reads works, and nothing starts. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { editorTest, until } from './editor.ts';

editorTest(
  'in restricted mode neither the server of the folder nor a tool is started; trusted, the tool is',
  { asksForTrust: true },
  async editor => {
    const folder = editor.folder('faulty.loop.toml');
    const started = path.join(folder, 'started');
    const evil = path.join(folder, 'loopls');
    writeFileSync(evil, `#!/bin/sh\ntouch ${started}-by-setting\n`);
    chmodSync(evil, 0o755);
    mkdirSync(path.join(folder, '.vscode'));
    writeFileSync(
      path.join(folder, '.vscode/settings.json'),
      JSON.stringify({ 'loopls.server.path': evil, 'loopls.server.extraArguments': ['--evil'] }),
    );
    writeFileSync(
      path.join(folder, 'evil.loop.toml'),
      [
        'name = "evil"',
        'prompt = "Go."',
        'model = { provider = "scripted", name = "m", script = [{ calls = [{ tool = "touch" }] }, { text = "Done." }] }',
        '[[tools]]',
        'name = "touch"',
        'description = "Makes a file."',
        'command = ["touch", "started"]',
        'effect = "read"',
        '',
      ].join('\n'),
    );
    const window = await editor.open(folder, 'evil.loop.toml');
    const { page } = window;
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();

    // Reading works.
    assert.match(await window.hover('touch'), /Makes a file/);
    await window.lens('Run');
    const toast = await window.waitToast('restricted mode');
    await window.screenshot('restricted');
    assert.equal(existsSync(started), false);

    await toast.getByText('Manage Workspace Trust').click();
    await page.locator('.workspace-trust-editor').getByText('Trust', { exact: true }).click();
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor({ state: 'detached' });
    await window.closeModal();
    await window.lens('Run');
    await window.waitText('evil #1', '✓ answer');
    await until('the tool to have run', () => existsSync(started));
    assert.equal(existsSync(`${started}-by-setting`), false);
  },
);
