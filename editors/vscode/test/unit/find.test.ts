import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findServer, type Where } from '../../src/server/find.ts';

function find(where: Partial<Where>, ...programs: string[]): string {
  const found = findServer({
    setting: '',
    extension: '/ext',
    searchPath: '',
    folders: [],
    windows: false,
    isProgram: path => programs.includes(path),
    ...where,
  });
  return 'problem' in found ? found.problem : `${found.from} ${found.path}`;
}

test('the setting comes first, then the package, then PATH', () => {
  const all = ['/own/loopls', '/ext/server/loopls', '/bin/loopls'];
  const searchPath = '/none:/bin';
  assert.equal(find({ setting: '/own/loopls', searchPath }, ...all), 'setting /own/loopls');
  assert.equal(find({ searchPath }, ...all), 'package /ext/server/loopls');
  assert.equal(find({ searchPath }, '/bin/loopls'), 'PATH /bin/loopls');
  assert.match(find({ searchPath }), /no server for this machine/);
});

test('a setting that does not hold is said and nothing else is taken', () => {
  assert.match(find({ setting: 'loopls' }, 'loopls', '/ext/server/loopls'), /not an absolute path/);
  assert.match(find({ setting: '/gone' }, '/ext/server/loopls'), /\/gone.*is no program/);
});

test('from PATH nothing relative counts, and nothing inside an open folder', () => {
  const programs = [
    'loopls',
    './loopls',
    'bin/loopls',
    '/w/loopls',
    '/w/bin/loopls',
    '/w/../w/loopls',
    '/way/loopls',
  ];
  const searchPath = ':.:bin:/w:/w/bin:/w/../w:/way';
  assert.equal(find({ searchPath, folders: ['/other', '/w'] }, ...programs), 'PATH /way/loopls');
});

test('on Windows', () => {
  const searchPath = 'C:\\w\\bin;c:\\W;\\bin;D:\\bin';
  const programs = ['C:\\w\\bin\\loopls.exe', 'c:\\W\\loopls.exe', 'D:\\bin\\loopls.exe'];
  assert.equal(
    find({ windows: true, extension: 'C:\\ext', searchPath, folders: ['C:\\w'] }, ...programs),
    'PATH D:\\bin\\loopls.exe',
  );
});
