/** What the status bar says: how the server is, where it is from, and what runs. */
import * as vscode from 'vscode';
import type { Approvals } from './approvals.ts';
import { LANGUAGE } from './language.ts';
import { label } from './runs/foreign.ts';
import type { Runs } from './runs/store.ts';
import { statusWords } from './runs/words.ts';
import type { Server, ServerState } from './server.ts';

export class Status implements vscode.Disposable {
  private readonly health = vscode.languages.createLanguageStatusItem('loopls.server', {
    language: LANGUAGE,
  });
  private readonly item = vscode.window.createStatusBarItem(
    'loopls.runs',
    vscode.StatusBarAlignment.Left,
    50,
  );
  private readonly runs: Runs;
  private readonly approvals: Approvals;

  constructor(server: Server, runs: Runs, approvals: Approvals) {
    this.runs = runs;
    this.approvals = approvals;
    this.health.name = 'loopls';
    this.item.name = 'Loop Runs';
    server.onStateChanged.on(state => this.showServer(state));
    runs.onListChanged.on(() => this.showRuns());
    runs.onEvent.on(({ event }) => {
      if (!event.type.endsWith('_delta') && event.type !== 'tool_output') {
        this.showRuns();
      }
    });
    this.showServer(server.state);
  }

  dispose(): void {
    this.health.dispose();
    this.item.dispose();
  }

  private showServer(state: ServerState): void {
    const { health } = this;
    health.busy = state.kind === 'starting';
    health.severity =
      state.kind === 'failed'
        ? vscode.LanguageStatusSeverity.Error
        : vscode.LanguageStatusSeverity.Information;
    health.command = {
      command: 'loopls.restartServer',
      title: state.kind === 'stopped' ? 'Start' : 'Restart',
    };
    switch (state.kind) {
      case 'running':
        health.text = `loopls ${state.version}`;
        health.detail = FROM[state.found.from];
        health.command = { command: 'loopls.showLog', title: 'Show Log' };
        break;
      case 'failed':
        health.text = 'loopls';
        health.detail = state.problem;
        break;
      default:
        health.text = 'loopls';
        health.detail = state.kind;
    }
  }

  private showRuns(): void {
    const going = this.runs.going();
    const [question] = this.approvals.waiting();
    const [run] = going;
    if (question) {
      this.item.text = `$(question) ${label(question.call.tool, 40)} asks`;
      this.item.tooltip = 'A run asks whether a call may be made. Click to answer.';
      this.item.command = 'loopls.answer';
      this.item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
    } else if (run) {
      const name =
        going.length > 1 ? `${going.length} runs` : `${label(run.view.loop, 40)} ${statusWords(run.view)}`;
      this.item.text = `$(debug-stop) ${name}`;
      this.item.tooltip = going.length > 1 ? 'Stop a loop that runs' : 'Stop this run';
      this.item.command = 'loopls.stop';
      this.item.backgroundColor = undefined;
    } else {
      this.item.hide();
      return;
    }
    this.item.show();
  }
}

const FROM = { setting: 'from the setting', package: 'from this extension', PATH: 'from PATH' };
