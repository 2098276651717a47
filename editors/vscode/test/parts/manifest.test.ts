import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { levels } from '../../scripts/levels.ts';

const folder = new URL('../../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
const { contributes } = manifest;

test('the levels that can be set are those of the codes', () => {
  // If this fails, `node scripts/levels.ts` puts it right.
  assert.deepEqual(contributes.configuration.properties['loopls.levels'].properties, levels());
  assert.ok(Object.keys(levels()).includes('zero_limit'));
});

test('what starts something is the setting of the machine, and no workspace has a say in it', () => {
  const scopes = Object.entries(contributes.configuration.properties).filter(([name]) =>
    name.startsWith('loopls.server.'),
  );
  assert.deepEqual(
    scopes.map(([name, property]) => [name, (property as { scope: string }).scope]),
    manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.map((name: string) => [
      name,
      'machine',
    ]),
  );
});

test('every command of a menu is one of ours, and every setting and command says what it is', () => {
  const known = new Set(contributes.commands.map(({ command }: { command: string }) => command));
  for (const [menu, items] of Object.entries<{ command: string }[]>(contributes.menus)) {
    for (const { command } of items) {
      assert.ok(known.has(command), `${menu}: ${command}`);
    }
  }
  for (const [name, property] of Object.entries<Record<string, string>>(
    contributes.configuration.properties,
  )) {
    assert.ok(property.description ?? property.markdownDescription, name);
  }
  const registered = readFileSync(new URL('src/commands.ts', folder), 'utf8');
  for (const command of known) {
    assert.ok(registered.includes(`'${command}':`), `${command} does nothing`);
  }
});

test('every setting and every command of the palette is in the README and in the manual', () => {
  const hidden = contributes.menus.commandPalette
    .filter(({ when }: { when: string }) => when === 'false')
    .map(({ command }: { command: string }) => command);
  const titles = contributes.commands
    .filter(({ command }: { command: string }) => !hidden.includes(command))
    .map(({ title }: { title: string }) => title);
  for (const page of ['README.md', '../../docs/vscode.md']) {
    const text = readFileSync(new URL(page, folder), 'utf8').replaceAll(/\s+/g, ' ');
    for (const name of [...titles, ...Object.keys(contributes.configuration.properties)]) {
      assert.match(
        text,
        new RegExp(`[*\`](?:Loop: |loopls: )?${name.replaceAll('.', '\\.')}[*\`]`),
        `${page}: ${name}`,
      );
    }
  }
});

test('every file that the manifest names is there', () => {
  const paths =
    JSON.stringify(contributes).match(/"(?:\.\/)?(?:images|syntaxes|snippets|walkthrough)\/[^"]+"/g) ?? [];
  assert.ok(paths.length > 10);
  for (const path of [...paths.map(path => JSON.parse(path)), manifest.icon]) {
    assert.ok(existsSync(new URL(path, folder)), path);
  }
});
