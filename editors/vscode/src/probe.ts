/**
 * What the server behind a tool offers, asked for by the tool's lens: the loopls server says it in a message, and here it is
 * read whole, beside the definition.
 */
import * as vscode from 'vscode';
import { PROBE_SCHEME } from './language.ts';
import { message, oneLine, visible } from './runs/foreign.ts';
import type { Server } from './server.ts';

/** What `loopls.probe` answers. */
interface Probed {
  /** The entry of the definition. */
  tool: string;
  tools: { name: string; description: string; effect: string; input_schema: unknown }[];
}

/** The documents of what servers offered when they were last asked. */
export class ProbeDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? 'This server was asked in a window that is closed.\n';
  }

  dispose(): void {
    this.changed.dispose();
  }

  /** Shows an answer without taking the focus. */
  async show(definition: string, probed: Probed): Promise<void> {
    const path = `/${oneLine(probed.tool, 40).replaceAll(/[/\\]/g, '-')} offers`;
    const uri = vscode.Uri.from({ scheme: PROBE_SCHEME, path, query: definition });
    this.texts.set(uri.toString(), textOf(probed));
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    });
  }
}

/** Asks the server of a tool what it offers, which starts it, and shows the answer. */
export async function probe(
  server: Server,
  documents: ProbeDocuments,
  argument: { uri: string; tool: string },
): Promise<void> {
  const title = `loopls: asking ${oneLine(argument.tool, 40)} what it offers`;
  const asked = server.execute('loopls.probe', argument);
  const probed = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title },
    () => asked as Promise<Probed>,
  );
  await documents.show(argument.uri, probed);
}

function textOf({ tool, tools }: Probed): string {
  const count = `${tools.length} tool${tools.length === 1 ? '' : 's'}`;
  const parts = tools.map(({ name, description, effect, input_schema }) =>
    [
      `${oneLine(name, 80)} · ${oneLine(effect, 20)}`,
      ...(description === '' ? [] : indented(description)),
      ...indented(JSON.stringify(input_schema, undefined, 2)),
    ].join('\n'),
  );
  return `${[`▶ ${message(tool, 80)} · ${count}`, ...parts].join('\n\n')}\n`;
}

/** What a server wrote never looks like a line of ours. */
function indented(text: string): string[] {
  return visible(text)
    .split('\n')
    .map(line => `  ${line}`.trimEnd());
}
