/** Text of files, models and tools, on its way to a person: shown, never obeyed. */

// Control characters, bidirectional controls and what has no width.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** The text with its lines; what a person would not see is written out. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, hidden => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The text on one line of at most `max` characters. */
export function oneLine(text: string, max: number): string {
  // Cut twice, so that a long text costs no more than a short one.
  const line = visible(
    text
      .slice(0, 4 * max)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return line.length > max || text.length > 4 * max ? `${line.slice(0, max)}…` : line;
}

/** The same for a message, in which `[…](…)` would be a link. */
export function message(text: string, max: number): string {
  return oneLine(text, max).replaceAll('](', '] (');
}

/** The same for a place where `$(…)` would be an icon: lists to choose from, the status bar. */
export function label(text: string, max: number): string {
  return oneLine(text, max).replaceAll('$(', '$ (');
}

/** A call's input on one line: JSON, or the raw text of one that is none. */
export function inputLine(input: unknown, max: number): string {
  return oneLine(typeof input === 'string' ? input : (JSON.stringify(input) ?? ''), max);
}

/** The text on one line; from more than `max` characters the middle is left out, and it is said how much. */
export function withoutMiddle(text: string, max: number): string {
  const line = visible(text).replace(/\s+/g, ' ').trim().replaceAll('](', '] (');
  if (line.length <= max) {
    return line;
  }
  const head = Math.trunc(max / 2);
  const tail = max - head;
  return `${line.slice(0, head)}…[${line.length - max} characters left out]…${line.slice(-tail)}`;
}
