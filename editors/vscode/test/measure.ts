/** Measures how long a keystroke takes to be on the screen, without and during a run: see measure.sh. */
import { rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { Editor, type Window } from './ui/editor.ts';

const KEYS = 30;

/** From the key's event to the frame that shows the character, for each of some keys. */
async function keystrokes(window: Window): Promise<number[]> {
  const { page } = window;
  // Given as text, for it runs in the page.
  await page.evaluate(`
    globalThis.times = [];
    addEventListener('keydown', ({ timeStamp }) => {
      const seen = new MutationObserver(() => {
        seen.disconnect();
        requestAnimationFrame(() => globalThis.times.push(performance.now() - timeStamp));
      });
      seen.observe(document.querySelector('.editor-group-container .view-lines'), {
        subtree: true, childList: true, characterData: true,
      });
    }, true);
  `);
  for (let key = 0; key < KEYS; key += 1) {
    await page.keyboard.press('x', { delay: 10 });
    await page.waitForFunction(`globalThis.times.length > ${key}`);
  }
  return (await page.evaluate('globalThis.times')) as number[];
}

function report(name: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  console.log(`${name}: ${sorted.length} keys, p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, longest ${at(1)} ms`);
}

const editor = await Editor.start();
try {
  const window = await editor.open(editor.folder('much.loop.toml', 'print.awk'), 'much.loop.toml');
  const go = path.join(window.folder, 'go');
  writeFileSync(go, '');
  await window.lens('Run');
  await window.waitText('much #1', '✓ answer');
  rmSync(go);
  await window.click('name = "print"');
  await window.page.keyboard.type(' # ');
  report('without a run', await keystrokes(window));
  await window.page.reload();
  await window.lens('Run');
  await window.waitText('much #1', /┆ \d+ lines before/);
  await window.click('name = "print"');
  await window.page.keyboard.type(' # ');
  report('during a run', await keystrokes(window));
} finally {
  await editor.end();
}
