/**
 * One test under way: what it does is told as it comes, and at its end what came of it. That is for the server to say, not
 * for the way in which the run ended: a test may expect a limit, and an answer may be another than the expected one.
 */
import * as vscode from 'vscode';
import type { Miss, RunEvent } from './runs/events.ts';
import { inputLine, visible } from './runs/foreign.ts';
import type { Runs, TrackedRun } from './runs/store.ts';
import { counters, reasonWords, statusWords } from './runs/words.ts';

/** Runs the test that `item` stands for, as a part of `run`. */
export function runTest(
  runs: Runs,
  run: vscode.TestRun,
  item: vscode.TestItem,
  token: vscode.CancellationToken,
): Promise<void> {
  const { uri } = item;
  if (!uri) {
    return Promise.resolve();
  }
  run.started(item);
  run.appendOutput(`▶ ${visible(item.label)}\r\n`, undefined, item);
  const started = runs.start({ uri: uri.toString(), test: item.label });
  return new Promise(resolve => {
    const finish = () => {
      vscode.Disposable.from(...disposables).dispose();
      resolve();
    };
    const disposables = [
      token.onCancellationRequested(() => runs.cancel(started)),
      runs.onEvent.on(({ run: of, event }) => {
        if (of === started) {
          run.appendOutput(outputOf(event), undefined, item);
        }
      }),
      runs.onEnded.on(of => {
        if (of === started) {
          run.appendOutput('\r\n', undefined, item);
          report(run, item, uri, started);
          finish();
        }
      }),
      runs.onRefused.on(({ run: of, reason }) => {
        if (of === started) {
          run.errored(item, new vscode.TestMessage(visible(reason ?? 'cancelled')));
          finish();
        }
      }),
    ];
  });
}

function report(run: vscode.TestRun, item: vscode.TestItem, uri: vscode.Uri, { view }: TrackedRun): void {
  if (view.stop === 'cancelled') {
    run.skipped(item);
  } else if (view.verdict?.passed) {
    run.passed(item, view.ms);
  } else if (view.verdict) {
    const messages = view.verdict.misses.map(miss => messageOf(uri, miss));
    run.failed(item, messages, view.ms);
  } else {
    // It did not get to its expectations.
    const reason = reasonWords(view);
    const text = `${statusWords(view)}${reason ? `: ${reason}` : ''} (${counters(view)})`;
    run.errored(item, new vscode.TestMessage(visible(text)), view.ms);
  }
}

function messageOf(uri: vscode.Uri, { range: { start, end }, message }: Miss): vscode.TestMessage {
  const said = new vscode.TestMessage(visible(message));
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  said.location = new vscode.Location(uri, range);
  return said;
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
