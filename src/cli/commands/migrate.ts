// `migrate`: brings the database of an older version to this one, after a copy.
import { openConnection, openForReading } from '../../../db/connection/client.ts';
import { LockPatience } from '../../../db/connection/group-commit.ts';
import { schemaVersion } from '../../../db/connection/guards.ts';
import type { Migration } from '../../../db/connection/migrate.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

export const command: CommandDefinition = {
  about: `Run it once after an upgrade. Commands that write, such as \`run\` and \`schedule\`, do the same when they open the database. Commands that only read
change nothing: they refuse a database of an older version, with exit code 1. The copy stays beside the database, so that you can go back.`,
  examples: [
    { command: 'migrate', does: 'the database of the config; nothing happens where it is up to date' },
    { command: 'migrate --json', does: 'the same for scripts' },
  ],
  readsConfig: true,
  asksServices: () => false,
  readsKeywordFiles: false,
  leavesOutBroken: true,
  describe: () => {},
  async run({ config, out, json, shown, lock }) {
    const { databaseFile } = await config();
    const schema = schemaVersion();
    let migrated: Omit<Migration, 'copy'> & { copy: string | null } = {
      fromSchema: schema,
      toSchema: schema,
      copy: null,
    };
    const migrate = () => {
      openForReading(databaseFile).close(); // fails if the file is missing, instead of creating it
      openConnection(databaseFile, { onMigrated: (facts) => (migrated = facts) }).close();
    };
    await new LockPatience(lock.onLocked).until(migrate, lock.stop);
    const { fromSchema, toSchema, copy } = migrated;
    if (json) out.json({ database: databaseFile, fromSchema, toSchema, copy });
    else if (copy === null) out.line(`${shown(databaseFile)} is up to date (schema ${toSchema}).`);
    else {
      out.line(`${shown(databaseFile)}: schema ${fromSchema} is now ${toSchema}.`);
      out.line(`What it was before: ${shown(copy)}`);
    }
    return exitCodes.done;
  },
};
