// Where searches are in the columns of a run.

export class SearchPositions {
  /** 0: the search was never made. */
  readonly ids: Int32Array;
  #known: { readonly of: Int32Array; readonly positions: Int32Array } | undefined;

  constructor(ids: Int32Array) {
    this.ids = ids;
  }

  /** Where each search is in an ascending list of ids; -1: it is not. Runs mostly have the same list. */
  in(searchIds: Int32Array): Int32Array {
    const known = this.#known;
    if (known !== undefined && isEqual(known.of, searchIds)) return known.positions;
    const most = searchIds.at(-1) ?? 0;
    const indices = new Int32Array(most + 1).fill(-1);
    for (let index = 0; index < searchIds.length; index += 1) indices[searchIds[index] ?? 0] = index;
    const positions = this.ids.map((id) => (id > 0 && id <= most ? (indices[id] ?? -1) : -1));
    this.#known = { of: searchIds, positions };
    return positions;
  }
}

function isEqual(a: Int32Array, b: Int32Array): boolean {
  return a === b || (a.length === b.length && Buffer.compare(bytesOf(a), bytesOf(b)) === 0);
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
