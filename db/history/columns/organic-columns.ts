// The URLs that rank in the checks of one project in one run as compressed columns: their layout, and their coding.
import { differences, joined, reader, sums, unpackBytes } from './column-bytes.ts';

/** By check. */
export interface OrganicColumns {
  readonly searchIds: Int32Array;
  /** Results of each check, on its pages up to the first that is missing. */
  readonly counts: Uint16Array;
  /** Of all checks in a row, each by rank. */
  readonly urlIds: Int32Array;
}

/** The bytes of the columns, not compressed. */
export function organicBytes({ searchIds, counts, urlIds }: OrganicColumns): Buffer {
  return joined(Int32Array.of(urlIds.length), differences(searchIds.slice()), urlIds, counts);
}

/** Throws for bytes that are not compressed columns. */
export function unpackOrganic(packed: Uint8Array, rows: number): OrganicColumns {
  const take = reader(unpackBytes(packed));
  const [total = 0] = take(Int32Array, 1);
  return { searchIds: sums(take(Int32Array, rows)), urlIds: take(Int32Array, total), counts: take(Uint16Array, rows) };
}
