/** Where in a definition's text the things stand that a run names. */

export interface Name {
  /** A tool by its model-facing name. */
  tool?: string;
  /** A mode. */
  mode?: string | undefined;
  /** The zero-based line of a limit, which the run knows. */
  limit?: number | undefined;
}

/** The zero-based line of a tool, a limit or a mode; the first line if the text has it no more. */
export function placeOf(text: string, name: Name): number {
  const lines = text.split(/\r\n|\n|\r/);
  if (name.limit !== undefined && name.limit < lines.length) {
    return name.limit;
  }
  const wanted = name.tool ?? name.mode ?? '';
  const header = name.tool === undefined ? 'modes' : 'tools';
  let inside = false;
  for (const [number, line] of lines.entries()) {
    const table = /^\s*\[\[?\s*([^\]]*?)\s*\]/.exec(line);
    if (table) {
      inside = table[1] === header;
    } else if (inside && /^\s*(name|produces)\s*=/.test(line)) {
      const values = [...line.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, basic, literal]) => basic ?? literal);
      if (values.includes(wanted)) {
        return number;
      }
    }
  }
  return 0;
}
