/** The `[[tests]]` of definitions in the Test Explorer: which there are, and running those that were asked for. */
import * as vscode from 'vscode';
import { LANGUAGE } from './language.ts';
import type { Runs } from './runs/store.ts';
import type { Server } from './server.ts';
import { startable } from './startable.ts';
import { runTest } from './testRun.ts';

/** The time after an edit before its tests are looked for. */
const QUIET_MS = 400;
const DEFINITIONS = '**/{loop.toml,*.loop.toml}';
/** Definitions that are looked into. */
const MAX_FILES = 500;

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('loopls', 'Loop Definitions');
  private readonly timers = new Map<string, NodeJS.Timeout>();
  /** Whether files that nobody opened are looked into: once somebody looked at the Test Explorer. */
  private findsAll = false;
  private readonly disposables: readonly { dispose(): unknown }[];

  private readonly server: Server;
  private readonly runs: Runs;

  constructor(server: Server, runs: Runs) {
    this.server = server;
    this.runs = runs;
    const { controller } = this;
    controller.resolveHandler = async item => (item?.uri ? this.look(item.uri) : this.findFiles());
    controller.refreshHandler = () => {
      controller.items.replace([]);
      return this.findFiles();
    };
    controller.createRunProfile(
      'Run',
      vscode.TestRunProfileKind.Run,
      (request, token) => this.run(request, token),
      true,
    );
    const files = vscode.workspace.createFileSystemWatcher(DEFINITIONS, false, true);
    this.disposables = [
      controller,
      files,
      files.onDidCreate(uri => this.findsAll && this.lookInto(uri)),
      files.onDidDelete(uri => controller.items.delete(uri.toString())),
      vscode.workspace.onDidOpenTextDocument(document => this.lookSoon(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.lookSoon(document)),
      server.onStateChanged.on(state => {
        if (state.kind === 'running') {
          vscode.workspace.textDocuments.forEach(document => {
            this.lookSoon(document);
          });
        }
      }),
    ];
  }

  dispose(): void {
    for (const timer of this.timers.values()) {
      clearTimeout(timer);
    }
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  /** Runs one test, as its lens asks for. */
  async runNamed(uri: string, name: string): Promise<void> {
    await this.look(vscode.Uri.parse(uri));
    const item = this.controller.items.get(uri)?.children.get(testId(uri, name));
    if (item) {
      const token = new vscode.CancellationTokenSource().token;
      await this.run(new vscode.TestRunRequest([item]), token);
    } else {
      // Gone since the lens was drawn: the run says so.
      this.runs.start({ uri, test: name });
    }
  }

  private async findFiles(): Promise<void> {
    this.findsAll = true;
    const found = await vscode.workspace.findFiles(DEFINITIONS, undefined, MAX_FILES);
    for (const uri of found) {
      await this.lookInto(uri);
    }
  }

  private async lookInto(uri: vscode.Uri): Promise<void> {
    // The server knows documents that are open; to open one here shows nothing.
    await vscode.workspace.openTextDocument(uri);
    await this.look(uri);
  }

  private lookSoon(document: vscode.TextDocument): void {
    const { uri } = document;
    if (document.languageId !== LANGUAGE || !['file', 'untitled'].includes(uri.scheme)) {
      return;
    }
    const id = uri.toString();
    clearTimeout(this.timers.get(id));
    const timer = setTimeout(() => {
      this.timers.delete(id);
      void this.look(uri);
    }, QUIET_MS);
    this.timers.set(id, timer);
  }

  private async look(uri: vscode.Uri): Promise<void> {
    const id = uri.toString();
    const found = await startable(this.server, uri).catch(() => undefined);
    if (!found) {
      return;
    }
    if (found.tests.length === 0) {
      this.controller.items.delete(id);
      return;
    }
    let file = this.controller.items.get(id);
    if (!file) {
      file = this.controller.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
      this.controller.items.add(file);
    }
    const { children } = file;
    children.replace(
      found.tests.map(({ name, range }) => {
        // The same test stays the same item: it may be running.
        const known = children.get(testId(id, name));
        const item = known ?? this.controller.createTestItem(testId(id, name), name, uri);
        item.range = range;
        return item;
      }),
    );
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const asked: vscode.TestItem[] = [];
    (request.include ?? [...this.controller.items].map(([, item]) => item)).forEach(item => {
      if (item.children.size === 0) {
        asked.push(item);
      }
      item.children.forEach(child => {
        asked.push(child);
      });
    });
    const items = asked.filter(item => !request.exclude?.includes(item));
    items.forEach(item => {
      run.enqueued(item);
    });
    for (const item of items) {
      if (token.isCancellationRequested) {
        run.skipped(item);
      } else {
        await runTest(this.runs, run, item, token);
      }
    }
    run.end();
  }
}

/** The id of a test among those of its file. */
function testId(uri: string, name: string): string {
  return `${uri} ${name}`;
}
