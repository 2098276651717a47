/** What a definition is told about while it is read and written. */
import assert from 'node:assert/strict';
import { fileTest, until } from './editor.ts';

fileTest(
  'a negative limit has a squiggle and a row among the problems, and both go when it is put right',
  ['faulty.loop.toml'],
  async window => {
    const { page } = window;
    await page.locator('.squiggly-error').first().waitFor();
    await window.command('Problems: Focus on Problems View');
    const rows = page.locator('.markers-panel .monaco-list-row');
    const fault = rows.filter({ hasText: 'a limit is never negative' });
    await fault.waitFor();
    assert.match(await fault.innerText(), /invalid_tool_limits/);
    await window.screenshot('problems');
    await window.click('calls = -3');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('30');
    await fault.waitFor({ state: 'detached' });
  },
);

fileTest(
  'the hover over a mode is the table of its limits with their origins',
  ['modes.loop.toml'],
  async window => {
    await window.hover('quick', /iterations 4 .*calls 30 .*parallel 8 default/);
    await window.screenshot('hover');
  },
);

fileTest(
  'a file is of our language by its name, and one of TOML is not',
  ['modes.loop.toml'],
  async window => {
    const language = window.page.locator('#status\\.editor\\.mode');
    await until('the language', async () => (await language.innerText()) === 'Loop Definition');
  },
);

fileTest(
  'the name of a tool or of a mode has its colour wherever it stands, which text of any kind has not',
  ['order-desk.loop.toml'],
  async window => {
    let seen = '';
    await until(
      () => `a call and a mode in colours of their own; there are ${seen}`,
      async () => {
        const text = await window.colour('display_name =', 'Order desk');
        const declared = await window.colour('name = "find_order"', 'find_order');
        const called = await window.colour('{ tool = "find_order"', 'find_order');
        const mode = await window.colour('initial_mode =', 'lookup');
        seen = [text, declared, called, mode].join(', ');
        return called === declared && called !== text && mode !== text && mode !== called;
      },
    );
  },
);

fileTest('a misspelt key is put right by its quick fix', ['typo.loop.toml'], async window => {
  const { page } = window;
  await page.locator('.squiggly-error').first().waitFor();
  await window.click('promt');
  await page.keyboard.press('Home');
  await window.act('prompt');
  await window.waitText('typo.loop.toml', 'prompt = "How late is it?"');
  await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
});

fileTest(
  'completion knows the keys that fit and the tools of a mode, and quotes a name once',
  ['modes.loop.toml'],
  async window => {
    const { page } = window;
    await window.click('limits = { calls = 50');
    await page.keyboard.press('Enter');
    await page.keyboard.type('too');
    await window.suggested('tools');
    await window.waitText('modes.loop.toml', /tools = \[.*\]/);
    await window.suggested('ask', 'completion');
    await window.waitText('modes.loop.toml', /tools = \["ask"\]/);
  },
);

fileTest(
  'a tool is renamed where it is declared and wherever it is named',
  ['waits.loop.toml'],
  async window => {
    const { page } = window;
    await window.click('name = "wait_left"');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('F2');
    const input = page.locator('.rename-box input');
    await input.waitFor();
    await input.fill('hold');
    await page.keyboard.press('Enter');
    const text = await window.waitText('waits.loop.toml', 'name = "hold"');
    assert.match(text, /tool = "hold"/);
    assert.doesNotMatch(text, /wait_left/);
  },
);

fileTest(
  'the outline has the tools and modes, and F12 on a tool goes to it',
  ['order-desk.loop.toml'],
  async window => {
    const { page } = window;
    await page.keyboard.press('Control+Shift+O');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'refund_rules' }).first().waitFor();
    await page.locator('.quick-input-box input').fill('@lookup');
    await window.choose('lookup');
    await window.click('tools = ["find_order", "track_parcel"]');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('F12');
    await page.locator('.statusbar-item', { hasText: /Ln 51,/ }).waitFor();
  },
);
