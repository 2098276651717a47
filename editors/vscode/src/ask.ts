/** Questions to a person that every command asks alike. */
import * as vscode from 'vscode';
import { label } from './runs/foreign.ts';
import type { TrackedRun } from './runs/store.ts';
import { statusWords } from './runs/words.ts';

/** Which of some runs is meant: the only one there is, or the one a person chooses; where there is none, `none` is said. */
export async function choose(
  runs: TrackedRun[],
  question: string,
  none: string,
): Promise<TrackedRun | undefined> {
  if (runs.length === 0) {
    void vscode.window.showInformationMessage(none);
  }
  if (runs.length < 2) {
    return runs[0];
  }
  const items = runs.map(run => ({
    label: `#${run.number} ${label(run.view.loop, 60)} ${label(run.view.mode, 60)}`.trim(),
    description: statusWords(run.view),
    run,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: question }))?.run;
}

/** Asks for a user message; nothing if there is none. */
export async function askPrompt(what: string): Promise<string | undefined> {
  const prompt = await vscode.window.showInputBox({
    prompt: what,
    placeHolder: 'Prompt',
    ignoreFocusOut: true,
  });
  return prompt?.trim() === '' ? undefined : prompt;
}
