/**
 * The colours of a run document that no theme has a token for: how calls and the run ended, in the theme's colours for charts,
 * for those of its icons are too pale to be read in; and what is said beside them. The rest is the grammar's.
 */
import * as vscode from 'vscode';
import { CALL_SCHEME, RUN_SCHEME } from './language.ts';

/** Lines of ours begin in the first column; foreign text is indented or behind a mark. */
const KINDS: { color: string; bold?: boolean; pattern: RegExp }[] = [
  { color: 'charts.green', bold: true, pattern: /^✓(?: [^\d·][^·]*)?/d },
  {
    color: 'charts.red',
    bold: true,
    pattern: /^(?:✗(?: error)?|■.*?(?= · \d+(?:\/\d+)? iterations|$))/d,
  },
  { color: 'editorWarning.foreground', bold: true, pattern: /^(?:\?|↻.*|!.*)/d },
  { color: 'editorWarning.foreground', pattern: /^ {2}\? /d },
  // Beside a call no quote and no brace, which its input may hold.
  {
    color: 'descriptionForeground',
    pattern: /^(?:▶ [^·]*?( ·.*)|(?:✓|■).*?( · \d+(?:\/\d+)? iterations.*)|[✓✗].*?( · [^{}"]*))$/d,
  },
  { color: 'descriptionForeground', pattern: /^(?:>| {2}[│┊]| {2}┆.*)/d },
];

export function colourRuns(): vscode.Disposable {
  const types = KINDS.map(({ color, bold }) =>
    vscode.window.createTextEditorDecorationType({
      color: new vscode.ThemeColor(color),
      ...(bold ? { fontWeight: 'bold' } : {}),
    }),
  );
  /** The last line that has a colour of a kind, by editor: what changes below it is nothing to that kind. */
  const lasts = new WeakMap<vscode.TextEditor, number[]>();
  const colour = (editor: vscode.TextEditor, changed = 0) => {
    const { document } = editor;
    if (document.uri.scheme !== RUN_SCHEME && document.uri.scheme !== CALL_SCHEME) {
      return;
    }
    const found: vscode.Range[][] = KINDS.map(() => []);
    for (const [number, line] of document.getText().split('\n').entries()) {
      for (const [kind, { pattern }] of KINDS.entries()) {
        const match = pattern.exec(line);
        const [start, end] = match?.indices?.slice(1).find(group => group !== undefined) ??
          match?.indices?.[0] ?? [0, 0];
        if (end > start) {
          found[kind]?.push(new vscode.Range(number, start, number, end));
        }
      }
    }
    const before = lasts.get(editor);
    const now = found.map(ranges => ranges.at(-1)?.start.line ?? -1);
    lasts.set(editor, now);
    for (const [kind, type] of types.entries()) {
      if (!before || Math.max(before[kind] ?? -1, now[kind] ?? -1) >= changed) {
        editor.setDecorations(type, found[kind] ?? []);
      }
    }
  };
  const colourAll = (editors: readonly vscode.TextEditor[], changed?: number) => {
    for (const editor of editors) {
      colour(editor, changed);
    }
  };
  colourAll(vscode.window.visibleTextEditors);
  return vscode.Disposable.from(
    ...types,
    vscode.window.onDidChangeVisibleTextEditors(editors => colourAll(editors)),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) =>
      colourAll(
        vscode.window.visibleTextEditors.filter(editor => editor.document === document),
        Math.min(...contentChanges.map(({ range }) => range.start.line)),
      ),
    ),
  );
}
