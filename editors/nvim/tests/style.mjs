// Checks that all Lua of the plugin is formatted as stylua.toml says; with --fix, formats it.
//
//   node editors/nvim/tests/style.mjs FOLDER [--fix]
//
// FOLDER has node_modules/@johnnymorganz/stylua: the formatter itself, built for WebAssembly.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';

const require = createRequire(join(resolve(process.argv[2]), 'package.json'));
const stylua = require('@johnnymorganz/stylua');
const fix = process.argv[3] === '--fix';
const plugin = resolve(import.meta.dirname, '..');

const kinds = {
  call_parentheses: stylua.CallParenType,
  indent_type: stylua.IndentType,
  quote_style: stylua.QuoteStyle,
};
const settings = [...readFileSync(join(plugin, 'stylua.toml'), 'utf8').matchAll(/^(\w+) = (.+)$/gm)];

function format(code) {
  // Formatting uses a configuration up.
  const config = stylua.Config.new();
  for (const [, key, text] of settings) {
    const value = JSON.parse(text);
    config[key] = kinds[key] ? kinds[key][value] : value;
  }
  return stylua.formatCode(code, config, null, stylua.OutputVerification.Full);
}

const files = readdirSync(plugin, { recursive: true }).filter((name) => name.endsWith('.lua'));
let wrong = 0;
for (const file of files.sort()) {
  const path = join(plugin, file);
  const before = readFileSync(path, 'utf8');
  const after = format(before);
  if (before === after) continue;
  if (fix) {
    writeFileSync(path, after);
    continue;
  }
  wrong += 1;
  const [old, now] = [before.split('\n'), after.split('\n')];
  const line = old.findIndex((text, index) => text !== now[index]);
  console.log(`${relative(process.cwd(), path)}:${line + 1}: not formatted\n  is:   ${old[line]}\n  should: ${now[line]}`);
}
console.log(`${files.length} Lua files, ${wrong} not formatted`);
process.exitCode = wrong === 0 ? 0 : 1;
