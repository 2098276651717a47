/**
 * Where the server is looked for. Nothing of a workspace has a say in it: the setting is the user's alone, and from `PATH`
 * neither relative entries count nor those inside a folder that is open, for its files may be somebody else's.
 */
import * as path from 'node:path';

/** Where a server was found. */
export interface Found {
  path: string;
  from: 'setting' | 'package' | 'PATH';
}

/** Why there is none. */
export interface NotFound {
  problem: string;
}

export interface Where {
  /** The setting `loopls.server.path`. */
  setting: string;
  /** The folder of this extension. */
  extension: string;
  /** The environment variable `PATH`. */
  searchPath: string;
  /** The folders that are open. */
  folders: string[];
  windows: boolean;
  isProgram(path: string): boolean;
}

/** The first server there is: the setting's, else the packaged one, else one on `PATH`. */
export function findServer(where: Where): Found | NotFound {
  const paths = where.windows ? path.win32 : path.posix;
  const name = where.windows ? 'loopls.exe' : 'loopls';
  if (where.setting !== '') {
    if (!paths.isAbsolute(where.setting)) {
      return { problem: 'the setting `loopls.server.path` is not an absolute path' };
    }
    return where.isProgram(where.setting)
      ? { path: where.setting, from: 'setting' }
      : { problem: `${where.setting}, from the setting \`loopls.server.path\`, is no program` };
  }
  const packaged = paths.join(where.extension, 'server', name);
  if (where.isProgram(packaged)) {
    return { path: packaged, from: 'package' };
  }
  const entries = where.searchPath
    .split(paths.delimiter)
    .filter(
      entry => paths.isAbsolute(entry) && !where.folders.some(folder => isInside(paths, entry, folder)),
    );
  const found = entries.map(entry => paths.join(entry, name)).find(where.isProgram);
  return found
    ? { path: found, from: 'PATH' }
    : { problem: 'this package has no server for this machine, and there is no `loopls` on PATH' };
}

function isInside(paths: path.PlatformPath, entry: string, folder: string): boolean {
  const relative = paths.relative(folder, entry);
  return (
    relative === '' ||
    !(relative === '..' || relative.startsWith(`..${paths.sep}`) || paths.isAbsolute(relative))
  );
}
