/** What comes of binding a definition, and of asking one server what it offers. Both start servers, and need trust. */
import * as vscode from 'vscode';
import { type ProbeDocuments, probe } from './probe.ts';
import { NOT_TRUSTED } from './runs/events.ts';
import { message } from './runs/foreign.ts';
import type { Server } from './server.ts';
import { sayRestricted } from './trust.ts';

/** Binds a definition and says how many tools each mode has, or why it does not bind. */
export async function checkBind(server: Server, uri: string): Promise<void> {
  try {
    const bound = (await server.execute('loopls.bind', { uri })) as {
      modes: { name: string; tools: unknown[] }[];
    };
    const modes = bound.modes.map(({ name, tools }) => {
      const count = `${tools.length} tool${tools.length === 1 ? '' : 's'}`;
      return name === '' ? `${count} in base` : `${count} in ${message(name, 40)}`;
    });
    void vscode.window.showInformationMessage(`The definition binds: ${modes.join(', ')}.`);
  } catch (error) {
    await sayRefused('The definition does not bind', error);
  }
}

/** Asks the server of a tool what it offers, and says so where it cannot be asked. */
export async function askServer(
  server: Server,
  documents: ProbeDocuments,
  argument: { uri: string; tool: string },
): Promise<void> {
  try {
    await probe(server, documents, argument);
  } catch (error) {
    await sayRefused(`${message(argument.tool, 40)} cannot be asked what it offers`, error);
  }
}

/** Says why nothing came of a command. */
async function sayRefused(what: string, error: unknown): Promise<void> {
  const reason = reasonOf(error);
  if (reason === NOT_TRUSTED) {
    await sayRestricted();
  } else {
    void vscode.window.showErrorMessage(`${what}: ${message(reason, 500)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
