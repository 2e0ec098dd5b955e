// destinations.csv: for how many results the destination is known, by day and source.

import type { SerpRow, SerpSites } from '../../read/serp.ts';
import { sortedEntries, sumOf } from '../../tracker/figures.ts';
import { getOrInsert } from '../../tracker/maps.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { Destination } from '../../tracker/targets/target.ts';
import { columnsOf, fieldColumns } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** One line of the table. */
interface DestinationRow {
  readonly project: string;
  /** The local day of reading. */
  readonly date: string;
  readonly source: string;
  readonly counts: Readonly<Record<Destination, number>>;
  readonly runId: number;
  readonly warning: string | null;
}

const { text, number, day } = columnsOf<DestinationRow>();

const count = (name: string, description: string, of: readonly Destination[]): CsvColumn<DestinationRow> =>
  number(name, description, ({ counts }) => sumOf(of, (state) => counts[state]));

export const destinationColumns: readonly CsvColumn<DestinationRow>[] = [
  ...fieldColumns((row: DestinationRow) => row, 'project'),
  day('date', 'Local date on which the pages were read', (row) => row.date),
  text('source', 'service/source of the pages', (row) => row.source),
  count('results', 'Organic results of complete checks', ['exact', 'host_only', 'hidden']),
  count('exact', 'Results whose page is known', ['exact']),
  count('host_only', 'Results whose page the engine hid: only the site is known', ['host_only']),
  count('hidden', 'Results whose site the engine hid, too', ['hidden']),
  number('run_id', 'Run of the report', (row) => row.runId),
  text('warning', 'Warnings about the whole run: it is suspect, the data is simulated', (row) => row.warning),
];

interface DestinationCounts {
  add(row: SerpRow): void;
  /** By day, then by source. */
  rows(facts: Pick<DestinationRow, 'project' | 'runId' | 'warning'>): DestinationRow[];
}

/** `timezone`: IANA, of the days. */
export function startDestinations(sites: SerpSites, timezone: string): DestinationCounts {
  const sums = new Map<string, { date: string; source: string; counts: Record<Destination, number> }>();
  return {
    add({ now }) {
      if (now === null) return;
      const date = localDate(now.checkedAt, timezone);
      const key = `${date} ${now.source}`;
      const sum = getOrInsert(sums, key, () => ({
        date,
        source: now.source,
        counts: { exact: 0, host_only: 0, hidden: 0 },
      }));
      for (const urlId of now.urlIds) sum.counts[sites.destinationOf(urlId)] += 1;
    },
    rows: (facts) => sortedEntries(sums).map(([, { date, source, counts }]) => ({ ...facts, date, source, counts })),
  };
}
