/**
 * A run becomes a test of its definition. The server makes the entry; a person names it, reads it whole, and only then is it
 * added, as an edit that can be undone and is not saved.
 */
import * as vscode from 'vscode';
import { ENTRY_SCHEME, LANGUAGE } from './language.ts';
import { message, oneLine } from './runs/foreign.ts';
import type { TrackedRun } from './runs/store.ts';
import type { Server } from './server.ts';

/** What `loopls.saveAsTest` answers. */
interface Saved {
  /** The test's name, made different from those that the definition has. */
  test: string;
  /** Its text. */
  entry: string;
  added: boolean;
}

/** The question lies over the first lines of the document. */
const BELOW_THE_QUESTION = '\n'.repeat(5);

/** The documents of entries that are looked at, by the id of their run. */
export class EntryDocuments implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.query) ?? 'This test was added, or was not wanted.\n';
  }

  /** Shows an entry while `question` is asked about it. */
  async during<T>(run: string, { test, entry }: Saved, question: () => Thenable<T>): Promise<T> {
    this.texts.set(run, `${BELOW_THE_QUESTION}${entry}`);
    const path = `/${oneLine(test, 40).replaceAll(/[/\\]/g, '-')} (to be added)`;
    const uri = vscode.Uri.from({ scheme: ENTRY_SCHEME, path, query: run });
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
      await vscode.window.showTextDocument(document, { preview: true });
      return await question();
    } finally {
      this.texts.delete(run);
      await closeTab(uri);
    }
  }
}

/** Makes a test of a run and, if a person wants it, adds it at the end of the definition. */
export async function saveAsTest(server: Server, entries: EntryDocuments, run: TrackedRun): Promise<void> {
  const save = async (name: string | undefined, apply: boolean) =>
    (await server.execute('loopls.saveAsTest', { run: run.id, name, apply })) as Saved;
  try {
    // The server adds to a definition that is open.
    const definition = await vscode.workspace.openTextDocument(vscode.Uri.parse(run.request.uri));
    const proposed = await save(undefined, false);
    const name = await vscode.window.showInputBox({
      title: 'Save Run as Test',
      prompt: 'The name of the test',
      value: proposed.test,
      ignoreFocusOut: true,
      validateInput: value => (value.trim() === '' ? 'A test has a name.' : undefined),
    });
    if (name === undefined) {
      return;
    }
    const saved = await save(name, false);
    const file = vscode.workspace.asRelativePath(definition.uri);
    const add = `Add this test to ${file}`;
    const chosen = await entries.during(run.id, saved, () =>
      vscode.window.showQuickPick([add, 'Cancel'], { title: 'Save Run as Test', ignoreFocusOut: true }),
    );
    if (chosen !== add) {
      return;
    }
    await save(saved.test, true);
    const first = Math.max(0, definition.lineCount - saved.entry.split('\n').length);
    await vscode.window.showTextDocument(definition, { selection: new vscode.Range(first, 0, first, 0) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(`This run does not become a test: ${message(reason, 500)}`);
  }
}

async function closeTab(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
  const ours = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString(),
  );
  await vscode.window.tabGroups.close(ours, true);
}
