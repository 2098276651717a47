/**
 * A run as text, for its document. What others wrote (models, tools, files) is indented or stands behind a mark, so that
 * no text of theirs can look like a line of ours.
 */
import { type Call, type Chunks, isOpen, isSuccess, type Run, type Step } from './fold.ts';
import { inputLine, oneLine, visible } from './foreign.ts';
import { bytes, counters, duration, reasonWords, statusWords } from './words.ts';

/** Lines of a call's output at most; the head goes while it runs, the middle when it is over. */
const MAX_LINES = 40;
/** Characters of a line at most: very long lines make editors slow. */
const MAX_LINE = 1_000;
/** Characters of a reply at most, when the run is over. */
const MAX_REPLY = 1 << 19;
/**
 * The same while the run goes on: up to 100,000 characters VS Code looks for what changed in a document, above it replaces
 * all of it, and whoever types waits for that.
 */
const MAX_REPLY_GOING = 1 << 15;
const MAX_THINKING = 8_000;

/** Text and where things are in it. */
export interface Rendered {
  text: string;
  /** The line of each call by its number. */
  lines: Map<number, number>;
  /** Whether it holds all that there is to show: else the next rendering adds something. */
  isWhole: boolean;
}

/** Renders one run again and again; of one that goes on, steps that are over are rendered once. */
export class Renderer {
  private readonly run: Run;
  /** The text of steps that are over, and of how many. */
  private done = new Page();
  private doneSteps = 0;
  /** What is shown of a reply that is under way. */
  private text = new Part(MAX_REPLY_GOING);
  private thinking = new Part(MAX_THINKING);

  constructor(run: Run) {
    this.run = run;
  }

  render(): Rendered {
    const { run } = this;
    const page = new Page();
    let isWhole = true;
    addHead(page, run);
    if (run.stop === undefined) {
      while (run.steps.length > this.doneSteps + 1) {
        addReplied(this.done, run.steps[this.doneSteps] as Step, MAX_REPLY_GOING);
        this.doneSteps += 1;
        this.text = new Part(MAX_REPLY_GOING);
        this.thinking = new Part(MAX_THINKING);
      }
      page.append(this.done);
      const step = run.steps[this.doneSteps];
      if (step && step.usage === undefined && step.calls.length === 0) {
        isWhole = [this.text.follow(step.text), this.thinking.follow(step.thinking)].every(Boolean);
        addStep(page, step, this.thinking.of(step.thinking), this.text.of(step.text));
      } else if (step) {
        addReplied(page, step, MAX_REPLY_GOING);
      }
    } else {
      for (const step of run.steps) {
        addReplied(page, step, MAX_REPLY);
      }
    }
    addEnd(page, run);
    return { text: page.text, lines: page.lines, isWhole };
  }
}

/**
 * The part of a text that is shown while the text grows: its end, of `max` characters at most. It takes in more at the end, or
 * it leaves out half at the beginning, but not both at once: to VS Code each is one change of a document, while both together
 * are hundreds, for it looks for all that two texts have in common. Of a text that comes faster than anybody reads it is
 * a small part.
 */
class Part {
  private readonly max: number;
  /** The characters before it and up to its end, with those that the text has no more. */
  private from = 0;
  private to = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Goes on towards the end of the text; whether it is there, as it always is after a second time. */
  follow(chunks: Chunks): boolean {
    const text = chunks.toString();
    const end = chunks.gone + text.length;
    if (end - this.to > this.max / 4) {
      this.from = end - this.max / 8;
    } else if (end - this.from > this.max) {
      this.from = end - this.max / 2;
      return this.to === end;
    }
    this.to = end;
    return true;
  }

  of(chunks: Chunks): string {
    return marked(this.from, chunks.toString().slice(this.from - chunks.gone, this.to - chunks.gone));
  }
}

/** The end of a text that does not grow any more, of `max` characters at most. */
function endOf(chunks: Chunks, max: number): string {
  const text = chunks.toString().slice(-max);
  return marked(chunks.gone + chunks.toString().length - text.length, text);
}

function marked(gone: number, text: string): string {
  return gone === 0 ? text : `… [${gone} characters before]\n${text}`;
}

/** Lines under way to a text. */
class Page {
  text = '';
  lines = new Map<number, number>();
  private count = 0;

  line(line: string): void {
    this.text += `${line}\n`;
    this.count += 1;
  }

  /** Lines that others wrote, each behind `mark`. */
  foreign(mark: string, text: string): void {
    for (const line of visible(text.replace(/\n+$/, '')).split('\n')) {
      const cut = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}… [${line.length} characters]` : line;
      this.line(`${mark}${cut}`.trimEnd());
    }
  }

  call(call: number): void {
    this.lines.set(call, this.count);
  }

  append(page: Page): void {
    for (const [call, line] of page.lines) {
      this.lines.set(call, line + this.count);
    }
    this.text += page.text;
    this.count += page.count;
  }
}

function addHead(page: Page, run: Run): void {
  if (run.loop === '') {
    page.line('▶ starting');
    return;
  }
  const parts = [
    oneLine(run.loop, 80),
    oneLine(run.mode, 80),
    oneLine(run.test ?? '', 80),
    oneLine(run.model, 80),
  ];
  page.line(`▶ ${parts.filter(part => part !== '').join(' · ')}`);
  page.foreign('> ', run.prompt);
}

/** Adds a step whose reply is there. */
function addReplied(page: Page, step: Step, maxText: number): void {
  addStep(page, step, endOf(step.thinking, MAX_THINKING), endOf(step.text, maxText));
}

function addStep(page: Page, step: Step, thinking: string, reply: string): void {
  page.line('');
  for (const retry of step.retries) {
    page.line(`↻ again after ${duration(retry.afterMs)}: ${oneLine(retry.reason, 200)}`);
  }
  if (thinking !== '') {
    page.foreign('  ┊ ', thinking);
  }
  if (reply !== '') {
    page.foreign('  ', reply);
  }
  for (const call of step.calls) {
    addCall(page, call);
  }
}

function addCall(page: Page, call: Call): void {
  page.call(call.call);
  page.line(
    `${callMark(call)} ${call.call} ${oneLine(call.tool, 80)} ${inputLine(call.input, 200)}${callEnd(call)}`,
  );
  if (call.asked) {
    page.foreign('  ? ', call.asked.shown);
  }
  // What the tool printed while it runs; then what the model gets, which is the same unless it was cut or redacted.
  const text = call.result ?? call.output.toString();
  if (text !== '') {
    const lines = text.replace(/\n+$/, '').split('\n');
    if (lines.length <= MAX_LINES) {
      page.foreign('  │ ', text);
    } else if (isOpen(call)) {
      const before = leftOut(lines.length, MAX_LINES);
      page.line(`  ┆ ${call.output.goneLines + before} lines before`);
      page.foreign('  │ ', lines.slice(before).join('\n'));
    } else {
      page.foreign('  │ ', lines.slice(0, MAX_LINES / 2).join('\n'));
      page.line(`  ┆ ${lines.length - MAX_LINES} lines more: see the result in Loop Runs`);
      page.foreign('  │ ', lines.slice(-MAX_LINES / 2).join('\n'));
    }
  }
}

function callMark(call: Call): string {
  if (call.asked) {
    return '?';
  }
  if (isOpen(call)) {
    return '…';
  }
  return call.isError || call.abandoned ? '✗' : '✓';
}

function callEnd(call: Call): string {
  const parts = [];
  if (call.ms !== undefined) {
    parts.push(duration(call.ms));
  }
  if (call.decided?.decision === 'deny') {
    parts.push(call.decided.by === 'person' ? 'denied' : `denied by ${call.decided.by}`);
  }
  if (call.omitted > 0) {
    parts.push(`${bytes(call.omitted)} of ${bytes(call.bytes)} cut`);
  }
  return parts.length === 0 ? '' : ` · ${parts.join(' · ')}`;
}

function addEnd(page: Page, run: Run): void {
  if (run.lost > 0) {
    page.line('');
    page.line(`! ${run.lost} pieces of text came too fast and are not shown; the transcript has them`);
  }
  if (run.stop === undefined) {
    return;
  }
  const reason = reasonWords(run);
  const mark = isSuccess(run) ? '✓' : '■';
  page.line('');
  page.line(`${mark} ${statusWords(run)}${reason ? `: ${oneLine(reason, 500)}` : ''} · ${counters(run)}`);
}

/**
 * How many lines go at the beginning so that no more than `max` of them stay. They go in lots: in between, what is there stays as
 * it is and the rest is added to it.
 */
function leftOut(length: number, max: number): number {
  const lot = max / 4;
  return length <= max ? 0 : Math.ceil((length - max) / lot) * lot;
}
