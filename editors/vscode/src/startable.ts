/**
 * What can be started from a definition. The server's lenses say it, so the editor offers what the command line has, also
 * for a text that is not saved or has errors.
 */
import * as vscode from 'vscode';
import type { Server } from './server.ts';

export interface Startable {
  modes: string[];
  tests: { name: string; range: vscode.Range }[];
}

interface Lens {
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
  command?: { command: string; arguments?: unknown[] };
}

/** Asks the server what can be started from a document that is open. */
export async function startable(server: Server, uri: vscode.Uri): Promise<Startable> {
  const lenses = await server.request<Lens[] | null>('textDocument/codeLens', {
    textDocument: { uri: uri.toString() },
  });
  const found: Startable = { modes: [], tests: [] };
  for (const { range, command } of lenses ?? []) {
    if (command?.command !== 'loopls.run') {
      continue;
    }
    const { mode, test } = (command.arguments?.[0] ?? {}) as { mode?: string; test?: string };
    if (mode !== undefined && !found.modes.includes(mode)) {
      found.modes.push(mode);
    }
    if (test !== undefined && !found.tests.some(({ name }) => name === test)) {
      const { start, end } = range;
      found.tests.push({
        name: test,
        range: new vscode.Range(start.line, start.character, end.line, end.character),
      });
    }
  }
  return found;
}
