/** A folder that is not trusted: everything that reads works, and nothing starts. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { editorTest } from './editor.ts';
import type { Window } from './window.ts';

editorTest(
  'in restricted mode neither the server of the folder nor a tool is started; trusted, the tool is',
  { asksForTrust: true },
  async editor => {
    const folder = editor.folder('faulty.loop.toml', 'server.sh');
    const started = path.join(folder, 'started');
    // The server of tools writes it when it starts.
    const pids = path.join(folder, 'pids');
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
        '[[tools]]',
        'name = "kit"',
        'mcp = { command = ["sh", "server.sh"] }',
        'effect = "read"',
        '',
      ].join('\n'),
    );
    const window = await editor.open(folder, 'evil.loop.toml');
    const { page } = window;
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();

    // Reading works.
    await window.hover('touch', /Makes a file/);
    const ways: ((window: Window) => Promise<void>)[] = [
      window => window.lens('Check bind'),
      window => window.command('Loop: Check Bind'),
      window => window.lens('Probe'),
      window => window.command('Loop: Run'),
      window => window.lens('Run'),
    ];
    for (const [number, start] of ways.entries()) {
      if (number > 0) {
        await window.forgetMessages();
      }
      await start(window);
      await window.waitToast('nothing was started, for this folder is open in restricted mode');
    }
    await window.screenshot('restricted');
    assert.deepEqual([existsSync(started), existsSync(pids)], [false, false]);

    await window.press('restricted mode', 'Manage Workspace Trust');
    await page.locator('.workspace-trust-editor').getByText('Trust', { exact: true }).click();
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor({ state: 'detached' });
    await window.closeModal();
    await window.lens('Run');
    await window.waitText('evil #1', '✓ answer');
    assert.deepEqual([existsSync(started), existsSync(pids)], [true, true]);
    assert.equal(existsSync(`${started}-by-setting`), false);
  },
);
