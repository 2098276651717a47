/** What goes wrong with the server: said once, with one button that helps. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { type Editor, editorTest, LOOPLS, until, type Window } from './editor.ts';

/** The processes that are the server of this editor, and those below it. */
function processes(editor: Editor): { pid: number; command: string }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,args=', '-ww']).toString().split('\n');
  return lines
    .map(line => /^\s*(\d+) (.*)$/.exec(line))
    .filter(match => match?.[2]?.includes(editor.root))
    .map(match => ({ pid: Number(match?.[1]), command: match?.[2] ?? '' }));
}

function serverPid(editor: Editor): number | undefined {
  return processes(editor).find(({ command }) => command.endsWith('server/loopls lsp'))?.pid;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function onlyToast(window: Window, wanted: string): Promise<void> {
  await window.waitToast(wanted);
  // Whatever else would come has come when the editor has drawn once more.
  await window.page.waitForTimeout(500);
  assert.equal((await window.toasts()).length, 1, (await window.toasts()).join('\n'));
}

editorTest(
  'a server that is killed in a run: the run says so, no process is left, and Restart helps',
  {},
  async editor => {
    const window = await editor.open(editor.folder('sleeps.loop.toml'), 'sleeps.loop.toml');
    await window.lens('Run');
    const text = await window.waitText('sleeps #1', /pids \d+ \d+/);
    const pids = /pids (\d+) (\d+)/.exec(text)?.slice(1).map(Number) ?? [];
    assert.deepEqual(pids.map(isAlive), [true, true]);
    process.kill(serverPid(editor) as number, 'SIGKILL');
    await window.waitText('sleeps #1', '■ failed: the server ended');
    await until('its tools to end', () => !pids.some(isAlive));
    await onlyToast(window, 'ended unexpectedly');
    await window.screenshot('killed');
    await (await window.waitToast('ended unexpectedly')).getByText('Restart').click();
    await until('a new server', () => serverPid(editor) !== undefined);
    await window.lens('Run');
    await window.waitText('sleeps #2', /pids \d+ \d+/);

    // Leaving the window in a run leaves nothing of it.
    const again =
      /pids (\d+) (\d+)/
        .exec(await window.text('sleeps #2'))
        ?.slice(1)
        .map(Number) ?? [];
    await window.page.reload();
    await window.page.locator('.monaco-workbench').waitFor();
    await until('the tools of the window before to end', () => !again.some(isAlive));
  },
);

editorTest(
  'without a server, one message leads to the setting; put right, it works',
  { server: undefined },
  async editor => {
    const window = await editor.open(editor.folder('faulty.loop.toml'), 'faulty.loop.toml');
    await onlyToast(window, 'was not found');
    await window.screenshot('not-found');
    await (await window.waitToast('was not found')).getByText('Set Path').click();
    await window.page
      .locator('.settings-editor', { hasText: 'loopls.server.path' })
      .or(window.page.locator('.settings-editor .setting-item-label', { hasText: 'Path' }))
      .first()
      .waitFor();
    editor.writeSettings({ 'loopls.server.path': 'relative/loopls' });
    await window.waitToast('not an absolute path');
    editor.writeSettings({ 'loopls.server.path': LOOPLS });
    await window.closeModal();
    await window.page.locator('.squiggly-error').first().waitFor();
  },
);

editorTest(
  'a server that ends at once, and one that is something else: one message each',
  { server: undefined, settings: { 'loopls.server.path': '/bin/false' } },
  async editor => {
    const ends = path.join(editor.root, 'ends');
    writeFileSync(ends, '#!/bin/sh\n[ "$1" = --version ] && echo loopls 9.9.9 && exit\nexit 3\n');
    const other = path.join(editor.root, 'other');
    writeFileSync(other, '#!/bin/sh\necho something 1.0\n');
    for (const file of [ends, other]) {
      chmodSync(file, 0o755);
    }
    const window = await editor.open(editor.folder('faulty.loop.toml'), 'faulty.loop.toml');
    for (const [server, says] of [
      ['/bin/false', 'does not run'],
      [ends, 'it ended at once'],
      [other, 'is not loopls'],
    ] as const) {
      editor.writeSettings({ 'loopls.server.path': server });
      await onlyToast(window, says);
      await window.command('Notifications: Clear All Notifications');
      await until('no message', async () => (await window.toasts()).length === 0);
    }
    editor.writeSettings({ 'loopls.server.path': LOOPLS });
    await window.page.locator('.squiggly-error').first().waitFor();
  },
);
