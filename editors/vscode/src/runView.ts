/** The Loop Runs view: runs, their steps, the calls of each step, and what is known of a call. */
import * as vscode from 'vscode';
import type { RunEvent } from './runs/events.ts';
import { type Call, isOpen, isSuccess, type Step } from './runs/fold.ts';
import { inputLine, oneLine, visible } from './runs/foreign.ts';
import { isGoing, type Runs, type TrackedRun } from './runs/store.ts';
import { bytes, counters, duration, reasonWords, shortCount, statusWords } from './runs/words.ts';

/** The time between two drawings of what changed. */
const INTERVAL_MS = 150;
/** The time after which what does not change any more is drawn once more. */
const SETTLED_MS = 1_000;

export type Node =
  | { kind: 'run'; run: TrackedRun }
  | { kind: 'step'; run: TrackedRun; step: Step }
  | { kind: 'call'; run: TrackedRun; call: Call }
  | { kind: 'fact'; run: TrackedRun; call: Call; name: string; value: string };

export class RunView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly nodes = new Map<string, Node>();
  /** How each run stands, as its row was told. */
  private readonly told = new WeakMap<TrackedRun, string>();
  private readonly waiting = new Set<Node | undefined>();
  private timer: NodeJS.Timeout | undefined;
  private readonly disposables: readonly { dispose(): unknown }[];

  private readonly runs: Runs;

  constructor(runs: Runs) {
    this.runs = runs;
    const view = vscode.window.createTreeView('loopls.runs', {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.disposables = [
      this.changed,
      runs.onListChanged.on(() => this.changed.fire(undefined)),
      runs.onEvent.on(({ run, event }) => {
        // Text is no part of the tree.
        if (!event.type.endsWith('_delta') && event.type !== 'tool_output') {
          this.draw(this.changedBy(run, event));
        }
      }),
      view,
      view.onDidChangeVisibility(({ visible }) => visible && this.drawOnceMore(runs.all())),
      runs.onEnded.on(run => this.drawOnceMore([run])),
    ];
  }

  getChildren(node?: Node): Node[] {
    switch (node?.kind) {
      case undefined:
        this.forget();
        return this.runs.all().map(run => this.node(run.id, { kind: 'run', run }));
      case 'run':
        return node.run.view.steps.map(step =>
          this.node(`${node.run.id} ${step.step}`, { kind: 'step', run: node.run, step }),
        );
      case 'step':
        return node.step.calls.map(call =>
          this.node(`${node.run.id} call ${call.call}`, { kind: 'call', run: node.run, call }),
        );
      case 'call':
        return facts(node.call).map(([name, value]) => ({ ...node, kind: 'fact', name, value }));
      case 'fact':
        return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case 'run':
        this.told.set(node.run, statusWords(node.run.view));
        return runItem(node.run);
      case 'step':
        return stepItem(node.run, node.step);
      case 'call':
        return callItem(node.run, node.call);
      case 'fact':
        return factItem(node.run, node.call, node.name, node.value);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  /** The same thing is the same node each time, so that it can be drawn anew by itself. */
  private node(id: string, node: Node): Node {
    const known = this.nodes.get(id) ?? node;
    this.nodes.set(id, known);
    return known;
  }

  private forget(): void {
    for (const [id, node] of this.nodes) {
      if (!this.runs.get(node.run.id)) {
        this.nodes.delete(id);
      }
    }
  }

  /**
   * The row below which all is that an event changed. It is as far down as can be: a row that is drawn anew takes a press with
   * it, and whoever presses Stop while calls come and go wants the run to stop.
   */
  private changedBy(run: TrackedRun, event: RunEvent): Node | undefined {
    const row = this.nodes.get(run.id);
    if (!('call' in event) || this.told.get(run) !== statusWords(run.view)) {
      return row;
    }
    const call = this.nodes.get(`${run.id} call ${event.call}`);
    const step = run.view.steps.at(-1);
    // With its first call a step is another row.
    return call ?? (step && step.calls.length > 1 ? this.nodes.get(`${run.id} ${step.step}`) : row);
  }

  private draw(node: Node | undefined): void {
    this.waiting.add(node);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const node of this.waiting) {
        this.changed.fire(node);
      }
      this.waiting.clear();
    }, INTERVAL_MS);
  }

  /**
   * To a question about rows that comes while VS Code renews them it takes none for an answer, and asks again only where
   * something changes.
   */
  private drawOnceMore(runs: TrackedRun[]): void {
    setTimeout(() => {
      for (const { id } of runs) {
        this.draw(this.nodes.get(id));
      }
    }, SETTLED_MS);
  }
}

function runItem(run: TrackedRun): vscode.TreeItem {
  const { view } = run;
  const name = [view.loop || 'starting', view.mode, view.test ?? ''].filter(part => part !== '');
  const item = new vscode.TreeItem(name.map(part => oneLine(part, 60)).join(' · '));
  item.id = run.id;
  item.description = `#${run.number} ${statusWords(view)}`;
  item.iconPath = runIcon(run);
  item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
  const kind = run.request.test === undefined ? 'run' : 'test';
  item.contextValue = `${kind}.${isGoing(run) ? 'going' : 'over'}`;
  const reason = reasonWords(view);
  item.tooltip = [
    `${statusWords(view)}${reason ? `: ${reason}` : ''}`,
    // Before, each call would change them.
    ...(isGoing(run) ? [] : [counters(view)]),
    view.model,
    view.prompt,
  ]
    .map(line => oneLine(line, 500))
    .join('\n');
  item.command = command('loopls.showRun', 'Show Run', { kind: 'run', run });
  return item;
}

function stepItem(run: TrackedRun, step: Step): vscode.TreeItem {
  const first = step.text.isEmpty ? '' : oneLine(step.text.toString(), 120);
  const item = new vscode.TreeItem(`Step ${step.step}`);
  // VS Code keeps by its id whether a row is open, and one without rows below it counts as closed: with its first call a step
  // is another row.
  item.id = `${run.id} ${step.step}${step.calls.length ? ' calls' : ''}`;
  const tokens = step.usage && step.usage.input + step.usage.output > 0 ? tokensOf(step.usage) : '';
  item.description = [tokens, first].filter(part => part !== '').join(' · ');
  item.tooltip = visible(step.text.toString().slice(0, 2_000));
  item.iconPath = new vscode.ThemeIcon('comment');
  item.collapsibleState = step.calls.length
    ? vscode.TreeItemCollapsibleState.Expanded
    : vscode.TreeItemCollapsibleState.None;
  item.contextValue = 'step';
  return item;
}

function tokensOf({ input, output }: { input: number; output: number }): string {
  return `${shortCount(input)} + ${shortCount(output)} tokens`;
}

function callItem(run: TrackedRun, call: Call): vscode.TreeItem {
  const item = new vscode.TreeItem(oneLine(call.tool, 60));
  item.id = `${run.id} call ${call.call}`;
  const took = call.ms === undefined ? '' : duration(call.ms);
  item.description = [inputLine(call.input, 80), took].filter(part => part !== '').join(' · ');
  item.tooltip = visible((call.result ?? call.asked?.shown ?? '').slice(0, 2_000));
  item.iconPath = callIcon(call);
  item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
  item.contextValue = call.asked ? 'call.asked' : 'call';
  item.command = command('loopls.showRun', 'Show Call', { kind: 'call', run, call });
  return item;
}

function factItem(run: TrackedRun, call: Call, name: string, value: string): vscode.TreeItem {
  const item = new vscode.TreeItem(name);
  item.description = oneLine(value, 200);
  item.tooltip = visible(value.slice(0, 4_000));
  item.contextValue = 'fact';
  item.command = command('loopls.showCall', 'Show Input and Result', { kind: 'call', run, call });
  return item;
}

function command(command: string, title: string, node: Node): vscode.Command {
  return { command, title, arguments: [node] };
}

function runIcon({ view }: TrackedRun): vscode.ThemeIcon {
  if (view.status === 'asking') {
    return icon('question', 'list.warningForeground');
  }
  if (view.status !== 'ended') {
    return icon('loading~spin');
  }
  if (isSuccess(view)) {
    return icon('pass', 'testing.iconPassed');
  }
  if (view.stop === 'cancelled') {
    return icon('circle-slash', 'disabledForeground');
  }
  // A test that did not pass is a failure, wherever its run stopped.
  const isFailure = view.verdict !== undefined || view.stop === 'failed';
  return isFailure ? icon('error', 'testing.iconFailed') : icon('warning', 'list.warningForeground');
}

function callIcon(call: Call): vscode.ThemeIcon {
  if (call.asked) {
    return icon('question', 'list.warningForeground');
  }
  if (isOpen(call)) {
    return icon('loading~spin');
  }
  return call.isError || call.abandoned
    ? icon('error', 'testing.iconFailed')
    : icon('check', 'testing.iconPassed');
}

function icon(id: string, color?: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));
}

/** What is known of a call, in the words of the format. */
function facts(call: Call): [string, string][] {
  const facts: [string, string][] = [['input', inputLine(call.input, 4_000)]];
  if (call.asked) {
    facts.push(['asks', `${call.asked.effect}: ${call.asked.shown}`]);
  }
  if (call.decided) {
    const pattern = call.decided.pattern ? ` ${call.decided.pattern}` : '';
    facts.push([
      call.decided.decision === 'allow' ? 'allowed by' : 'denied by',
      `${call.decided.by}${pattern}`,
    ]);
  }
  if (call.result !== undefined) {
    facts.push([call.isError ? 'error' : 'result', call.result]);
    const cut = call.omitted > 0 ? `, ${bytes(call.omitted)} of them cut` : ', nothing cut';
    facts.push(['size', `${bytes(call.bytes)}${cut}`]);
  }
  if (call.ms !== undefined) {
    facts.push(['took', duration(call.ms)]);
  }
  return facts;
}
