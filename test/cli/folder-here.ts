// A folder in which short commands run in this process.
import { openApp } from '../../src/app/app.ts';
import { type Ended, type Folder, folderOf } from './child.ts';
import { invoke } from './fake-host.ts';

/** As `folderOf`, but `run` and `json` start no process and leave the log empty; `start` starts one. */
export function folderHere(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Folder {
  const folder = folderOf(files, env);
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
