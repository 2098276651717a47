/**
 * The fold over the events of one run: everything that is shown of a run is read from here, and nothing here knows where
 * it is shown. The server keeps the same fold in `src/run/view.rs`.
 */
import type {
  DecidedBy,
  Effect,
  LimitReached,
  Miss,
  RunEvent,
  RunLimits,
  StopReason,
  Usage,
} from './events.ts';

/** What a run is doing. */
export type RunStatus = 'starting' | 'replying' | 'calling' | 'asking' | 'ended';

/** A run as far as its events tell. */
export interface Run {
  status: RunStatus;
  loop: string;
  /** Empty for the base. */
  mode: string;
  test: string | undefined;
  /** `provider/name`. */
  model: string;
  prompt: string;
  limits: RunLimits | undefined;
  steps: Step[];
  /** Every call by its number. */
  byNumber: Map<number, Call>;
  /** Batches that ran, the current one included. */
  iterations: number;
  /** Calls that were taken up. */
  calls: number;
  /** Input and output tokens of completed steps. */
  tokens: number;
  /** Chunks that were lost because this reader was slow. */
  lost: number;
  stop: StopReason | undefined;
  /** Why it ended, where that needs words. */
  reason: string | undefined;
  limit: LimitReached | undefined;
  answer: string | undefined;
  /** What came of it, where it is a test that got to its expectations. */
  verdict: { passed: boolean; misses: Miss[] } | undefined;
  /** Milliseconds, once it is over. */
  ms: number | undefined;
  /** Counts the events taken in: whoever remembers it knows whether anything changed. */
  revision: number;
}

/** One request to the model, its reply and the calls of that reply. */
export interface Step {
  step: number;
  text: Chunks;
  thinking: Chunks;
  calls: Call[];
  usage: Usage | undefined;
  retries: { afterMs: number; reason: string }[];
}

/** One call of a tool. */
export interface Call {
  call: number;
  tool: string;
  input: unknown;
  /** The question, while a person is asked. */
  asked: { effect: Effect; shown: string } | undefined;
  decided: { decision: 'allow' | 'deny'; by: DecidedBy; pattern: string | undefined } | undefined;
  output: Chunks;
  result: string | undefined;
  isError: boolean;
  /** Bytes of the result before it was cut. */
  bytes: number;
  /** Bytes that were cut. */
  omitted: number;
  ms: number | undefined;
  /** The run ended before the call did. */
  abandoned: boolean;
}

/** Text that arrives in pieces, kept up to a length: of more than that the oldest goes. */
export class Chunks {
  private readonly pieces: string[] = [];
  private length = 0;
  /** Characters that went, and how many lines ended in them. */
  gone = 0;
  goneLines = 0;

  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  push(text: string): void {
    this.pieces.push(text);
    this.length += text.length;
    // Seldom, so that a piece costs its own length and no more.
    if (this.length > 2 * this.max) {
      const all = this.pieces.join('');
      const kept = all.slice(-this.max);
      const gone = all.slice(0, -this.max);
      this.gone += gone.length;
      this.goneLines += gone.split('\n').length - 1;
      this.pieces.splice(0, this.pieces.length, kept);
      this.length = kept.length;
    } else if (this.pieces.length > 1000) {
      this.pieces.splice(0, this.pieces.length, this.pieces.join(''));
    }
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  toString(): string {
    if (this.pieces.length > 1) {
      this.pieces.splice(0, this.pieces.length, this.pieces.join(''));
    }
    return this.pieces[0] ?? '';
  }
}

/** Characters kept of a reply, and of what a call prints; the result of a call is there whole beside it. */
const MAX_TEXT = 1 << 20;
const MAX_OUTPUT = 1 << 16;

/** A run of which nothing is known yet. */
export function newRun(): Run {
  return {
    status: 'starting',
    loop: '',
    mode: '',
    test: undefined,
    model: '',
    prompt: '',
    limits: undefined,
    steps: [],
    byNumber: new Map(),
    iterations: 0,
    calls: 0,
    tokens: 0,
    lost: 0,
    stop: undefined,
    reason: undefined,
    limit: undefined,
    answer: undefined,
    verdict: undefined,
    ms: undefined,
    revision: 0,
  };
}

/** Takes in the next event of the run. */
export function apply(run: Run, event: RunEvent): void {
  run.revision += 1;
  switch (event.type) {
    case 'run_started':
      run.loop = event.loop;
      run.mode = event.mode;
      run.test = event.test;
      run.model = `${event.model.provider}/${event.model.name}`;
      run.prompt = event.prompt;
      run.limits = event.limits;
      break;
    case 'step_started':
      run.status = 'replying';
      run.steps.push({
        step: event.step,
        text: new Chunks(MAX_TEXT),
        thinking: new Chunks(MAX_TEXT),
        calls: [],
        usage: undefined,
        retries: [],
      });
      break;
    case 'text_delta':
      run.steps.at(-1)?.text.push(event.text);
      break;
    case 'thinking_delta':
      run.steps.at(-1)?.thinking.push(event.text);
      break;
    case 'retry':
      run.steps.at(-1)?.retries.push({ afterMs: event.after_ms, reason: event.reason });
      break;
    case 'tool_started':
      startCall(run, event.call, event.tool, event.input);
      break;
    case 'access_asked':
      change(run, event.call, call => {
        call.asked = { effect: event.effect, shown: event.shown };
      });
      break;
    case 'access_decided':
      change(run, event.call, call => {
        call.asked = undefined;
        call.decided = { decision: event.decision, by: event.by, pattern: event.pattern };
      });
      break;
    case 'tool_output':
      run.byNumber.get(event.call)?.output.push(event.text);
      break;
    case 'tool_completed':
      change(run, event.call, call => {
        call.asked = undefined;
        call.result = event.result;
        call.isError = event.is_error;
        call.bytes = event.bytes;
        call.omitted = event.omitted;
        call.ms = event.ms;
      });
      break;
    case 'step_completed': {
      const step = run.steps.at(-1);
      if (step) {
        step.usage = event.usage;
      }
      run.tokens += event.usage.input + event.usage.output;
      break;
    }
    case 'dropped':
      run.lost += event.chunks;
      break;
    case 'run_ended':
      run.status = 'ended';
      run.stop = event.stop;
      run.reason = event.reason;
      run.limit = event.limit;
      run.answer = event.answer;
      run.iterations = event.iterations;
      run.calls = event.calls;
      run.tokens = event.usage.input + event.usage.output;
      run.ms = event.ms;
      for (const call of openCalls(run)) {
        call.abandoned = true;
        call.asked = undefined;
      }
      break;
  }
}

/** Whether a run that is over came out well: a test by what it expects, anything else by having an answer. */
export function isSuccess(run: Run): boolean {
  return run.verdict ? run.verdict.passed && run.stop !== 'cancelled' : run.stop === 'answer';
}

/** The calls that were taken up and are not over, in call order. */
export function openCalls(run: Run): Call[] {
  return run.steps.flatMap(step => step.calls.filter(isOpen));
}

/** Whether a call is not over. */
export function isOpen(call: Call): boolean {
  return call.result === undefined && !call.abandoned;
}

function startCall(run: Run, number: number, tool: string, input: unknown): void {
  const step = run.steps.at(-1);
  if (!step) {
    return;
  }
  // A batch is one iteration, however many calls it has.
  run.iterations += step.calls.length === 0 ? 1 : 0;
  run.calls += 1;
  const call: Call = {
    call: number,
    tool,
    input,
    asked: undefined,
    decided: undefined,
    output: new Chunks(MAX_OUTPUT),
    result: undefined,
    isError: false,
    bytes: 0,
    omitted: 0,
    ms: undefined,
    abandoned: false,
  };
  step.calls.push(call);
  run.byNumber.set(number, call);
  run.status = openCalls(run).some(open => open.asked) ? 'asking' : 'calling';
}

function change(run: Run, number: number, how: (call: Call) => void): void {
  const call = run.byNumber.get(number);
  if (call) {
    how(call);
  }
  run.status = openCalls(run).some(open => open.asked) ? 'asking' : 'calling';
}
