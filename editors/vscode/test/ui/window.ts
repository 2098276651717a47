/**
 * One window of VS Code, read and driven as a person would. What it does waits until what it needs is there, names it
 * exactly, and makes sure that it came about: an editor that has just been opened, or a machine that is busy, misses keys and
 * clicks, and draws its lists anew under the mouse.
 */
import { mkdirSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { exactly, PATIENCE_MS, pause, SOON_MS, until } from './waiting.ts';

const SCREENSHOTS = fileURLToPath(new URL('../screenshots', import.meta.url));

/** What a test in a window of others leaves with. */
export const CLEAR = {
  key: 'Control+Alt+F9',
  commands: [
    'workbench.action.files.revert',
    'workbench.action.closeAllEditors',
    'workbench.action.closePanel',
    'loopls.clearRuns',
    'notifications.clearAll',
  ],
};

export class Window {
  readonly page: Page;
  readonly folder: string;

  constructor(page: Page, folder: string) {
    this.page = page;
    this.folder = folder;
  }

  /** The editor of a file, by the name on its tab. */
  editor(name: string): Locator {
    return this.page
      .locator(`.editor-instance[aria-label*="${name}"], .editor-instance:has([aria-label*="${name}"])`)
      .first();
  }

  /** The group of editors in which this one is in front. */
  group(name: string): Locator {
    return this.page.locator(`.editor-group-container:has(.tab.active[aria-label*="${name}"])`).first();
  }

  tab(name: string): Locator {
    return this.page.locator(`.tab[aria-label*="${name}"]`);
  }

  /** The text in view of an editor. */
  async text(name: string): Promise<string> {
    const lines = await this.group(name)
      .locator('.view-lines')
      .first()
      .locator('.view-line')
      .evaluateAll(lines =>
        lines
          .map(line => ({
            top: Number.parseFloat((line as unknown as { style: { top: string } }).style.top),
            text: line.textContent ?? '',
          }))
          .sort((a, b) => a.top - b.top)
          .map(({ text }) => text.replaceAll('\u00a0', ' ').replaceAll('\u200d', '')),
      );
    return lines.join('\n');
  }

  /** Waits until an editor shows a text. */
  async waitText(name: string, wanted: string | RegExp): Promise<string> {
    let text = '';
    await until(
      () => `${name} to show ${wanted}; it shows:\n${text}`,
      async () => {
        text = await this.text(name);
        return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
      },
    );
    return text;
  }

  /** Opens a file of a folder in this window's folder. */
  async show(folder: string, file: string): Promise<void> {
    const row = this.page
      .locator('.quick-input-list .monaco-list-row', { hasText: file })
      .filter({ hasText: new RegExp(`${folder}(?!\\d)`) });
    await this.ask('Control+P', `${folder}/${file}`, row);
    await this.tab(file).waitFor();
    await this.editor(file).waitFor();
  }

  /** Leaves nothing open: what is not saved is gone, and so are the runs that are over. */
  async clear(): Promise<void> {
    const { page } = this;
    const discard = page.locator('.monaco-dialog-box .monaco-button', { hasText: "Don't Save" });
    await until('nothing to be open', async () => {
      await page.keyboard.press(CLEAR.key);
      for (let looks = 0; looks < 20; looks += 1) {
        if (await discard.isVisible()) {
          await discard.click({ timeout: SOON_MS });
        }
        const left = await page.locator('.tab, .notification-toast').count();
        if (left === 0 && !(await page.locator('.part.panel').isVisible())) {
          return true;
        }
        await pause(50);
      }
      return false;
    });
  }

  /** Runs a command by its title. */
  async command(title: string): Promise<void> {
    await this.ask('F1', `>${title}`, this.choices(title));
  }

  /** The entries of the list in front with this label. */
  private choices(label: string | RegExp): Locator {
    const { page } = this;
    const name = page.locator('.label-name', { hasText: typeof label === 'string' ? exactly(label) : label });
    return page.locator('.quick-input-list .monaco-list-row').filter({ has: name });
  }

  /** Opens the input with this key, writes into it, and chooses the entry that comes of it. */
  private async ask(key: string, text: string, choice: Locator): Promise<void> {
    const { page } = this;
    await until(`the choice ${text}`, async () => {
      // A list that is open knows nothing of what came after it, and its key does not open it anew.
      if (await page.locator('.quick-input-widget').isVisible()) {
        await page.keyboard.press('Escape');
      }
      await page.keyboard.press(key);
      await page.locator('.quick-input-box input').fill(text, { timeout: SOON_MS });
      await choice.first().waitFor({ timeout: SOON_MS });
      // Found and chosen at once: by the time a mouse is there, the list may be another.
      await choice.first().dispatchEvent('click', {}, { timeout: SOON_MS });
      return true;
    });
  }

  /** Chooses an entry of the list in front, by its label. */
  async choose(label: string | RegExp, timeout = PATIENCE_MS): Promise<void> {
    await this.choices(label).first().dispatchEvent('click', {}, { timeout });
  }

  /** Answers the question in front that says this; without an answer, with what it proposes. */
  async answer(question: string, answer?: string): Promise<void> {
    const { page } = this;
    await page.locator('.quick-input-widget', { hasText: question }).waitFor();
    if (answer !== undefined) {
      await page.locator('.quick-input-box input').fill(answer);
    }
    await page.keyboard.press('Enter');
  }

  /** What the lenses read, those of one line as one. */
  lensLine(text: string | RegExp): Locator {
    return this.lensLines().filter({ hasText: text }).first();
  }

  /** Waits until the server has said what can be done with a definition: what is in view stays where it is then. */
  async answered(): Promise<void> {
    await this.lensLines().first().waitFor();
  }

  /** Those in view: what is out of it stays in the page. */
  private lensLines(): Locator {
    return this.page.locator('.codelens-decoration').filter({ visible: true });
  }

  /** Clicks the first lens with this title. It is drawn as plain text until the editor was touched, and anew at times. */
  async lens(title: string): Promise<void> {
    const lenses = this.page
      .locator('.codelens-decoration a')
      .filter({ hasText: new RegExp(`${exactly(title).source}|${exactly(`▶ ${title}`).source}`) });
    let seen = '';
    await until(`the lens ${title}`, async () => {
      const { index, id } = await lenses.evaluateAll(firstOf);
      if (id === '') {
        await this.touch();
        await pause(200);
      } else if (id === seen) {
        await lenses.nth(index).click({ timeout: SOON_MS });
        return true;
      }
      seen = id;
      return false;
    });
  }

  /** Clicks into the first editor, at the end of whatever line is in its middle. */
  async touch(): Promise<void> {
    const box = await this.page.locator('.editor-instance').first().boundingBox();
    if (box) {
      await this.page.mouse.click(box.x + 0.85 * box.width, box.y + 0.6 * box.height);
    }
  }

  /** The colour in which a word is drawn in the first line in view that has this text. */
  async colour(line: string, word: string): Promise<string> {
    const drawn = this.page.locator('.view-line', { hasText: line }).locator('span span', { hasText: word });
    return drawn.first().evaluate(colourOf, undefined, { timeout: SOON_MS });
  }

  /** Puts the cursor at the end of a line with this text, in the editor that shows it. */
  async click(text: string): Promise<void> {
    const { page } = this;
    const line = page.locator('.view-line', { hasText: text }).first();
    const editor = page.locator('.editor-instance').filter({ has: line }).first();
    await until(`the cursor in the line ${text}`, async () => {
      // All lines are as wide as the longest: the middle of one may be out of view, and to click it would scroll the page of the
      // editor, which knows nothing of that.
      const [view, box] = [await editor.boundingBox(), await line.boundingBox()];
      if (!view || !box) {
        return false;
      }
      await page.mouse.click(view.x + view.width / 2, box.y + box.height / 2);
      await page.keyboard.press('End');
      await pause(50);
      return (await this.lineOfCursor()).includes(text);
    });
  }

  /** The text of the line with the cursor. */
  async lineOfCursor(): Promise<string> {
    // Given as text, for it runs in the page.
    const line = await this.page.evaluate(`(() => {
      const editor = document.querySelector('.monaco-editor.focused');
      const top = editor?.querySelector('.cursor')?.style.top;
      const lines = [...(editor?.querySelectorAll('.view-line') ?? [])];
      return lines.find(line => line.style.top === top)?.textContent ?? '';
    })()`);
    return (line as string).replaceAll('\u00a0', ' ');
  }

  /** Chooses what is suggested at the cursor, by its name. */
  async suggested(name: string, screenshot?: string): Promise<void> {
    const { page } = this;
    const widget = page.locator('.suggest-widget.visible');
    const entry = widget
      .locator('.monaco-list-row')
      .filter({ has: page.locator('.label-name', { hasText: exactly(name) }) })
      .first();
    await until(`the suggestion ${name}`, async () => {
      // Where it is open already, the keys would show and hide what it says of an entry.
      if (!(await widget.isVisible())) {
        await page.keyboard.press('Control+Space');
      }
      await entry.waitFor({ timeout: SOON_MS });
      return true;
    });
    if (screenshot !== undefined) {
      await this.screenshot(screenshot);
    }
    await entry.click();
  }

  /** Chooses the first thing that can be done at the cursor whose title has this text. */
  async act(title: string): Promise<void> {
    const { page } = this;
    const widget = page.locator('.action-widget');
    const entry = widget.locator('.monaco-list-row', { hasText: title }).first();
    await until(`the action ${title}`, async () => {
      // Where it is open already, the keys would choose what is in front.
      if (!(await widget.isVisible())) {
        await page.keyboard.press('Control+.');
      }
      await entry.waitFor({ timeout: SOON_MS });
      return true;
    });
    await entry.click();
  }

  /** Lets the mouse rest on a text until the hover says this. */
  async hover(text: string, wanted: RegExp): Promise<void> {
    const { page } = this;
    const hover = page.locator('.monaco-hover:not(.hidden) .monaco-hover-content');
    let said = '';
    await until(
      () => `a hover over ${text} that says ${wanted}; it says:\n${said}`,
      async () => {
        await page.mouse.move(0, 0);
        await page.locator('.view-line span span', { hasText: text }).first().hover({ timeout: SOON_MS });
        await hover.filter({ hasNotText: 'Loading', visible: true }).first().waitFor({ timeout: SOON_MS });
        said = (await hover.allInnerTexts()).join('\n').replaceAll(/\s+/g, ' ');
        return wanted.test(said);
      },
    );
  }

  /** Opens the Loop Runs view and waits until its rows, a line each, read like this. */
  async waitRows(wanted: RegExp): Promise<void> {
    await this.command('Loop Runs: Focus on Loop Runs View');
    let rows = '';
    await until(
      () => `Loop Runs to read ${wanted}; it reads:\n${rows}`,
      async () => {
        rows = await this.page.locator('.panel .monaco-list-row').evaluateAll(rowsOf);
        return wanted.test(rows);
      },
    );
  }

  /** Presses what the row of Loop Runs with this text offers, until what comes of it is seen. */
  async actOnRow(text: string, title: string, seen: Locator): Promise<void> {
    const row = this.page.locator('.panel .monaco-list-row', { hasText: text }).first();
    await until(`${title} of the row ${text}`, async () => {
      // What a row offers is there while the pointer is on it, and a row that is drawn anew in between takes the press with it.
      await row.hover({ timeout: SOON_MS });
      await row.locator(`.action-label[aria-label^="${title}"]`).click({ timeout: SOON_MS });
      await seen.waitFor({ timeout: SOON_MS });
      return true;
    });
  }

  /** The messages in view. */
  async toasts(): Promise<string[]> {
    return this.page.locator('.notification-toast .notification-list-item-message').allInnerTexts();
  }

  /** What all messages say, also those that went out of sight. */
  async messages(): Promise<string[]> {
    const center = this.page.locator('.notifications-center');
    await this.command('Notifications: Show Notifications');
    await center.locator('.notifications-center-header').waitFor();
    const messages = await center.locator('.notification-list-item-message').allInnerTexts();
    // What VS Code says of itself while it starts.
    return messages.filter(message => message !== 'Activating Extensions...');
  }

  async waitToast(wanted: string | RegExp): Promise<Locator> {
    const toast = this.page
      .locator('.notification-toast', { hasText: wanted })
      .filter({ visible: true })
      .first();
    let toasts: string[] = [];
    await until(
      () => `the message ${wanted}; there are:\n${toasts.join('\n')}`,
      async () => {
        toasts = await this.toasts();
        return toast.isVisible();
      },
    );
    return toast;
  }

  /** Waits for a message and presses a button of it, also where it went out of sight. */
  async press(wanted: string | RegExp, button: string): Promise<void> {
    const { page } = this;
    const found = page
      .locator('.notification-toast, .notifications-center')
      .locator('.monaco-list-row', { hasText: wanted })
      .locator('.notification-list-item-buttons-container .monaco-button', { hasText: exactly(button) })
      .filter({ visible: true })
      .first();
    const center = page.locator('.notifications-center');
    const end = Date.now() + SOON_MS;
    await until(`the button ${button} of the message ${wanted}`, async () => {
      if (await found.isVisible()) {
        await found.click({ timeout: SOON_MS });
        return true;
      }
      if (Date.now() > end && !(await center.isVisible())) {
        await this.command('Notifications: Show Notifications');
      }
      return false;
    });
  }

  /** Has no message any more. */
  async forgetMessages(): Promise<void> {
    await this.command('Notifications: Clear All Notifications');
    await until('no message', async () => (await this.toasts()).length === 0);
  }

  /** Waits until the server runs, as the extension says it. */
  async running(): Promise<void> {
    await until('the server to run', async () => {
      await this.command('loopls: Show Version');
      await this.page
        .locator('.notification-toast', { hasText: /loopls \d+\.\d+\.\d+, / })
        .first()
        .waitFor({ timeout: SOON_MS });
      return true;
    });
    await this.forgetMessages();
  }

  /** Closes the settings or trust editor, which lies over the others. */
  async closeModal(): Promise<void> {
    const modal = this.page.locator('.monaco-modal-editor-block');
    await modal.locator('.modal-editor-header .codicon-close, .codicon-close').first().click();
    await modal.waitFor({ state: 'detached' });
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
  }
}

/** What these functions, which run in the page, need of an element. */
interface Drawn {
  id: string;
  innerText: string;
  dataset: { index?: string };
  getBoundingClientRect(): { top: number; height: number };
}

declare function getComputedStyle(element: unknown): { color: string };

function colourOf(element: unknown): string {
  return getComputedStyle(element).color;
}

/** Which of some elements is the topmost, and its id, which is empty if none is drawn. */
function firstOf(elements: unknown[]): { index: number; id: string } {
  const drawn = (elements as Drawn[])
    .map((element, index) => ({ index, id: element.id, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.height > 0)
    .sort((a, b) => a.box.top - b.box.top);
  return drawn[0] ?? { index: -1, id: '' };
}

/** The rows of a list as lines: in the page they stand in the order in which they were drawn. */
function rowsOf(elements: unknown[]): string {
  return (elements as Drawn[])
    .sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
    .map(element => element.innerText)
    .join('\n');
}
