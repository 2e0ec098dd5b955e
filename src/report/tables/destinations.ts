// destinations.csv: for how many results the destination is known, by day and source.

import { sortedEntries } from '../../tracker/figures.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { Destination } from '../../tracker/targets/target.ts';
import { type CsvColumn, type CsvOptions, columnNotes, csvChunks } from '../formats/csv.ts';
import { projectColumn } from '../rows/search-columns.ts';
import type { SerpRow, SerpSites } from '../rows/serp.ts';

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

const count = (name: string, description: string, of: readonly Destination[]): CsvColumn<DestinationRow> => ({
  name,
  kind: 'number',
  description,
  value: ({ counts }) => of.reduce((sum, state) => sum + counts[state], 0),
});

/** The columns of destinations.csv, in order. */
const destinationColumns: readonly CsvColumn<DestinationRow>[] = [
  projectColumn((row) => row.project),
  { name: 'date', kind: 'day', description: 'Local date on which the pages were read', value: (row) => row.date },
  { name: 'source', kind: 'text', description: 'service/source of the pages', value: (row) => row.source },
  count('results', 'Organic results of complete checks', ['exact', 'host_only', 'hidden']),
  count('exact', 'Results whose page is known', ['exact']),
  count('host_only', 'Results whose page the engine hid: only the site is known', ['host_only']),
  count('hidden', 'Results whose site the engine hid, too', ['hidden']),
  { name: 'run_id', kind: 'number', description: 'Run of the report', value: (row) => row.runId },
  {
    name: 'warning',
    kind: 'text',
    description: 'Warnings about the whole run: it is suspect, the data is simulated',
    value: (row) => row.warning,
  },
];

/** Name, kind and meaning of each column, for the documentation. */
export const destinationColumnNotes = () => columnNotes(destinationColumns);

export interface DestinationCounts {
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
      const sum = sums.get(key) ?? { date, source: now.source, counts: { exact: 0, host_only: 0, hidden: 0 } };
      sums.set(key, sum);
      for (const urlId of now.urlIds) sum.counts[sites.destinationOf(urlId)] += 1;
    },
    rows: (facts) => sortedEntries(sums).map(([, { date, source, counts }]) => ({ ...facts, date, source, counts })),
  };
}

export function destinationsCsv(rows: readonly DestinationRow[], options?: CsvOptions): Generator<string> {
  return csvChunks(destinationColumns, rows, options);
}
