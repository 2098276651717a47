/** What a person can ask for: from the palette, buttons, menus and lenses. */
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import type { Approvals } from './approvals.ts';
import { askPrompt, choose } from './ask.ts';
import { askServer, checkBind } from './binding.ts';
import type { CallDocuments } from './callDocument.ts';
import { LANGUAGE } from './language.ts';
import { placeOf } from './places.ts';
import type { ProbeDocuments } from './probe.ts';
import type { RunDocuments } from './runDocument.ts';
import { NO_PROMPT, NOT_TRUSTED } from './runs/events.ts';
import { isSuccess } from './runs/fold.ts';
import { label, message, oneLine } from './runs/foreign.ts';
import { isGoing, type RunRequest, type Runs, type TrackedRun } from './runs/store.ts';
import { statusWords } from './runs/words.ts';
import type { Node } from './runView.ts';
import { type EntryDocuments, saveAsTest } from './saveAsTest.ts';
import type { Server } from './server.ts';
import { startable } from './startable.ts';
import type { Tests } from './testing.ts';
import { sayRestricted } from './trust.ts';

export interface Parts {
  server: Server;
  runs: Runs;
  documents: RunDocuments;
  calls: CallDocuments;
  approvals: Approvals;
  entries: EntryDocuments;
  probes: ProbeDocuments;
  tests: Tests;
  log: vscode.LogOutputChannel;
}

/** The server's own commands, as its lenses and code actions name them, with an interface for what comes back. */
export function middleware(parts: () => Parts): Middleware {
  return {
    window: {
      // The page of a code is read as a page.
      async showDocument(params, token, next) {
        if (!/\/codes\/[a-z_]+\.md$/.test(params.uri)) {
          return next(params, token);
        }
        await vscode.commands.executeCommand('markdown.showPreviewToSide', vscode.Uri.parse(params.uri));
        return { success: true };
      },
    },
    async executeCommand(command, args, next) {
      switch (command) {
        case 'loopls.run':
          return run(parts(), args[0] as RunRequest);
        case 'loopls.bind':
          return checkBind(parts().server, (args[0] as { uri: string }).uri);
        case 'loopls.probe':
          return askServer(parts().server, parts().probes, args[0] as { uri: string; tool: string });
        default:
          return next(command, args);
      }
    },
  };
}

/** Starts what a lens or a code action names; a test is one of the Test Explorer's. */
async function run({ runs, tests }: Parts, request: RunRequest): Promise<void> {
  if (request.test === undefined) {
    runs.start(request);
  } else {
    await tests.runNamed(request.uri, request.test);
  }
}

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { server, runs, calls, approvals, log } = parts;
  const commands: Record<string, (...args: never[]) => unknown> = {
    'loopls.newDefinition': () => newDefinition(),
    'loopls.runLoop': (uri?: vscode.Uri) => withDefinition(uri, uri => void runs.start({ uri: `${uri}` })),
    'loopls.runInMode': (uri?: vscode.Uri) => withDefinition(uri, uri => runInMode(server, runs, uri)),
    'loopls.runWithPrompt': (uri?: vscode.Uri) => withDefinition(uri, uri => runWithPrompt(runs, uri)),
    'loopls.checkBind': (uri?: vscode.Uri) => withDefinition(uri, uri => checkBind(server, `${uri}`)),
    'loopls.stop': (of?: Node | vscode.Uri) => stop(parts, of),
    'loopls.stopRun': (of: Node | vscode.Uri) => stopRun(parts, of),
    'loopls.nextTurn': (of?: Node | vscode.Uri) => nextTurn(parts, of),
    'loopls.runAgain': (of?: Node | vscode.Uri) => runAgain(parts, of),
    'loopls.showRun': (node?: Node) => showRun(parts, node),
    'loopls.showCall': (node: Node) => 'call' in node && calls.show(node.run, node.call),
    'loopls.goToDefinition': (node: Node) => goTo(node),
    'loopls.saveRunAsTest': (of?: Node | vscode.Uri) => saveTest(parts, of),
    'loopls.openTranscript': (of?: Node | vscode.Uri) => openTranscript(parts, of),
    'loopls.clearRuns': () => runs.clear(),
    'loopls.answer': () => {
      const [question] = approvals.waiting();
      return question && approvals.askHere(question.run, question.call);
    },
    'loopls.allowCall': (node: Node) => 'call' in node && approvals.decide(node.run, node.call, 'allow'),
    'loopls.denyCall': (node: Node) => 'call' in node && approvals.decide(node.run, node.call, 'deny'),
    'loopls.restartServer': () => server.restart(),
    'loopls.stopServer': () => server.stop(),
    'loopls.showLog': () => log.show(),
    'loopls.showVersion': () => showVersion(server),
  };
  const registered = Object.entries(commands).map(([id, act]) =>
    vscode.commands.registerCommand(id, act as (...args: unknown[]) => unknown),
  );
  runs.onRefused.on(({ run, reason }) => {
    if (run.request.test === undefined) {
      void refused(parts, run, reason);
    }
  });
  runs.onEnded.on(run => {
    if (run.request.test === undefined) {
      void sayEnded(parts, run);
    }
  });
  return registered;
}

/** Opens a definition that is no file yet, with the snippet of a whole loop in it. */
async function newDefinition(): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: LANGUAGE }));
  await vscode.commands.executeCommand('editor.action.insertSnippet', {
    langId: LANGUAGE,
    name: 'A whole loop',
  });
}

/** Does something with the definition that a button belongs to, else with the one in the active editor. */
function withDefinition(uri: vscode.Uri | undefined, act: (uri: vscode.Uri) => unknown): unknown {
  const document = vscode.window.activeTextEditor?.document;
  const of = uri instanceof vscode.Uri ? uri : document?.languageId === LANGUAGE ? document.uri : undefined;
  if (of) {
    return act(of);
  }
  return vscode.window.showInformationMessage('Open a loop definition (*.loop.toml) first.');
}

async function runInMode(server: Server, runs: Runs, uri: vscode.Uri): Promise<void> {
  const { modes } = await startable(server, uri);
  if (modes.length === 0) {
    void vscode.window.showInformationMessage('This loop has no modes: Loop: Run starts it.');
    return;
  }
  const items = modes.map(mode => ({ label: label(mode, 60), mode }));
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'Run in mode' });
  if (chosen) {
    runs.start({ uri: `${uri}`, mode: chosen.mode });
  }
}

async function runWithPrompt(runs: Runs, uri: vscode.Uri): Promise<void> {
  const prompt = await askPrompt('The user message that the loop begins with');
  if (prompt !== undefined) {
    runs.start({ uri: `${uri}`, prompt });
  }
}

async function stop(parts: Parts, of: Node | vscode.Uri | undefined): Promise<void> {
  const run = runOf(parts, of);
  const going = run && isGoing(run) ? [run] : parts.runs.going();
  const chosen = await choose(going, 'Stop which run?', 'Nothing runs.');
  if (chosen) {
    parts.runs.cancel(chosen);
  }
}

/** Stops the run at which Stop was pressed. It may be over by then: no other was meant. */
function stopRun(parts: Parts, of: Node | vscode.Uri): void {
  const run = runOf(parts, of);
  if (run) {
    parts.runs.cancel(run);
  }
}

async function nextTurn(parts: Parts, of: Node | vscode.Uri | undefined): Promise<void> {
  const run = await overRun(parts, of);
  const prompt = run && (await askPrompt(`What to say next to ${oneLine(run.view.loop, 60)}`));
  if (run && prompt !== undefined) {
    const { uri } = run.request;
    parts.runs.start({ uri, mode: run.view.mode, prompt, after: run.id });
  }
}

async function runAgain(parts: Parts, of: Node | vscode.Uri | undefined): Promise<void> {
  const run = await overRun(parts, of);
  if (run) {
    parts.runs.start(run.request);
  }
}

async function saveTest(parts: Parts, of: Node | vscode.Uri | undefined): Promise<void> {
  const run = await overRun(parts, of);
  if (run) {
    await saveAsTest(parts.server, parts.entries, run);
  }
}

async function overRun(parts: Parts, of: Node | vscode.Uri | undefined): Promise<TrackedRun | undefined> {
  const run = runOf(parts, of);
  const over = parts.runs.all().filter(run => !isGoing(run));
  return run ? run : choose(over, 'Which run?', 'There is no run that is over.');
}

async function showRun(parts: Parts, node: Node | undefined): Promise<void> {
  if (node) {
    const at = node.kind === 'call' ? { call: node.call.call } : {};
    await parts.documents.show(node.run, { ...at, focus: false });
    return;
  }
  const run = await choose(parts.runs.all(), 'Show which run?', 'There are no runs yet.');
  if (run) {
    await parts.documents.show(run, { focus: true });
  }
}

async function goTo(node: Node): Promise<void> {
  const uri = vscode.Uri.parse(node.run.request.uri);
  const document = await vscode.workspace.openTextDocument(uri);
  const name =
    node.kind === 'call' || node.kind === 'fact'
      ? { tool: node.call.tool }
      : { mode: node.run.view.mode, limit: node.run.view.limit?.line };
  const line = placeOf(document.getText(), name);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(line, 0, line, 0) });
}

async function openTranscript(parts: Parts, of: Node | vscode.Uri | undefined): Promise<void> {
  const run =
    runOf(parts, of) ?? (await choose(parts.runs.all(), 'Whose transcript?', 'There are no runs yet.'));
  if (run?.transcript) {
    await vscode.window.showTextDocument(vscode.Uri.file(run.transcript), { preview: true });
  } else if (run) {
    void vscode.window.showInformationMessage('This run has no transcript.');
  }
}

/** A run that was over before it began has no document: a message says why, or a question asks for what is missing. */
async function refused(parts: Parts, run: TrackedRun, reason: string | undefined): Promise<void> {
  if (reason === undefined) {
    return;
  }
  if (run.view.reason === NOT_TRUSTED) {
    await sayRestricted();
  } else if (run.view.reason === NO_PROMPT) {
    const prompt = await askPrompt('The user message that the loop begins with');
    if (prompt !== undefined) {
      parts.runs.start({ ...run.request, prompt });
    }
  } else {
    const problems = 'Show Problems';
    const text = `Nothing was run: ${message(reason, 500)}`;
    if ((await vscode.window.showErrorMessage(text, problems)) === problems) {
      await vscode.commands.executeCommand('workbench.panel.markers.view.focus');
    }
  }
}

/** Says how a run ended that nobody looks at. */
async function sayEnded(parts: Parts, run: TrackedRun): Promise<void> {
  if (await parts.documents.isVisible(run)) {
    return;
  }
  const { view } = run;
  const said = view.answer ?? view.reason;
  const text = `${message(view.loop, 60)}: ${statusWords(view)}${said ? `: ${message(said, 200)}` : ''}`;
  const show = 'Show Run';
  const say = isSuccess(view) ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  if ((await say(text, show)) === show) {
    await parts.documents.show(run, { focus: true });
  }
}

function showVersion({ state }: Server): void {
  const text =
    state.kind === 'running'
      ? `loopls ${state.version}, ${state.found.path}`
      : state.kind === 'failed'
        ? state.problem
        : `The loopls server is ${state.kind}.`;
  void vscode.window.showInformationMessage(text);
}

function runOf(parts: Parts, of: Node | vscode.Uri | undefined): TrackedRun | undefined {
  if (of instanceof vscode.Uri) {
    return parts.documents.runOf(of);
  }
  return of?.run ?? parts.documents.runOf(vscode.window.activeTextEditor?.document.uri);
}
