/** Waiting for what a test wants to see: for as long as it takes, and no longer. */

/** How long anything may take in an editor that is there. Long, for machines are shared. */
export const PATIENCE_MS = 90_000;
/** How long an editor or a window may take to be there. */
export const START_PATIENCE_MS = 120_000;
/** How long something may take before it is tried once more, where an editor may have missed it. */
export const SOON_MS = 5_000;
/** The time between two looks. */
const INTERVAL_MS = 50;

/** Waits until `check` holds. What it throws means that it does not yet, unless the window is gone. */
export async function until(
  what: string | (() => string),
  check: () => Promise<boolean> | boolean,
  patience = PATIENCE_MS,
): Promise<void> {
  const end = Date.now() + patience;
  let last: unknown;
  while (Date.now() < end) {
    try {
      if (await check()) {
        return;
      }
      last = undefined;
    } catch (error) {
      last = error;
      if (/has been closed|crashed/.test(String(error))) {
        break;
      }
    }
    await pause(INTERVAL_MS);
  }
  const why = last === undefined ? '' : ` (${last})`;
  throw new Error(`waited too long for ${typeof what === 'string' ? what : what()}${why}`);
}

/** Some time, where nothing tells when to look again. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}

/** A pattern for what an element says if it says just this. */
export function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\\s*$`);
}
