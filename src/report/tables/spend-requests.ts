// The request columns of spend.csv: requests by known, unknown and no charge, for sources that count them.
import type { CsvColumn } from '../formats/csv.ts';

/** Requests sent to a source. */
export interface SpendRequests {
  readonly charged: number;
  readonly free: number;
  readonly unknown: number;
}

/** The sales of one source to a run. */
export interface SourceSpend {
  readonly source: string;
  /** Credits. */
  readonly spent: number;
  readonly unknown: number;
  /** Null if it does not count requests. */
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

/** Empty except in the lines of sources that count requests. */
export const requestColumns: readonly CsvColumn<Counted>[] = [
  column('requests', 'charged', 'Charged requests, in lines of a source that counts requests as its bill does'),
  column(
    'requests_unknown',
    'unknown',
    'Requests that may have been charged; a page that was lost with its process counts as one',
  ),
  column('requests_free', 'free', 'Free requests: refused, failed without a charge, or fetched directly'),
];
