// The rankings of one target in one run as compressed columns: their layout, and their coding.
import { zstdCompressSync } from 'node:zlib';
import { differences, freeBytes, joined, reader, sums, type Texts, textColumn, unpackBytes } from './column-bytes.ts';

/** A ranking with its check. */
export interface ColumnEntry {
  readonly searchId: number;
  readonly checkId: number;
  /** See src/tracker/rank-codes.ts. */
  readonly code: number;
  /** Pages, of the ranking. */
  readonly depth: number;
  /** Pages, of the check. */
  readonly checkDepth: number;
  readonly page: number | null;
  readonly urlId: number | null;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  readonly source: string;
  readonly features: string;
  readonly ownedFeatures: string;
}

/** The searches of a run's ranks: runs mostly have the same. */
export interface RankedSearches {
  /** Ascending. */
  readonly searchIds: Int32Array;
  /** The bytes that they were read from. */
  readonly idBytes: Buffer;
}

/** In the order of the searches. With `using`, the memory of the codes is free when its block ends. */
export interface Ranks extends RankedSearches, Disposable {
  readonly codes: Uint16Array;
}

/** With `using`, the memory of all columns is free when its block ends. */
export interface RankDetails extends Disposable {
  readonly checkIds: Float64Array;
  readonly depths: Uint16Array;
  readonly checkDepths: Uint16Array;
  /** 0: none. */
  readonly pages: Uint16Array;
  /** 0: none. */
  readonly urlIds: Int32Array;
  readonly checkedAt: Float64Array;
  /** Texts by the number in the column. */
  readonly sources: Texts;
  readonly features: Texts;
  readonly ownedFeatures: Texts;
}

export interface PackedColumns {
  readonly ranks: Buffer;
  readonly details: Buffer;
}

/** The bytes of the columns, not compressed. `entries` ascend by search. */
export function columnBytes(entries: readonly ColumnEntry[]): PackedColumns {
  const lists = [
    textColumn(entries.map(({ source }) => source)),
    textColumn(entries.map(({ features }) => features)),
    textColumn(entries.map(({ ownedFeatures }) => ownedFeatures)),
  ];
  const header = Buffer.from(JSON.stringify(lists.map(({ names }) => names)), 'utf8');
  return {
    ranks: joined(
      differences(Int32Array.from(entries, ({ searchId }) => searchId)),
      Uint16Array.from(entries, ({ code }) => code),
    ),
    details: joined(
      Uint32Array.of(header.length),
      header,
      // ids and moments rise from row to row: their differences compress to next to nothing
      differences(Float64Array.from(entries, ({ checkId }) => checkId)),
      differences(Float64Array.from(entries, ({ checkedAt }) => checkedAt)),
      Int32Array.from(entries, ({ urlId }) => urlId ?? 0),
      Uint16Array.from(entries, ({ depth }) => depth),
      Uint16Array.from(entries, ({ checkDepth }) => checkDepth),
      Uint16Array.from(entries, ({ page }) => page ?? 0),
      ...lists.map(({ column }) => column),
    ),
  };
}

export function packColumns({ ranks, details }: PackedColumns): PackedColumns {
  return { ranks: zstdCompressSync(ranks), details: zstdCompressSync(details) };
}

/** `like`: searches that may be the same, and are shared then. Throws for bytes that are not compressed columns. */
export function unpackRanks(packed: Uint8Array, rows: number, like?: RankedSearches): Ranks {
  const bytes = unpackBytes(packed);
  const take = reader(bytes);
  const ids = take(Int32Array, rows);
  const codes = take(Uint16Array, rows);
  const idBytes = bytes.subarray(0, ids.byteLength);
  const { searchIds, idBytes: kept } = like?.idBytes.equals(idBytes)
    ? like
    : { searchIds: sums(ids.slice()), idBytes: Buffer.from(idBytes) };
  return { searchIds, idBytes: kept, codes, [Symbol.dispose]: () => freeBytes(bytes) };
}

/** Throws for bytes that are not compressed columns. */
export function unpackDetails(packed: Uint8Array, rows: number): RankDetails {
  const bytes = unpackBytes(packed);
  const start = Uint32Array.BYTES_PER_ELEMENT + bytes.readUInt32LE();
  const lists = JSON.parse(bytes.toString('utf8', Uint32Array.BYTES_PER_ELEMENT, start)) as string[][];
  // in place of the header, so that numbers begin where their size allows
  const take = reader(bytes.copyWithin(0, start).subarray(0, bytes.length - start));
  const checkIds = sums(take(Float64Array, rows));
  const checkedAt = sums(take(Float64Array, rows));
  const urlIds = take(Int32Array, rows);
  const depths = take(Uint16Array, rows);
  const checkDepths = take(Uint16Array, rows);
  const pages = take(Uint16Array, rows);
  const texts = (names: readonly string[] = []): Texts => ({ names, column: take(Uint16Array, rows) });
  const [sources, features, ownedFeatures] = [texts(lists[0]), texts(lists[1]), texts(lists[2])];
  const columns = { checkIds, checkedAt, urlIds, depths, checkDepths, pages, sources, features, ownedFeatures };
  return { ...columns, [Symbol.dispose]: () => freeBytes(bytes) };
}
