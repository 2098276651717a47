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
/** Characters of a reply at most, when it is over. */
const MAX_REPLY = 1 << 19;
/**
 * The same while the run goes on: up to 100,000 characters VS Code looks for what changed in a document, above it replaces
 * all of it, and whoever types waits for that.
 */
const MAX_REPLY_GOING = 1 << 14;

/** Text and where things are in it. */
export interface Rendered {
  text: string;
  /** The line of each call by its number. */
  lines: Map<number, number>;
}

/** Renders one run again and again; of one that goes on, steps that are over are rendered once. */
export class Renderer {
  private readonly run: Run;
  /** The text of steps that are over, and of how many. */
  private done = new Page();
  private doneSteps = 0;

  constructor(run: Run) {
    this.run = run;
  }

  render(): Rendered {
    const run = this.run;
    const page = new Page();
    addHead(page, run);
    if (run.stop === undefined) {
      while (run.steps.length > this.doneSteps + 1) {
        addStep(this.done, run.steps[this.doneSteps] as Step, MAX_REPLY_GOING);
        this.doneSteps += 1;
      }
      page.append(this.done);
      for (const step of run.steps.slice(this.doneSteps)) {
        addStep(page, step, MAX_REPLY_GOING);
      }
    } else {
      for (const step of run.steps) {
        addStep(page, step, MAX_REPLY);
      }
    }
    addEnd(page, run);
    return { text: page.text, lines: page.lines };
  }
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

function addStep(page: Page, step: Step, maxReply: number): void {
  page.line('');
  for (const retry of step.retries) {
    page.line(`↻ again after ${duration(retry.afterMs)}: ${oneLine(retry.reason, 200)}`);
  }
  if (!step.thinking.isEmpty) {
    page.foreign('  ┊ ', tail(step.thinking, 4 * MAX_LINE));
  }
  if (!step.text.isEmpty) {
    page.foreign('  ', tail(step.text, maxReply));
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

function tail(chunks: Chunks, max: number): string {
  const text = chunks.toString();
  const before = leftOut(text.length, max);
  const gone = chunks.gone + before;
  return gone === 0 ? text : `… [${gone} characters before]\n${text.slice(before)}`;
}

/**
 * How much goes at the beginning so that no more than `max` of it stays. It goes in lots: in between, what is there stays as it
 * is and the rest is added to it.
 */
function leftOut(length: number, max: number): number {
  const lot = max / 4;
  return length <= max ? 0 : Math.ceil((length - max) / lot) * lot;
}
