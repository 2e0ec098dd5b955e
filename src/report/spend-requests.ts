// What sources tell of their own bill in spend.csv: requests by what is known of their charge, as they are counted where a page may take several.
import type { CsvColumn } from './csv.ts';

/** Requests that a source was sent. */
export interface SpendRequests {
  readonly charged: number;
  readonly free: number;
  readonly unknown: number;
}

/** What one source sold to a run. */
export interface SourceSpend {
  readonly source: string;
  /** Credits. */
  readonly spent: number;
  readonly unknown: number;
  /** Null where it counts none. */
  readonly requests: SpendRequests | null;
}

interface Counted {
  readonly requests: SpendRequests | null;
}

const column = (name: string, of: keyof SpendRequests, description: string): CsvColumn<Counted> => ({
  name,
  kind: 'number',
  description,
  value: ({ requests }) => requests?.[of] ?? null,
});

/** Empty in lines of anything but a source that counts. */
export const requestColumns: readonly CsvColumn<Counted>[] = [
  column('requests', 'charged', 'Requests that were charged, in lines of a source that counts them, as its bill does'),
  column(
    'requests_unknown',
    'unknown',
    'Those that may have been charged; a page that was lost with its process counts as one',
  ),
  column('requests_free', 'free', 'Those that cost nothing: refused, failed without a charge, or fetched by oneself'),
];
