/**
 * What happens in a run, as `loopls/runEvent` brings it: the events of the transcript, described in the manual's page
 * on machine-readable output. An event of a type that is not listed here is one of a newer server and counts for nothing.
 */
export type RunEvent =
  | {
      type: 'run_started';
      version: number;
      run: string;
      uri: string;
      test?: string;
      loop: string;
      /** Empty for the base. */
      mode: string;
      model: { provider: string; name: string };
      limits: RunLimits;
      tools: string[];
      prompt: string;
    }
  | { type: 'step_started'; step: number }
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; text: string }
  | { type: 'tool_started'; call: number; tool: string; input: unknown }
  | { type: 'access_asked'; call: number; tool: string; effect: Effect; shown: string }
  | { type: 'access_decided'; call: number; decision: 'allow' | 'deny'; by: DecidedBy; pattern?: string }
  | { type: 'tool_output'; call: number; stream: 'stdout' | 'stderr'; text: string }
  | {
      type: 'tool_completed';
      call: number;
      tool: string;
      is_error: boolean;
      /** What the model gets. */
      result: string;
      /** Bytes of the result before it was cut. */
      bytes: number;
      /** Bytes that were cut. */
      omitted: number;
      ms: number;
    }
  | { type: 'step_completed'; step: number; usage: Usage; stop_reason: string }
  | { type: 'retry'; after_ms: number; reason: string }
  | { type: 'dropped'; chunks: number }
  | RunEnded;

/** The last event of every run. */
export interface RunEnded {
  type: 'run_ended';
  stop: StopReason;
  reason?: string;
  limit?: LimitReached;
  answer?: string;
  iterations: number;
  calls: number;
  usage: Usage;
  /** Not known of a run whose end the server did not tell. */
  ms?: number;
}

export type StopReason = 'answer' | 'limit' | 'cancelled' | 'refusal' | 'max_tokens' | 'failed';
/** Reasons of a run that did not begin, in one word: what was missing was a prompt, or trust. */
export const NO_PROMPT = 'no_prompt';
export const NOT_TRUSTED = 'not_trusted';

export type Effect = 'read' | 'write' | 'irreversible';
export type DecidedBy = 'effect' | 'rule' | 'person' | 'flag';

export interface Usage {
  input: number;
  output: number;
  cached?: number;
  reasoning?: number;
}

export interface RunLimits {
  iterations: number;
  calls: number;
  parallel: number;
  /** 0: only the hard bound. */
  result_bytes: number;
  /** 0: no cap. */
  tokens: number;
  /** Milliseconds. */
  time?: number | null;
}

export interface LimitReached {
  name: string;
  reached: number;
  max: number;
  /** The zero-based line that set it; absent for a default. */
  line?: number;
}

/** The parameters of `loopls/testEnded`, which comes before the `run_ended` of a run that is a test. */
export interface TestEndedParams {
  run: string;
  test: string;
  passed: boolean;
  /** What was expected and did not come about, each with the place of the expectation. */
  misses: Miss[];
}

export interface Miss {
  /** In the definition; zero-based. */
  range: { start: Position; end: Position };
  message: string;
}

export interface Position {
  line: number;
  character: number;
}

/** The parameters of `loopls/runEvent`. */
export interface RunEventParams {
  run: string;
  /** Counts from 0 within one run. */
  seq: number;
  event: RunEvent;
}
