/**
 * Puts the extension together into dist/extension.cjs; with `--production` as it is packaged: without the names and lines of
 * its source, and with the licences of what it is made of beside it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('..', import.meta.url));
const production = process.argv.includes('--production');

const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  minify: production,
  sourcemap: !production,
  metafile: true,
  logLevel: 'warning',
});

if (production) {
  const paths = Object.keys(metafile.inputs).map(
    input => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1],
  );
  const packages = [...new Set(paths.filter(path => path !== undefined))].sort();
  writeFileSync(path.join(folder, 'dist/licences.txt'), packages.map(licence).join('\n\n'));
}

/** What a package is called, and the text of its licence. */
function licence(relative) {
  const at = path.join(folder, relative);
  const { name, version, license } = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8'));
  const file = readdirSync(at).find(name => /^licen[cs]e/i.test(name));
  const text = file ? readFileSync(path.join(at, file), 'utf8') : '';
  return `${name} ${version} (${license})\n\n${text}`;
}
