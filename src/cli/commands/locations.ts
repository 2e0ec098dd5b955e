// `locations`: looks up places, and imports Google's whole table of them.
import { resolve } from 'node:path';
import type { GeoTarget } from '../../../config/rules/geo-targets.ts';
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
    command
      .command('find')
      .description('places whose name begins with these words')
      .argument('<place>', 'such as "Springfield, Illinois", 78701, or a criteria id')
      .option('--country <code>', 'only this country');
    command
      .command('import')
      .description("read Google's table of geo targets")
      .argument('<file>', 'geotargets-DATE.csv');
  },
  async run({ action, args, flags, config, host, out, json }) {
    const [written = ''] = args;
    const loaded = await config();
    if (action === 'import') {
      const importLocations = await host.useCases.importLocations();
      const imported = importLocations(loaded, resolve(host.cwd, written));
      if (json) out.json(imported);
      else out.line(`${counted(imported.locations, 'location')} of ${imported.countries} countries: ${imported.file}`);
      return exitCodes.done;
    }
    const { country } = flags<{ readonly country?: string }>();
    const findLocations = await host.useCases.findLocations();
    const found = findLocations(loaded, written, country?.toUpperCase());
    if (found.length === 0)
      throw usageError(printable(`No place "${written}" is known.`), '`rankledger locations import` adds all of them.');
    if (json) out.json(found);
    else for (const line of tableLines(columns, found)) out.line(line);
    return exitCodes.done;
  },
};
