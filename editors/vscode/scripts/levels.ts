/**
 * Writes the setting `loopls.levels` into package.json from the pages of the codes, so that settings are completed and
 * explained. The tests say when it is time to run it: `node scripts/levels.ts`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PAGES = new URL('../../../docs/codes/', import.meta.url);
const MANIFEST = new URL('../package.json', import.meta.url);

/** The codes that have a level, which errors have not, each with the first sentence of its page. */
export function levels(): Record<string, object> {
  const found: Record<string, object> = {};
  for (const name of readdirSync(PAGES)
    .filter(name => /^[a-z_]+\.md$/.test(name))
    .sort()) {
    const page = readFileSync(new URL(name, PAGES), 'utf8');
    const [, severity, text] = /^Severity: (\w+)\n\n([\s\S]*?)\n\n/m.exec(page) ?? [];
    if (severity === undefined || text === undefined || severity === 'error') {
      continue;
    }
    found[name.replace(/\.md$/, '')] = {
      enum: ['off', 'hint', 'information', 'warning'],
      default: severity,
      markdownDescription: text.replaceAll('\n', ' ').replace(/(?<=[.:])\s.*$/, ''),
    };
  }
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  manifest.contributes.configuration.properties['loopls.levels'].properties = levels();
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, undefined, 2)}\n`);
}
