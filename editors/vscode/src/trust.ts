/**
 * Trust is VS Code's: in restricted mode everything that reads works and nothing starts. The protocol knows no such thing,
 * so the server is told at its start and when it changes.
 */
import * as vscode from 'vscode';

/** The value of `initializationOptions.trust`. */
export function trustLevel(): 'trusted' | 'restricted' {
  return vscode.workspace.isTrusted ? 'trusted' : 'restricted';
}

/** Says that nothing was started because of restricted mode, with the way out of it. */
export async function sayRestricted(): Promise<void> {
  const manage = 'Manage Workspace Trust';
  const text = 'loopls: nothing was started, for this folder is open in restricted mode.';
  if ((await vscode.window.showWarningMessage(text, manage)) === manage) {
    await vscode.commands.executeCommand('workbench.trust.manage');
  }
}
