/**
 * The runs of this window. Every way to start one (lens, title button, palette, code action, test) ends in `start`, and all
 * that is shown of one is read from its view, which the server's events fill.
 */
import { randomUUID } from 'node:crypto';
import { Emitter } from './emitter.ts';
import type { RunEvent, RunEventParams, TestEndedParams } from './events.ts';
import { apply, newRun, type Run } from './fold.ts';
import { reasonWords } from './words.ts';

/** The argument of `loopls.run`, without the run's id. */
export interface RunRequest {
  uri: string;
  mode?: string;
  prompt?: string;
  test?: string;
  after?: string;
}

/** A run and how it came about. */
export interface TrackedRun {
  readonly id: string;
  /** Counts the runs of this window, anew when none is left. */
  readonly number: number;
  readonly request: RunRequest;
  readonly view: Run;
  /** The path of its transcript. */
  transcript: string | undefined;
}

/** Executes one of the server's commands. */
export type Execute = (command: string, argument: object) => Promise<unknown>;

export type Decision = 'deny' | 'allow' | 'allow_for_run';

/** How many runs that are over stay. */
const KEPT = 50;

export class Runs {
  private readonly runs = new Map<string, TrackedRun>();
  private readonly execute: Execute;
  private count = 0;

  /** A run began: its first event came. */
  readonly onBegan = new Emitter<TrackedRun>();
  /** An event of a run came in. */
  readonly onEvent = new Emitter<{ run: TrackedRun; event: RunEvent }>();
  /** A run that had begun is over. */
  readonly onEnded = new Emitter<TrackedRun>();
  /** A run was over before it began, for this reason. */
  readonly onRefused = new Emitter<{ run: TrackedRun; reason: string | undefined }>();
  /** Runs were added or removed. */
  readonly onListChanged = new Emitter<void>();

  constructor(execute: Execute) {
    this.execute = execute;
  }

  /** All runs, the newest first. */
  all(): TrackedRun[] {
    return [...this.runs.values()].reverse();
  }

  /** The runs that go on, the newest first. */
  going(): TrackedRun[] {
    return this.all().filter(isGoing);
  }

  get(id: string): TrackedRun | undefined {
    return this.runs.get(id);
  }

  /** Starts a run of what the editor shows, saved or not. */
  start(request: RunRequest): TrackedRun {
    const run = this.add(randomUUID(), request);
    this.execute('loopls.run', { ...request, run: run.id }).then(
      answer => {
        run.transcript = (answer as { transcript?: string } | null)?.transcript;
      },
      error => this.refuse(run, error instanceof Error ? error.message : String(error)),
    );
    return run;
  }

  /** Asks the server to end a run; its end comes as an event. */
  cancel(run: TrackedRun): void {
    if (isGoing(run)) {
      this.execute('loopls.cancel', { run: run.id }).catch(() => {
        // The server is gone; whoever sees that ends its runs.
      });
    }
  }

  /** Decides about a call; resolves to whether the answer counted. */
  async decide(run: TrackedRun, call: number, decision: Decision): Promise<boolean> {
    return (await this.execute('loopls.decide', { run: run.id, call, decision })) === true;
  }

  /** Takes an event of the server. */
  take({ run: id, event }: RunEventParams): void {
    let run = this.runs.get(id);
    if (!run && event.type === 'run_started') {
      // Started by something else on this server: shown all the same, from its beginning on.
      run = this.add(id, { uri: event.uri });
    }
    if (!run || !isGoing(run)) {
      return;
    }
    if (event.type === 'run_ended' && run.view.loop === '') {
      apply(run.view, event);
      this.refuse(run, event.stop === 'cancelled' ? undefined : (reasonWords(run.view) ?? 'unknown'));
      return;
    }
    apply(run.view, event);
    if (event.type === 'run_started') {
      this.onBegan.fire(run);
    }
    this.onEvent.fire({ run, event });
    if (event.type === 'run_ended') {
      this.forgetOld();
      this.onEnded.fire(run);
    }
  }

  /** Takes what came of a test; its `run_ended` comes after it. */
  judge({ run, passed, misses }: TestEndedParams): void {
    const of = this.runs.get(run);
    if (of) {
      of.view.verdict = { passed, misses };
    }
  }

  /** Ends all runs, for no event of theirs will come any more. */
  failAll(reason: string): void {
    for (const run of this.going()) {
      const { iterations, calls, tokens } = run.view;
      const usage = { input: tokens, output: 0 };
      this.take({
        run: run.id,
        seq: 0,
        event: { type: 'run_ended', stop: 'failed', reason, iterations, calls, usage },
      });
    }
  }

  /** Removes the runs that are over. */
  clear(): void {
    this.remove(this.all().filter(run => !isGoing(run)));
  }

  private add(id: string, request: RunRequest): TrackedRun {
    this.count = this.runs.size === 0 ? 1 : this.count + 1;
    const run = { id, number: this.count, request, view: newRun(), transcript: undefined };
    this.runs.set(id, run);
    this.onListChanged.fire();
    return run;
  }

  private refuse(run: TrackedRun, reason: string | undefined): void {
    if (this.runs.has(run.id)) {
      this.remove([run]);
      this.onRefused.fire({ run, reason });
    }
  }

  private forgetOld(): void {
    this.remove(
      this.all()
        .filter(run => !isGoing(run))
        .slice(KEPT),
    );
  }

  private remove(runs: TrackedRun[]): void {
    for (const run of runs) {
      this.runs.delete(run.id);
    }
    if (runs.length > 0) {
      this.onListChanged.fire();
    }
  }
}

/** Whether a run is not over. */
export function isGoing(run: TrackedRun): boolean {
  return run.view.status !== 'ended';
}
