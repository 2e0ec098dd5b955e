// The complete checks of one project in one run as compressed columns: their layout, and their coding.
import { zstdCompressSync } from 'node:zlib';
import { differences, freeBytes, joined, reader, sums, type Texts, textColumn, unpackBytes } from './column-bytes.ts';

/** The name of the feature whose links are kept. */
export const overviewType = 'ai_overview';
/** In place of a number of links: the archived page has no overview. */
const notArchived = -1;

export interface CheckEntry {
  readonly searchId: number;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  /** Pages of an earlier check were used again. */
  readonly isReused: boolean;
  readonly source: string;
  /** Names joined by `|`. */
  readonly features: string;
  /** What an AI overview links to; null: none is archived. Absent: the check shows none. */
  readonly overview?: readonly number[] | null;
}

/** By row. With `using`, their memory is free when its block ends. */
export interface CheckColumns extends Disposable {
  /** Ascending. */
  readonly searchIds: Int32Array;
  readonly checkedAt: Float64Array;
  /** 1: pages of an earlier check were used again. */
  readonly reused: Uint8Array;
  readonly sources: Texts;
  readonly features: Texts;
}

/** Sums over the rows, stored beside them so that they are read without unpacking. */
export interface CheckSums {
  readonly rows: number;
  /** The source of all rows; null: there are several, or no rows. */
  readonly source: string | null;
  /** Rows that show an AI overview. */
  readonly shown: number;
  /** Rows that used pages of an earlier check again. */
  readonly reused: number;
  /** UTC milliseconds; null: no rows. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

export interface PackedChecks {
  readonly checks: Buffer;
  /** Null: no check shows an AI overview. */
  readonly overviews: Buffer | null;
}

export function sumChecks(entries: readonly CheckEntry[]): CheckSums {
  const [first] = entries;
  const isOne = entries.every(({ source }) => source === first?.source);
  const sums = { rows: entries.length, source: isOne ? (first?.source ?? null) : null };
  let [shown, reused, firstAt, lastAt] = [0, 0, first?.checkedAt ?? null, first?.checkedAt ?? null];
  for (const { overview, isReused, checkedAt } of entries) {
    if (overview !== undefined) shown += 1;
    if (isReused) reused += 1;
    firstAt = Math.min(firstAt ?? checkedAt, checkedAt);
    lastAt = Math.max(lastAt ?? checkedAt, checkedAt);
  }
  return { ...sums, shown, reused, firstAt, lastAt };
}

/** The bytes of the columns, not compressed. `entries` ascend by search. */
export function checkBytes(entries: readonly CheckEntry[]): PackedChecks {
  const lists = [textColumn(entries.map(({ source }) => source)), textColumn(entries.map(({ features }) => features))];
  const header = Buffer.from(JSON.stringify(lists.map(({ names }) => names)), 'utf8');
  const overviews = entries.flatMap(({ overview }) => (overview === undefined ? [] : [overview]));
  const links = overviews.flatMap((urlIds) => urlIds ?? []);
  return {
    checks: joined(
      Uint32Array.of(header.length),
      header,
      differences(Float64Array.from(entries, ({ checkedAt }) => checkedAt)),
      differences(Int32Array.from(entries, ({ searchId }) => searchId)),
      ...lists.map(({ column }) => column),
      Uint8Array.from(entries, ({ isReused }) => (isReused ? 1 : 0)),
    ),
    overviews:
      overviews.length === 0
        ? null
        : joined(
            Int32Array.of(overviews.length, links.length),
            Int32Array.from(overviews, (urlIds) => urlIds?.length ?? notArchived),
            Int32Array.from(links),
          ),
  };
}

export function packChecks({ checks, overviews }: PackedChecks): PackedChecks {
  return { checks: zstdCompressSync(checks), overviews: overviews === null ? null : zstdCompressSync(overviews) };
}

/** Throws for bytes that are not compressed columns. */
export function unpackChecks(packed: Uint8Array, rows: number): CheckColumns {
  const bytes = unpackBytes(packed);
  const start = Uint32Array.BYTES_PER_ELEMENT + bytes.readUInt32LE();
  const lists = JSON.parse(bytes.toString('utf8', Uint32Array.BYTES_PER_ELEMENT, start)) as string[][];
  // in place of the header, so that numbers begin where their size allows
  const take = reader(bytes.copyWithin(0, start).subarray(0, bytes.length - start));
  const checkedAt = sums(take(Float64Array, rows));
  const searchIds = sums(take(Int32Array, rows));
  const texts = (names: readonly string[] = []): Texts => ({ names, column: take(Uint16Array, rows) });
  const [sources, features] = [texts(lists[0]), texts(lists[1])];
  const reused = take(Uint8Array, rows);
  return { searchIds, checkedAt, sources, features, reused, [Symbol.dispose]: () => freeBytes(bytes) };
}

/** Of each check that shows an AI overview what it links to; null: none is archived. Throws like `unpackChecks`. */
export function unpackOverviews(packed: Uint8Array): (readonly number[] | null)[] {
  const bytes = unpackBytes(packed);
  const take = reader(bytes);
  const [shown = 0, linked = 0] = take(Int32Array, 2);
  const counts = take(Int32Array, shown);
  const links = take(Int32Array, linked);
  let at = 0;
  return Array.from(counts, (count) => {
    if (count === notArchived) return null;
    at += count;
    return [...links.subarray(at - count, at)];
  });
}

/** Whether names of features, joined by `|`, contain that of AI overviews. */
export function hasOverview(features: string): boolean {
  return features.split('|').includes(overviewType);
}
