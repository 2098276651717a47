/** Binding a definition, and asking the server of a tool what it offers. */
import assert from 'node:assert/strict';
import { fileTest } from './editor.ts';

fileTest(
  'the lens Probe shows what a server offers, beside the definition; Check Bind counts its tools',
  ['offers.loop.toml', 'server.sh'],
  async window => {
    const { page } = window;
    await window.lens('Probe');
    const text = await window.waitText('kit offers', '▶ kit · 4 tools');
    assert.match(text, /\necho · read\n {2}Says it\.\n {2}\{\n {4}"/);
    await window.waitToast('kit offers 4 tools: echo, fail, slow, die');
    await window.lensLine('Probe · 4 tools').waitFor();
    await window.screenshot('probe');
    // Whoever types goes on in the definition.
    await page.keyboard.type('#typed');
    await window.waitText('offers.loop.toml', '#typed');
    await window.command('Loop: Check Bind');
    await window.waitToast('The definition binds: 4 tools in base.');
  },
);
