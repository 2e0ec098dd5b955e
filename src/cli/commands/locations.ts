// `locations`: looks up places, and imports Google's whole table of them.

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { type GeoTarget, locationsFileName, readGeoTargets } from '../../../config/rules/geo-targets.ts';
import { replaceFile } from '../../../db/connection/whole-file.ts';
import { geoTargets } from '../../app/opening/place-names.ts';
import { errorText } from '../../service/terms.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { usageError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

const columns: readonly Column<GeoTarget>[] = [
  { title: 'location', value: ({ canonicalName }) => canonicalName },
  { title: 'country', value: ({ country }) => country },
  { title: 'type', value: ({ type }) => type },
  { title: 'id', align: 'right', value: ({ id }) => `${id ?? '-'}` },
];

const describeFind = (command: Command) =>
  command
    .command('find')
    .description('places whose name begins with these words')
    .argument('<place>', 'such as "Springfield, Illinois", 78701, or a criteria id')
    .option('--country <code>', 'only this country');

export const command: CommandDefinition = {
  about:
    "Places are Google's geo targets. The larger cities of some countries are built in; `import` reads the whole table, geotargets-DATE.csv, as Google publishes it for advertisers, and keeps it beside the database.",
  examples: [
    { command: 'locations find Springfield', does: 'the places of that name, as the config may write them' },
    { command: 'locations import geotargets-2026-07-06.csv', does: 'all places, postcodes and their ids' },
  ],
  readsConfig: true,
  asksServices: () => false,
  readsKeywordFiles: false,
  describe: (command) => {
    describeFind(command);
    command
      .command('import')
      .description("read Google's table of geo targets")
      .argument('<file>', 'geotargets-DATE.csv');
  },
  async run({ action, args, flags, config, host, out, json }) {
    const [written = ''] = args;
    const loaded = await config();
    if (action === 'import') {
      const imported = importLocations(loaded, resolve(host.cwd, written));
      if (json) out.json(imported);
      else out.line(`${counted(imported.locations, 'location')} of ${imported.countries} countries: ${imported.file}`);
      return exitCodes.done;
    }
    const { country } = flags(describeFind);
    const found = geoTargets(loaded).find(written, country?.toUpperCase());
    if (found.length === 0)
      throw usageError(printable(`No place "${written}" is known.`), '`rankledger locations import` adds all of them.');
    if (json) out.json(found);
    else for (const line of tableLines(columns, found)) out.line(line);
    return exitCodes.done;
  },
};

/** Replaces the imported table. Throws usage errors for a file that cannot be read, or is not Google's table. */
function importLocations({ databaseFile }: ResolvedConfig, from: string) {
  const targets = [...readGeoTargets(readText(from))];
  if (targets.length === 0) {
    const hint = 'The first line must be: Criteria ID,Name,Canonical Name,Parent ID,Country Code,Target Type,Status';
    throw usageError(`${from} has no locations`, hint);
  }
  const file = join(dirname(databaseFile), locationsFileName);
  const lines = targets.map(
    ({ id, canonicalName, country, type }) => `${id ?? ''},"${canonicalName.replaceAll('"', '""')}",${country},${type}`,
  );
  replaceFile(file, `${['Criteria ID,Canonical Name,Country Code,Target Type', ...lines].join('\n')}\n`);
  return { file, locations: targets.length, countries: new Set(targets.map(({ country }) => country)).size };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`${file} cannot be read: ${errorText(error)}`);
  }
}
