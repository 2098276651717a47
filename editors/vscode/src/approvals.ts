/**
 * Questions about calls. A person answers in the message, in the Loop Runs view or from the status bar; the first answer
 * counts. The message may go out of sight by itself, which is no answer; closing it is one: Deny.
 */
import * as vscode from 'vscode';
import type { RunEvent } from './runs/events.ts';
import type { Call } from './runs/fold.ts';
import { label, message, oneLine, visible, withoutMiddle } from './runs/foreign.ts';
import type { Decision, Runs, TrackedRun } from './runs/store.ts';

/** Messages longer than a thousand characters are cut at the end, where it would matter most. */
const MAX_SHOWN = 700;

const DENY = 'Deny';
const ONCE = 'Allow Once';

export class Approvals {
  private readonly runs: Runs;

  constructor(runs: Runs) {
    this.runs = runs;
    runs.onEvent.on(({ run, event }) => {
      if (event.type === 'access_asked') {
        void this.ask(run, event);
      }
    });
  }

  /** The questions that wait, the oldest first. */
  waiting(): { run: TrackedRun; call: Call }[] {
    const going = this.runs.going().reverse();
    return going.flatMap(run =>
      [...run.view.byNumber.values()].filter(call => call.asked).map(call => ({ run, call })),
    );
  }

  /** Asks again in the middle of the window, for whoever came to answer. */
  async askHere(run: TrackedRun, call: Call): Promise<void> {
    if (!call.asked) {
      return;
    }
    const items = choices(call.tool, call.asked.effect).map(([title, decision]) => ({
      label: label(title, 100),
      decision,
    }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: `Call ${call.call} of ${oneLine(call.tool, 80)} (${call.asked.effect})`,
      placeHolder: withoutMiddle(call.asked.shown, 200),
      ignoreFocusOut: true,
    });
    await this.decide(run, call, chosen?.decision ?? 'deny');
  }

  /** Answers a question, unless it is answered already. */
  async decide(run: TrackedRun, call: Call, decision: Decision): Promise<void> {
    if (!call.asked) {
      return;
    }
    try {
      await this.runs.decide(run, call.call, decision);
    } catch (error) {
      void vscode.window.showErrorMessage(`loopls: ${message(String(error), 200)}`);
    }
  }

  private async ask(run: TrackedRun, event: Extract<RunEvent, { type: 'access_asked' }>): Promise<void> {
    const call = run.view.byNumber.get(event.call);
    if (!call) {
      return;
    }
    const name = `${message(run.view.loop, 60)} #${run.number}`;
    const tool = message(event.tool, 80);
    const text = `${name}: call ${event.call} of ${tool} (${event.effect}) will do this: ${withoutMiddle(event.shown, MAX_SHOWN)}`;
    const offered = choices(event.tool, event.effect);
    const chosen = await vscode.window.showWarningMessage(visible(text), ...offered.map(([title]) => title));
    const decision = offered.find(([title]) => title === chosen)?.[1] ?? 'deny';
    await this.decide(run, call, decision);
  }
}

/** What can be answered, Deny first. What cannot be taken back is asked about each time. */
function choices(tool: string, effect: string): [string, Decision][] {
  const choices: [string, Decision][] = [
    [DENY, 'deny'],
    [ONCE, 'allow'],
  ];
  if (effect !== 'irreversible') {
    choices.push([`Allow ${message(tool, 40)} for This Run`, 'allow_for_run']);
  }
  return choices;
}
