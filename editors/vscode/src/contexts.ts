/** What menus ask about: whether something runs, and which run documents are of runs that go on. */
import * as vscode from 'vscode';
import type { RunDocuments } from './runDocument.ts';
import type { Runs } from './runs/store.ts';

export function showContexts(runs: Runs, documents: RunDocuments): vscode.Disposable {
  let shown = '';
  const show = () => {
    const going = runs.going();
    const paths = going.filter(run => run.view.loop !== '').map(run => documents.pathOf(run));
    const now = JSON.stringify([going.length, paths, runs.all().length]);
    if (now === shown) {
      return;
    }
    shown = now;
    const set = (key: string, value: unknown) =>
      void vscode.commands.executeCommand('setContext', key, value);
    set('loopls.isRunning', going.length > 0);
    set('loopls.hasRuns', runs.all().length > 0);
    set('loopls.goingDocuments', paths);
  };
  const disposables = [runs.onBegan.on(show), runs.onEnded.on(show), runs.onListChanged.on(show)];
  show();
  return vscode.Disposable.from(...disposables);
}
