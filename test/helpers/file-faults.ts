// Faults of a database file while a process has it open.
import { copyFileSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../db/store.ts';
import { temporaryFolder } from './closing.ts';

export const fileFaults: Readonly<Record<string, (file: string) => void>> = {
  'is deleted with its log': (file) => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  },
  'is deleted': (file) => rmSync(file),
  'is renamed': (file) => renameSync(file, `${file}.old`),
  'is replaced by a restored backup': (file) => {
    copyFileSync(otherDatabase(), `${file}.restored`);
    renameSync(`${file}.restored`, file);
  },
  'is cut short': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  'is emptied': (file) => truncateSync(file, 0),
  'loses its log': (file) => rmSync(`${file}-wal`),
  'is overwritten in place by an older file': (file) => {
    const older = readFileSync(file);
    older.writeUInt32BE(0, 24);
    writeFileSync(file, older);
  },
};

/** A valid database, to be put under a name that a process has open. */
function otherDatabase(): string {
  const file = join(temporaryFolder(), 'db.sqlite');
  const store = openStore(file);
  store.runs.open({ kind: 'adhoc', moment: 1, owner: 'o', at: 1 }, []);
  store.close();
  return file;
}
