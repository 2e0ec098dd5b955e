// A folder in which short commands run in this process in `npm test`, and as a child process in full size.
import { openApp } from '../../src/app/app.ts';
import { quickOrFull } from '../helpers/size.ts';
import { type Ended, type Folder, folderOf } from './child.ts';
import { invoke } from './fake-host.ts';

/** As `folderOf`, but in `npm test`, `run` and `json` start no process and leave the log empty; `start` starts one. */
export function sizedFolderOf(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Folder {
  const folder = folderOf(files, env);
  return quickOrFull(inThisProcess(folder, env), folder);
}

function inThisProcess(folder: Folder, env: Readonly<Record<string, string>>): Folder {
  const run = async (...args: string[]): Promise<Ended> => {
    const { exitCode, out, err } = await invoke(args, {
      cwd: folder.path,
      env,
      now: Date.now(),
      openApp: (config, { log: _, ...options }) => openApp(config, options),
    });
    return { exitCode, signal: null, out, err, log: [] };
  };
  const json = async (...args: string[]) => {
    const ended = await run(...args, '--json');
    return { ...ended, document: JSON.parse(ended.out) as Record<string, unknown> };
  };
  return { ...folder, run, json };
}
