/** Puts the extension together into dist/extension.cjs; with `--production` without the names and lines of its source. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const production = process.argv.includes('--production');

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  minify: production,
  sourcemap: !production,
  logLevel: 'warning',
});
