/**
 * Makes loopls-PLATFORM.vsix, with the server in it. The server is built for this machine, or is the one that the
 * environment variable LOOPLS names; then `--target PLATFORM` says for which it was built.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const repository = path.join(folder, '../..');

const given = process.argv.indexOf('--target');
const target = given > 0 ? process.argv[given + 1] : `${process.platform}-${process.arch}`;
const name = target.startsWith('win32') ? 'loopls.exe' : 'loopls';

/** Runs a program, in the folder of the extension unless another is given. */
function run(program, args, options = {}) {
  execFileSync(program, args, { cwd: folder, stdio: 'inherit', ...options });
}

/** The path of the server that goes into the package. */
function server() {
  if (process.env.LOOPLS) {
    return process.env.LOOPLS;
  }
  run('cargo', ['build', '--release', '--locked'], { cwd: repository });
  const metadata = execFileSync('cargo', ['metadata', '--locked', '--no-deps', '--format-version', '1'], {
    cwd: repository,
    maxBuffer: 1 << 26,
  });
  return path.join(JSON.parse(metadata).target_directory, 'release', name);
}

rmSync(path.join(folder, 'server'), { recursive: true, force: true });
mkdirSync(path.join(folder, 'server'));
copyFileSync(server(), path.join(folder, 'server', name));
chmodSync(path.join(folder, 'server', name), 0o755);
const licences = ['LICENSE-MIT', 'LICENSE-APACHE'].map(name =>
  readFileSync(path.join(repository, name), 'utf8'),
);
writeFileSync(path.join(folder, 'LICENSE.txt'), licences.join('\n'));
run(process.execPath, ['scripts/build.mjs', '--production']);
const vsce = path.join(folder, 'node_modules/@vscode/vsce/vsce');
const output = `loopls-${target}.vsix`;
run(process.execPath, [
  vsce,
  'package',
  '--no-dependencies',
  '--allow-missing-repository',
  '--no-rewrite-relative-links',
  '--target',
  target,
  '--out',
  output,
]);
