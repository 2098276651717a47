/**
 * A run that nobody sees, and that takes a while, says so in a message with Cancel. One whose document is in view has
 * Stop in its title.
 */
import * as vscode from 'vscode';
import type { RunDocuments } from './runDocument.ts';
import { message } from './runs/foreign.ts';
import { isGoing, type Runs, type TrackedRun } from './runs/store.ts';
import { counters, statusWords } from './runs/words.ts';

const PATIENCE_MS = 2_000;

export function showProgress(runs: Runs, documents: RunDocuments): vscode.Disposable {
  return runs.onBegan.on(run => {
    setTimeout(async () => {
      if (isGoing(run) && run.request.test === undefined && !(await documents.isVisible(run))) {
        await show(runs, run);
      }
    }, PATIENCE_MS);
  });
}

function show(runs: Runs, run: TrackedRun): Thenable<void> {
  const title = `${message(run.view.loop, 60)} #${run.number}`;
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (progress, token) =>
      new Promise(resolve => {
        const say = () => progress.report({ message: `${statusWords(run.view)} · ${counters(run.view)}` });
        const disposables = [
          token.onCancellationRequested(() => runs.cancel(run)),
          runs.onEvent.on(({ run: of, event }) => {
            if (of === run && (event.type === 'step_started' || event.type === 'tool_started')) {
              say();
            }
          }),
          runs.onEnded.on(of => {
            if (of === run) {
              for (const disposable of disposables) {
                disposable.dispose();
              }
              resolve();
            }
          }),
        ];
        say();
      }),
  );
}
