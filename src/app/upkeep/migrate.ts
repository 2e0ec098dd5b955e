// Brings a database that an older version wrote to the schema of this one.
import { openConnection, openForReading } from '../../../db/connection/client.ts';
import { schemaVersion } from '../../../db/connection/opening/guards.ts';

export interface MigrationReport {
  readonly database: string;
  readonly fromSchema: number;
  readonly toSchema: number;
  /** What the database was before, in a file beside it; null: it has this version's schema already. */
  readonly copy: string | null;
}

/** Throws StoreError if the file is missing or cannot be migrated; it is unchanged then. */
export function migrateDatabase(databaseFile: string): MigrationReport {
  openForReading(databaseFile).close(); // fails if the file is missing, instead of creating it
  const schema = schemaVersion();
  let migrated: Omit<MigrationReport, 'database'> = { fromSchema: schema, toSchema: schema, copy: null };
  openConnection(databaseFile, { onMigrated: (facts) => (migrated = facts) }).close();
  return { database: databaseFile, ...migrated };
}
