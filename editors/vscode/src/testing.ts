/** The `[[tests]]` of definitions in the Test Explorer. */
import * as vscode from 'vscode';
import { LANGUAGE } from './language.ts';
import type { RunEvent } from './runs/events.ts';
import { inputLine, visible } from './runs/foreign.ts';
import { isGoing, type Runs, type TrackedRun } from './runs/store.ts';
import { counters, reasonWords, statusWords } from './runs/words.ts';
import type { Server } from './server.ts';
import { startable } from './startable.ts';

/** The time after an edit before its tests are looked for. */
const QUIET_MS = 400;
/** Definitions that are looked into. */
const MAX_FILES = 500;

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('loopls', 'Loop Definitions');
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly disposables: readonly { dispose(): unknown }[];

  private readonly server: Server;
  private readonly runs: Runs;

  constructor(server: Server, runs: Runs) {
    this.server = server;
    this.runs = runs;
    const { controller } = this;
    controller.resolveHandler = async item => (item?.uri ? this.look(item.uri) : this.findFiles());
    controller.refreshHandler = () => this.findFiles();
    controller.createRunProfile(
      'Run',
      vscode.TestRunProfileKind.Run,
      (request, token) => this.run(request, token),
      true,
    );
    this.disposables = [
      controller,
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

  private async findFiles(): Promise<void> {
    const found = await vscode.workspace.findFiles('**/{loop.toml,*.loop.toml}', undefined, MAX_FILES);
    for (const uri of found) {
      // The server knows documents that are open; to open one here shows nothing.
      await vscode.workspace.openTextDocument(uri);
      await this.look(uri);
    }
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
    file.children.replace(
      found.tests.map(({ name, range }) => {
        const item = this.controller.createTestItem(`${id} ${name}`, name, uri);
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
        await this.runOne(run, item, token);
      }
    }
    run.end();
  }

  private runOne(run: vscode.TestRun, item: vscode.TestItem, token: vscode.CancellationToken): Promise<void> {
    run.started(item);
    if (!item.uri) {
      return Promise.resolve();
    }
    const started = this.runs.start({ uri: item.uri.toString(), test: item.label });
    return new Promise(resolve => {
      const disposables = [
        token.onCancellationRequested(() => this.runs.cancel(started)),
        this.runs.onEvent.on(({ run: of, event }) => {
          if (of === started) {
            run.appendOutput(outputOf(event), undefined, item);
          }
        }),
        this.runs.onEnded.on(of => of === started && end()),
        this.runs.onRefused.on(({ run: of, reason }) => {
          if (of === started) {
            run.errored(item, new vscode.TestMessage(visible(reason ?? 'cancelled')));
            finish();
          }
        }),
      ];
      const end = () => {
        report(run, item, started);
        finish();
      };
      const finish = () => {
        for (const disposable of disposables) {
          disposable.dispose();
        }
        resolve();
      };
      if (!isGoing(started)) {
        end();
      }
    });
  }
}

function report(run: vscode.TestRun, item: vscode.TestItem, { view }: TrackedRun): void {
  if (view.stop === 'answer') {
    run.passed(item, view.ms);
  } else if (view.stop === 'cancelled') {
    run.skipped(item);
  } else {
    const reason = reasonWords(view);
    const text = `${statusWords(view)}${reason ? `: ${reason}` : ''} (${counters(view)})`;
    run.failed(item, new vscode.TestMessage(visible(text)), view.ms);
  }
}

/** What an event adds to a test's output, which is shown in a terminal: what a model or tool wrote is no control. */
function outputOf(event: RunEvent): string {
  const text = () => {
    switch (event.type) {
      case 'text_delta':
        return visible(event.text);
      case 'tool_started':
        return `\n… ${event.tool} ${inputLine(event.input, 400)}\n`;
      case 'tool_completed':
        return `${event.is_error ? '✗' : '✓'} ${event.tool}: ${visible(event.result)}\n`;
      default:
        return '';
    }
  };
  return text().replaceAll('\n', '\r\n');
}
