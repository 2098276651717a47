/** The language client of one server process: what it is told about this editor, and what the editor adds to it. */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type Middleware,
  RevealOutputChannelOn,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { LANGUAGE } from './language.ts';
import { trustLevel } from './trust.ts';

export interface ClientParts {
  log: vscode.LogOutputChannel;
  /** Starts the process. */
  spawn(): ChildProcess;
  /** The connection is gone, and nobody here had asked for it. */
  lost(): void;
  middleware: Middleware;
}

/** One message of ours says what happened to the server; the library's own go to the log alone. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }
}

export function newClient(parts: ClientParts): LanguageClient {
  const client = new QuietClient('loopls', 'loopls', () => Promise.resolve(parts.spawn()), {
    // Not other schemes: the `git:` side of a comparison is no second file with the same problems.
    documentSelector: ['file', 'untitled'].map(scheme => ({ scheme, language: LANGUAGE })),
    synchronize: {
      fileEvents: vscode.workspace.createFileSystemWatcher('**/{loop.toml,*.loop.toml,loopls.toml}'),
    },
    initializationOptions: { trust: trustLevel() },
    outputChannel: parts.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    middleware: parts.middleware,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        parts.lost();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    initializationFailedHandler: () => false,
    stdioOptions: {
      stdout: () => {},
      stderr: (input, log) => {
        createInterface({ input }).on('line', line => log.warn(line));
      },
    },
  });
  client.registerFeature(runEvents);
  return client;
}

/** Says that this editor draws runs from events and asks about calls itself. */
const runEvents: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = {
      ...(capabilities.experimental as object | undefined),
      loopls: { runEvents: true, approvals: true },
    };
  },
  initialize() {},
  getState: () => ({ kind: 'static' }),
  clear() {},
};
