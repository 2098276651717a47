/**
 * The server of this window, from looking for it to its end. A client whose start failed cannot be started again, so every
 * start makes a new one. Whatever goes wrong is said once, with one button that helps.
 */
import type { ChildProcess } from 'node:child_process';
import * as vscode from 'vscode';
import {
  type InitializeResult,
  type LanguageClient,
  type Middleware,
  State,
} from 'vscode-languageclient/node';
import { newClient } from './client.ts';
import { Emitter } from './runs/emitter.ts';
import type { RunEventParams, TestEndedParams } from './runs/events.ts';
import { type Found, findServer } from './server/find.ts';
import { isProgram, startServer, version } from './server/program.ts';
import { trustLevel } from './trust.ts';

/** The version of loopls' own commands and notifications that this extension speaks. */
const PROTOCOL = 1;
/** How much longer a server may take to begin than to answer what it answers at once. */
const START_PATIENCE = 2;

export type ServerState =
  | { kind: 'stopped' }
  | { kind: 'starting' }
  | { kind: 'running'; found: Found; version: string }
  | { kind: 'failed'; problem: string };

export class Server {
  state: ServerState = { kind: 'stopped' };
  readonly onStateChanged = new Emitter<ServerState>();
  readonly onRunEvent = new Emitter<RunEventParams>();
  readonly onTestEnded = new Emitter<TestEndedParams>();
  private readonly context: vscode.ExtensionContext;
  private readonly log: vscode.LogOutputChannel;
  private readonly middleware: Middleware;
  private client: LanguageClient | undefined;
  private process: ChildProcess | undefined;
  /** Starts and stops one after the other. */
  private queue: Promise<void> = Promise.resolve();

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, middleware: Middleware) {
    this.context = context;
    this.log = log;
    this.middleware = middleware;
  }

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  /** What the running server says it can do. */
  get abilities(): InitializeResult['capabilities'] | undefined {
    return this.client?.initializeResult?.capabilities;
  }

  /** Sends a request to the server; one that comes while it starts waits for it. */
  async request<T>(method: string, params: object): Promise<T> {
    await this.queue;
    if (!this.client) {
      throw new Error('the loopls server is not running');
    }
    return this.client.sendRequest<T>(method, params);
  }

  /** Executes one of the server's commands. */
  execute(command: string, argument: object): Promise<unknown> {
    return this.request('workspace/executeCommand', { command, arguments: [argument] });
  }

  /** The same for a command that is answered at once: no answer is a fault of the server. */
  async executeQuick(command: string, argument: object): Promise<unknown> {
    await this.queue;
    const { process } = this;
    const late = setTimeout(() => {
      if (process && process === this.process) {
        this.say('does not answer', 'Restart', () => this.restart());
      }
    }, patienceMs());
    return this.execute(command, argument).finally(() => clearTimeout(late));
  }

  /** Tells the server about trust; it took what held at its start. */
  sendTrust(): void {
    void this.client?.sendNotification('loopls/didChangeTrust', { trust: trustLevel() });
  }

  private enqueue(act: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(act).catch(error => this.log.error(error));
    return this.queue;
  }

  private async startNow(): Promise<void> {
    if (this.client) {
      return;
    }
    this.change({ kind: 'starting' });
    const found = this.find();
    if ('problem' in found) {
      this.fail(`was not found: ${found.problem}`, 'Set Path', openPathSetting);
      return;
    }
    try {
      const number = await version(found.path);
      this.log.info(`loopls ${number} (${found.from}): ${found.path}`);
      await this.connect(found.path);
      this.change({ kind: 'running', found, version: number });
    } catch (error) {
      await this.stopNow();
      const problem = error instanceof Error ? error.message : String(error);
      this.fail(`did not start: ${problem}`, 'Restart', () => this.restart());
      return;
    }
    const { experimental } = this.abilities ?? {};
    const protocol = (experimental as { loopls?: { protocol?: number } } | undefined)?.loopls?.protocol;
    if (protocol !== PROTOCOL) {
      const older = protocol === undefined || protocol < PROTOCOL ? 'older' : 'newer';
      this.say(
        `at ${found.path} is ${older} than this extension: runs may not work`,
        'Set Path',
        openPathSetting,
      );
    }
  }

  private find() {
    const configuration = vscode.workspace.getConfiguration('loopls');
    const folders = vscode.workspace.workspaceFolders ?? [];
    return findServer({
      // Whatever scope the setting has, what a workspace says does not count.
      setting: configuration.inspect<string>('server.path')?.globalValue?.trim() ?? '',
      extension: this.context.extensionPath,
      searchPath: process.env.PATH ?? '',
      folders: folders.map(folder => folder.uri.fsPath),
      windows: process.platform === 'win32',
      isProgram,
    });
  }

  private async connect(path: string): Promise<void> {
    const configuration = vscode.workspace.getConfiguration('loopls');
    const extra = configuration.inspect<string[]>('server.extraArguments')?.globalValue ?? [];
    const client = newClient({
      log: this.log,
      middleware: this.middleware,
      spawn: () => {
        this.process = startServer(path, extra);
        return this.process;
      },
      lost: () => this.lose(client),
    });
    client.onNotification('loopls/runEvent', (params: RunEventParams) => this.onRunEvent.fire(params));
    client.onNotification('loopls/testEnded', (params: TestEndedParams) => this.onTestEnded.fire(params));
    this.client = client;
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error('it does not answer')), START_PATIENCE * patienceMs());
    });
    const gone = new Promise<never>((_, reject) => {
      client.onDidChangeState(({ newState }) => {
        if (newState !== State.Starting && newState !== State.Running) {
          reject(new Error('it ended at once'));
        }
      });
    });
    gone.catch(() => {});
    try {
      await Promise.race([client.start(), gone, patience]);
    } finally {
      clearTimeout(late);
    }
  }

  /** The running server is gone. While it starts, whoever starts it sees that too. */
  private lose(client: LanguageClient): void {
    if (this.client === client && this.state.kind === 'running') {
      void this.enqueue(() => this.stopNow());
      this.fail('ended unexpectedly', 'Restart', () => this.restart());
    }
  }

  private async stopNow(): Promise<void> {
    const { client, process } = this;
    this.client = undefined;
    this.process = undefined;
    try {
      await client?.dispose(2_000);
    } catch {
      // It had not started, or does not answer; the process is ended all the same.
    }
    if (process && process.exitCode === null && process.signalCode === null) {
      // One that has shut down needs a moment to be gone.
      const timer = setTimeout(() => process.kill('SIGKILL'), 1_000);
      process.once('exit', () => clearTimeout(timer));
    }
    if (this.state.kind !== 'failed') {
      this.change({ kind: 'stopped' });
    }
  }

  private fail(problem: string, button: string, help: () => unknown): void {
    this.change({ kind: 'failed', problem: `The loopls server ${problem}.` });
    this.say(problem, button, help);
  }

  private say(problem: string, button: string, help: () => unknown): void {
    this.log.error(problem);
    void vscode.window.showErrorMessage(`The loopls server ${problem}.`, button).then(chosen => {
      if (chosen === button) {
        void help();
      }
    });
  }

  private change(state: ServerState): void {
    this.state = state;
    this.onStateChanged.fire(state);
  }
}

/** How long a server may take to answer what it answers at once, in milliseconds. */
function patienceMs(): number {
  return 1_000 * vscode.workspace.getConfiguration('loopls').get<number>('server.patience', 15);
}

function openPathSetting(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openSettings', 'loopls.server.path');
}
