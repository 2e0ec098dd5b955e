// Database state before a run: can it be opened and written, and is there disk space. Changes nothing.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ConnectionOptions, openForReading, tryWriting } from '../client.ts';
import { freeBytesAt } from '../disk/disk.ts';
import { databaseExists, folderFor, schemaVersion } from './guards.ts';

export interface StoreState {
  /** Null where there is no database yet: the first run makes it. */
  readonly schema: number | null;
  /** What this version knows; an older schema is brought to it when the database is opened to write. */
  readonly schemaKnown: number;
  readonly bytes: number;
  /** On the disk of the database, for this user. */
  readonly freeBytes: number;
}

/** Tries the database. Throws StoreError where a run could not use it, the reason and the remedy in it. */
export function storeState(file: string, options: ConnectionOptions = {}): StoreState {
  const schemaKnown = schemaVersion();
  if (!databaseExists(file)) return { schema: null, schemaKnown, bytes: 0, freeBytes: freeBytesAt(folderFor(file)) };
  const db = openForReading(file, options);
  let schema: number;
  try {
    schema = Number(db.pragma('user_version'));
  } finally {
    db.close();
  }
  tryWriting(file, options);
  return { schema, schemaKnown, bytes: statSync(file).size, freeBytes: freeBytesAt(dirname(file)) };
}
