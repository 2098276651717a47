/**
 * The document of a run: read-only, filled while the run goes on, opened beside the definition without taking the focus.
 * It is rendered whole from the run's view, so a chunk that comes before the document is there is not lost, and at most
 * so often that the editor stays usable however fast chunks come.
 */
import * as vscode from 'vscode';
import { RUN_SCHEME } from './language.ts';
import { oneLine } from './runs/foreign.ts';
import { Renderer } from './runs/render.ts';
import type { Runs, TrackedRun } from './runs/store.ts';

/** The time between two fillings, and how much longer it is for each thousand characters of the document. */
const INTERVAL_MS = 150;
const INTERVAL_MS_PER_THOUSAND = 1.5;
/**
 * VS Code draws a keystroke and a filling one after the other: while somebody types, a filling waits for a pause, in the end for
 * one in which the last key is drawn and the next is not there yet, and no longer than twice that time.
 */
const PAUSE_MS = 250;
const SHORT_PAUSE_MS = 10;
const MAX_WAIT_MS = 2_000;

interface Shown {
  run: TrackedRun;
  uri: vscode.Uri;
  renderer: Renderer;
  text: string;
  lines: Map<number, number>;
  timer: NodeJS.Timeout | undefined;
  /** Whether the end is kept in view, and the first line in view. */
  follows: boolean;
  first: number;
  /** Done when the document that opens by itself is there. */
  opening: Promise<void>;
}

export class RunDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  /** When something was last written into the editor in front. */
  private typed = 0;
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly disposables: readonly { dispose(): unknown }[];

  private readonly runs: Runs;

  constructor(runs: Runs) {
    this.runs = runs;
    this.disposables = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(RUN_SCHEME, this),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => this.catchUp(uri)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === RUN_SCHEME) {
          this.follow(document);
        } else if (document === vscode.window.activeTextEditor?.document) {
          this.typed = Date.now();
        }
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(event => this.scrolled(event)),
      runs.onBegan.on(run => this.begin(run)),
      runs.onEvent.on(({ run, event }) =>
        this.fill(run, event.type === 'run_ended' || event.type === 'access_asked'),
      ),
      runs.onListChanged.on(() => this.forget()),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const shown = this.shown.get(uri.query);
    if (!shown) {
      return 'This run was of a window that is closed.\n';
    }
    const { text, lines, isWhole } = shown.renderer.render();
    Object.assign(shown, { text, lines });
    if (!isWhole) {
      this.fill(shown.run, false);
    }
    return text;
  }

  /** Opens the document of a run, at a call if one is named. */
  async show(run: TrackedRun, { call, focus }: { call?: number; focus: boolean }): Promise<void> {
    const shown = this.of(run);
    const document = await vscode.workspace.openTextDocument(shown.uri);
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: columnOf(shown.uri),
      preserveFocus: !focus,
      preview: false,
    });
    const line = call === undefined ? undefined : shown.lines.get(call);
    if (line !== undefined) {
      editor.selection = new vscode.Selection(line, 0, line, 0);
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /** Whether a person sees the run, once its document had the time to open. */
  async isVisible(run: TrackedRun): Promise<boolean> {
    await this.shown.get(run.id)?.opening;
    return vscode.window.visibleTextEditors.some(editor => this.runOf(editor.document.uri) === run);
  }

  /** The run that a document shows. */
  runOf(uri: vscode.Uri | undefined): TrackedRun | undefined {
    return uri?.scheme === RUN_SCHEME ? this.runs.get(uri.query) : undefined;
  }

  /** The path of a run's document, by which menus know it. */
  pathOf(run: TrackedRun): string {
    return this.of(run).uri.path;
  }

  dispose(): void {
    for (const shown of this.shown.values()) {
      clearTimeout(shown.timer);
    }
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private begin(run: TrackedRun): void {
    const reveal = vscode.workspace.getConfiguration('loopls').get('run.reveal');
    if (reveal !== 'never' && run.request.test === undefined) {
      this.of(run).opening = this.show(run, { focus: false });
    }
  }

  private of(run: TrackedRun): Shown {
    let shown = this.shown.get(run.id);
    if (!shown) {
      const name = oneLine(run.view.loop, 40).replaceAll(/[/\\]/g, '-');
      const uri = vscode.Uri.from({ scheme: RUN_SCHEME, path: `/${name} #${run.number}`, query: run.id });
      shown = {
        run,
        uri,
        renderer: new Renderer(run.view),
        text: '',
        lines: new Map(),
        timer: undefined,
        follows: true,
        first: 0,
        opening: Promise.resolve(),
      };
      this.shown.set(run.id, shown);
    }
    return shown;
  }

  /** Fills a document that has just been opened: VS Code drops what changed while it was opening. */
  private catchUp(uri: vscode.Uri): void {
    if (this.runOf(uri)) {
      this.changed.fire(uri);
    }
  }

  private fill(run: TrackedRun, soon: boolean): void {
    const shown = this.of(run);
    if (soon) {
      clearTimeout(shown.timer);
      shown.timer = undefined;
      this.changed.fire(shown.uri);
      return;
    }
    shown.timer ??= setTimeout(
      () => this.fillInPause(shown, Date.now()),
      INTERVAL_MS + (shown.text.length / 1_000) * INTERVAL_MS_PER_THOUSAND,
    );
  }

  private fillInPause(shown: Shown, since: number): void {
    const now = Date.now();
    const waited = now - since;
    const pause = waited < MAX_WAIT_MS ? PAUSE_MS : waited < 2 * MAX_WAIT_MS ? SHORT_PAUSE_MS : 0;
    const wait = this.typed + pause - now;
    if (wait > 0) {
      shown.timer = setTimeout(() => this.fillInPause(shown, since), wait);
    } else {
      shown.timer = undefined;
      this.changed.fire(shown.uri);
    }
  }

  /** Keeps the end in view, unless a person scrolled back to read. */
  private follow(document: vscode.TextDocument): void {
    const shown = this.shown.get(document.uri.query);
    if (!shown?.follows) {
      return;
    }
    for (const editor of editorsOf(document)) {
      const end = document.lineCount - 1;
      editor.revealRange(new vscode.Range(end, 0, end, 0));
    }
  }

  /** Scrolling up ends following, and the end in view begins it again. */
  private scrolled({ textEditor, visibleRanges }: vscode.TextEditorVisibleRangesChangeEvent): void {
    const { document } = textEditor;
    const shown = this.shown.get(document.uri.query);
    const first = visibleRanges[0]?.start.line;
    const last = visibleRanges.at(-1)?.end.line;
    if (document.uri.scheme !== RUN_SCHEME || !shown || first === undefined || last === undefined) {
      return;
    }
    if (last >= document.lineCount - 2) {
      shown.follows = true;
    } else if (first < shown.first) {
      shown.follows = false;
    } else {
      // The window became smaller.
      this.follow(document);
    }
    shown.first = first;
  }

  private forget(): void {
    for (const [id, { timer }] of this.shown) {
      if (!this.runs.get(id)) {
        clearTimeout(timer);
        this.shown.delete(id);
      }
    }
  }
}

function editorsOf(document: vscode.TextDocument): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(editor => editor.document === document);
}

/** Where a run document goes: where it is, else where other runs are, else beside the definition. */
function columnOf(uri: vscode.Uri): vscode.ViewColumn {
  const groups = vscode.window.tabGroups.all;
  const has = (group: vscode.TabGroup, matches: (shown: vscode.Uri) => boolean) =>
    group.tabs.some(tab => tab.input instanceof vscode.TabInputText && matches(tab.input.uri));
  const group =
    groups.find(group => has(group, shown => shown.toString() === uri.toString())) ??
    groups.find(group => has(group, shown => shown.scheme === RUN_SCHEME));
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}
