/** Measures how long a keystroke takes to be on the screen, without a run and beside two kinds of it: see measure.sh. */
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { Editor, type Window } from './ui/editor.ts';
import { Model } from './ui/model.ts';
import { pause } from './ui/waiting.ts';

const KEYS = 100;
const CHUNKS = 50_000;

/** From the key's event to the frame that shows what it did, for each of some keys. */
async function keystrokes(window: Window): Promise<number[]> {
  const { page } = window;
  await window.click('prompt = ');
  await page.keyboard.type(' # ');
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
    // As somebody types, not in step with anything.
    await pause(40 + ((key * 37) % 160));
    await page.keyboard.press(key % 2 === 0 ? 'x' : 'Backspace', { delay: 10 });
    await page.waitForFunction(`globalThis.times.length > ${key}`);
  }
  return (await page.evaluate('globalThis.times')) as number[];
}

function report(name: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  const late = sorted.filter(time => time >= 50).length;
  const figures = `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, longest ${at(1)} ms, ${late} of 50 ms or more`;
  console.log(`${name}: ${sorted.length} keys, ${figures}`);
}

/** A window that has done what it does first. */
async function settled(editor: Editor, folder: string, file: string): Promise<Window> {
  const window = await editor.open(folder, file);
  await window.answered();
  await pause(5_000);
  return window;
}

/** What VS Code takes by itself, on this machine. */
async function alone(editor: Editor): Promise<void> {
  const window = await settled(editor, editor.folder('much.loop.toml', 'print.awk'), 'much.loop.toml');
  report('without a run', await keystrokes(window));
  await window.page.context().close();
}

async function besideOutput(editor: Editor): Promise<void> {
  const window = await settled(editor, editor.folder('much.loop.toml', 'print.awk'), 'much.loop.toml');
  writeFileSync(path.join(window.folder, 'lot'), '50');
  await window.lens('Run');
  await window.waitText('much #1', /┆ \d+ lines before/);
  report('beside a tool that prints 50,000 lines', await keystrokes(window));
  await window.page.context().close();
}

async function besideReply(editor: Editor): Promise<void> {
  const model = await Model.start();
  const folder = editor.folder();
  writeFileSync(path.join(folder, 'played.loop.toml'), model.definition);
  const window = await settled(editor, folder, 'played.loop.toml');
  await window.lens('Run');
  await model.next();
  let isOver = false;
  const said = (async () => {
    for (let chunk = 1; chunk <= CHUNKS && !isOver; chunk += 1) {
      model.say(chunk % 10 === 0 ? `${chunk}.\n` : `word `);
      if (chunk % 50 === 0) {
        await pause(20);
      }
    }
  })();
  await window.waitText('played #1', 'word word');
  report('beside a reply of 50,000 chunks', await keystrokes(window));
  isOver = true;
  await said;
  model.stop();
  await window.page.context().close();
}

const editor = await Editor.start();
try {
  await alone(editor);
  await besideOutput(editor);
  await besideReply(editor);
} finally {
  await editor.end();
}
// Not by itself: `node:test`, which the tests' editor brings, would report that there were none.
process.exit();
