/** What goes wrong with the server: said once, with one button that helps. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { type Editor, editorTest, LOOPLS, until, type Window } from './editor.ts';

/** The process ids of this editor's servers that run. */
function servers(editor: Editor): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,stat=,args=', '-ww']).toString().split('\n');
  return lines
    .map(line => /^\s*(\d+) (\S+)\s+(.*)$/.exec(line))
    .filter(match => match?.[3]?.startsWith(editor.root) && match[3].endsWith('server/loopls lsp'))
    .filter(match => !match?.[2]?.startsWith('Z'))
    .map(match => Number(match?.[1]));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A program of a test's own, in the editor's folder. */
function program(editor: Editor, name: string, text: string): string {
  const file = path.join(editor.root, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

/** Waits for a message and makes sure that it is the only one there is. */
async function onlyMessage(window: Window, wanted: string): Promise<void> {
  await window.waitToast(wanted);
  const messages = await window.messages();
  assert.equal(messages.length, 1, messages.join('\n'));
}

editorTest(
  'a server that is killed in a run: the run says so, no process is left, and Restart helps',
  {},
  async editor => {
    const window = await editor.open(editor.folder('sleeps.loop.toml'), 'sleeps.loop.toml');
    /** The processes of the tool of a run, once it has told them. */
    const tools = async (run: string) => {
      const text = await window.waitText(run, /pids \d+ \d+/);
      return (/pids (\d+) (\d+)/.exec(text) ?? []).slice(1).map(Number);
    };
    await window.lens('Run');
    const first = await tools('sleeps #1');
    assert.deepEqual(first.map(isAlive), [true, true]);
    const [killed] = servers(editor);
    process.kill(killed as number, 'SIGKILL');
    await window.waitText('sleeps #1', '■ failed: the server ended');
    await until('its tools to end', () => !first.some(isAlive));
    await onlyMessage(window, 'ended unexpectedly');
    await window.screenshot('killed');
    await window.press('ended unexpectedly', 'Restart');
    await window.running();
    await window.lens('Run');
    const second = await tools('sleeps #2');

    // Leaving the window in a run leaves nothing of it.
    await window.page.reload();
    await window.page.locator('.monaco-workbench').waitFor();
    await until('the tools of the window before to end', () => !second.some(isAlive));
  },
);

editorTest('a server that does not answer in a session: one message, and Restart helps', {}, async editor => {
  const window = await editor.open(editor.folder('modes.loop.toml'), 'modes.loop.toml');
  await window.lens('Run quick');
  await window.waitText('modes #1', '✓ answer');
  const [hangs] = servers(editor);
  process.kill(hangs as number, 'SIGSTOP');
  // Not by the lens: what VS Code asks for now has no answer.
  await window.touch();
  editor.writeSettings({ 'loopls.server.patience': 2, 'editor.lineNumbers': 'off' });
  // Then the editor has read them all.
  await window.page.locator('.line-numbers').first().waitFor({ state: 'detached' });
  await window.command('Loop: Run');
  await onlyMessage(window, 'does not answer');
  editor.writeSettings({});
  await window.press('does not answer', 'Restart');
  await until('the one that hangs to end', () => !isAlive(hangs as number));
  await window.running();
  await window.lens('Run quick');
  // The second was never taken.
  await window.waitText('modes #3', '✓ answer');
});

editorTest('two folders and three restarts: no command is there twice', {}, async editor => {
  const folder = editor.folder();
  const [one, two] = ['faulty.loop.toml', 'typo.loop.toml'].map(file => editor.fixtures(folder, file));
  const workspace = path.join(folder, 'both.code-workspace');
  writeFileSync(workspace, JSON.stringify({ folders: [{ path: one }, { path: two }] }));
  const window = await editor.open(workspace, `${one}/faulty.loop.toml`);
  const { page } = window;
  for (let restart = 0; restart < 3; restart += 1) {
    await page.locator('.squiggly-error').first().waitFor();
    const before = servers(editor);
    await window.command('loopls: Restart Server');
    await until('another server', () => {
      const now = servers(editor);
      return now.length === 1 && now[0] !== before[0];
    });
  }
  await window.show(two as string, 'typo.loop.toml');
  await page.locator('.squiggly-error').first().waitFor();
  assert.deepEqual(await window.messages(), []);
});

editorTest(
  'without a server, one message leads to the setting; put right, it works',
  { server: undefined },
  async editor => {
    const window = await editor.open(editor.folder('faulty.loop.toml'), 'faulty.loop.toml');
    await onlyMessage(window, 'was not found');
    await window.screenshot('not-found');
    await window.press('was not found', 'Set Path');
    await window.page
      .locator('.settings-editor', { hasText: 'loopls.server.path' })
      .or(window.page.locator('.settings-editor .setting-item-label', { hasText: 'Path' }))
      .filter({ visible: true })
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
  'a server that ends at once, hangs, or is something else: one message each',
  { server: undefined, settings: { 'loopls.server.path': '/bin/false' } },
  async editor => {
    const answers = '#!/bin/sh\n[ "$1" = --version ] && echo loopls 9.9.9 && exit\n';
    const ends = program(editor, 'ends', `${answers}exit 3\n`);
    const hangs = program(editor, 'hangs', `${answers}exec sleep 600\n`);
    const other = program(editor, 'other', '#!/bin/sh\necho something 1.0\n');
    const window = await editor.open(editor.folder('faulty.loop.toml'), 'faulty.loop.toml');
    for (const [server, says, settings] of [
      ['/bin/false', 'does not run', {}],
      [ends, 'it ended at once', {}],
      [other, 'is not loopls', {}],
      [hangs, 'it does not answer', { 'loopls.server.patience': 2 }],
    ] as const) {
      editor.writeSettings({ 'loopls.server.path': server, ...settings });
      await onlyMessage(window, says);
      // The list of all messages is open now, and names the one button.
      await window.page.locator('.notifications-center .monaco-button', { hasText: 'Restart' }).waitFor();
      await window.forgetMessages();
    }
    editor.writeSettings({ 'loopls.server.path': LOOPLS });
    await window.page.locator('.squiggly-error').first().waitFor();
  },
);

editorTest('an older server: one message, and what it knows works', { server: undefined }, async editor => {
  // The server itself, but for the version of its own commands that it announces.
  mkdirSync(path.join(editor.root, 'old'));
  const old = program(
    editor,
    'old/loopls',
    `#!${process.execPath}
const { spawn } = require('node:child_process');
const child = spawn(${JSON.stringify(LOOPLS)}, process.argv.slice(2), { stdio: ['inherit', 'pipe', 'inherit'] });
child.stdout.setEncoding('latin1');
child.stdout.on('data', data => process.stdout.write(data.replace('"protocol":1', '"protocol":0'), 'latin1'));
child.on('exit', code => process.exit(code ?? 1));
`,
  );
  editor.writeSettings({ 'loopls.server.path': old });
  const window = await editor.open(editor.folder('faulty.loop.toml'), 'faulty.loop.toml');
  await onlyMessage(window, 'is older than this extension: runs may not work');
  await window.page.locator('.squiggly-error').first().waitFor();
});
