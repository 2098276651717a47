/** The document of one call: what went in and what came out, whole. */
import * as vscode from 'vscode';
import { CALL_SCHEME } from './language.ts';
import type { Call } from './runs/fold.ts';
import { oneLine, visible } from './runs/foreign.ts';
import type { Runs, TrackedRun } from './runs/store.ts';
import { bytes, duration } from './runs/words.ts';

export class CallDocuments implements vscode.TextDocumentContentProvider {
  private readonly runs: Runs;

  constructor(runs: Runs) {
    this.runs = runs;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const run = this.runs.get(uri.query);
    const call = run?.view.byNumber.get(Number(uri.fragment));
    return run && call ? callText(run, call) : 'This call was of a window that is closed.\n';
  }

  /** Opens the document of a call. */
  async show(run: TrackedRun, call: Call): Promise<void> {
    const path = `/${oneLine(call.tool, 40).replaceAll(/[/\\]/g, '-')} #${run.number}.${call.call}`;
    const uri = vscode.Uri.from({ scheme: CALL_SCHEME, path, query: run.id, fragment: `${call.call}` });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }
}

function callText(run: TrackedRun, call: Call): string {
  const end = [];
  if (call.ms !== undefined) {
    end.push(duration(call.ms), bytes(call.bytes));
  }
  if (call.omitted > 0) {
    end.push(`${bytes(call.omitted)} cut`);
  }
  const lines = [
    `▶ ${oneLine(call.tool, 80)} · call ${call.call} of ${oneLine(run.view.loop, 80)} #${run.number}`,
    '',
    'input',
    indented(typeof call.input === 'string' ? call.input : JSON.stringify(call.input, undefined, 2)),
    '',
  ];
  if (call.result === undefined) {
    lines.push('printed so far', indented(call.output.toString()));
  } else {
    lines.push(`${call.isError ? '✗ error' : '✓ result'} · ${end.join(' · ')}`, indented(call.result));
  }
  return `${lines.join('\n')}\n`;
}

/** Foreign text never looks like a line of ours. */
function indented(text: string): string {
  return visible(text).replaceAll(/^/gm, '  ');
}
