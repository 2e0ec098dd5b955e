// Writes files atomically: to a temporary name, then by rename. Removes temporary files of dead processes.

import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { hourMs } from '../../tracker/schedule/time-units.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../text/failure.ts';

/** Another machine may still be writing: its file counts as abandoned when it has not changed for this long. */
const leftoverAgeMs = hourMs;
/** `history.csv.host~1234~<uuid>.tmp`: the name contains the writer. */
const unfinishedName = /^(?<host>[^~]*)~(?<pid>\d+)~[0-9a-f-]{36}\.tmp$/;

/**
 * Replaces `file`. Throws CommandError if its folder is missing, the reason of `signal` if that aborts, and disk
 * errors.
 */
export async function writeWholeFile(
  file: string,
  chunks: Iterable<string | Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
): Promise<void> {
  if (!existsSync(dirname(file))) {
    throw new CommandError('NO_FOLDER', `There is no folder ${dirname(file)}.`, 'Create it, or choose another one.');
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new CommandError('IS_A_FOLDER', `${file} is a folder.`, 'Name a file in it.', exitCodes.usage);
  const unfinished = `${file}.${hostname()}~${process.pid}~${randomUUID()}.tmp`;
  const handle = await open(unfinished, 'wx');
  try {
    await removeLeftovers(file, (await handle.stat()).mtimeMs);
    for (const chunk of chunks) await handle.appendFile(chunk);
    signal.throwIfAborted();
    await handle.sync();
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** `now`: UTC milliseconds of the file system's clock. Files that cannot be removed stay. */
async function removeLeftovers(file: string, now: number): Promise<void> {
  const [folder, prefix] = [dirname(file), `${basename(file)}.`];
  for (const name of await readdir(folder).catch(() => [])) {
    const writer = name.startsWith(prefix) ? unfinishedName.exec(name.slice(prefix.length))?.groups : undefined;
    if (writer === undefined) continue;
    const path = join(folder, name);
    const isOver =
      writer['host'] === hostname()
        ? !(await isRunning(Number(writer['pid'])))
        : await stat(path).then(
            ({ mtimeMs }) => now - mtimeMs > leftoverAgeMs,
            () => false,
          );
    if (isOver) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** The service is loaded only if there is a temporary file with such a name. */
async function isRunning(pid: number): Promise<boolean> {
  const { isProcessRunning } = await import('../../service/terms.ts');
  return isProcessRunning(pid);
}
