/** The extension: makes its parts, connects them and ends them. */
import * as vscode from 'vscode';
import { Approvals } from './approvals.ts';
import { CallDocuments } from './callDocument.ts';
import { middleware, type Parts, registerCommands } from './commands.ts';
import { showContexts } from './contexts.ts';
import { CALL_SCHEME, ENTRY_SCHEME, PROBE_SCHEME } from './language.ts';
import { ProbeDocuments } from './probe.ts';
import { showProgress } from './progress.ts';
import { colourRuns } from './runColours.ts';
import { RunDocuments } from './runDocument.ts';
import { Runs } from './runs/store.ts';
import { RunView } from './runView.ts';
import { EntryDocuments } from './saveAsTest.ts';
import { Server } from './server.ts';
import { Status } from './status.ts';
import { Tests } from './testing.ts';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('loopls', { log: true });
  let parts: Parts;
  const made = new Server(
    context,
    log,
    middleware(() => parts),
  );
  server = made;
  const runs = new Runs((command, argument) =>
    command === 'loopls.decide' ? made.execute(command, argument) : made.executeQuick(command, argument),
  );
  const documents = new RunDocuments(runs);
  const calls = new CallDocuments(runs);
  const approvals = new Approvals(runs);
  const entries = new EntryDocuments();
  const probes = new ProbeDocuments();
  const tests = new Tests(made, runs);
  parts = { server: made, runs, documents, calls, approvals, entries, probes, tests, log };
  made.onRunEvent.on(params => runs.take(params));
  made.onTestEnded.on(params => runs.judge(params));
  made.onStateChanged.on(state => {
    if (state.kind !== 'running') {
      runs.failAll(state.kind === 'stopped' ? 'the server was stopped' : 'the server ended');
    }
  });
  context.subscriptions.push(
    log,
    documents,
    vscode.workspace.registerTextDocumentContentProvider(CALL_SCHEME, calls),
    vscode.workspace.registerTextDocumentContentProvider(ENTRY_SCHEME, entries),
    vscode.workspace.registerTextDocumentContentProvider(PROBE_SCHEME, probes),
    probes,
    new RunView(runs),
    new Status(made, runs, approvals),
    tests,
    showContexts(runs, documents),
    showProgress(runs, documents),
    colourRuns(),
    ...registerCommands(parts),
    vscode.workspace.onDidGrantWorkspaceTrust(() => made.sendTrust()),
    vscode.workspace.onDidChangeConfiguration(event => {
      const starts = ['loopls.server.path', 'loopls.server.extraArguments'];
      if (starts.some(name => event.affectsConfiguration(name))) {
        void made.restart();
      }
    }),
  );
  await made.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
