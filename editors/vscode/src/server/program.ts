/** A program on this machine: whether there is one, what version it says it is, and starting it as a server. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';

/** How long a program may take to say its version. */
const VERSION_PATIENCE_MS = 10_000;

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * What the program at `path` prints for `--version`: `loopls 1.2.3`. Rejects with a sentence for a person if it does not run
 * or is something else.
 */
export function version(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: homedir(), timeout: VERSION_PATIENCE_MS, maxBuffer: 1 << 16 };
    const child = execFile(path, ['--version'], options, (error, stdout) => {
      const found = /^loopls (\S+)/.exec(stdout);
      if (found?.[1] && !error) {
        resolve(found[1]);
      } else if (error?.killed) {
        reject(new Error(`${path} --version does not answer`));
      } else if (error) {
        reject(new Error(`${path} does not run (${error.code ?? error.signal ?? error.message})`));
      } else {
        reject(new Error(`${path} is not loopls`));
      }
    });
    child.stdin?.end();
  });
}

/** Starts the program at `path` as a server on its standard input and output. */
export function startServer(path: string, extraArguments: string[]): ChildProcess {
  // In nobody's folder, so that nothing beside a definition is picked up by chance.
  return spawn(path, ['lsp', ...extraArguments], { cwd: homedir(), stdio: 'pipe', windowsHide: true });
}
