// Encodes one page's SERP: URL ids in order as varints, features with links. Pure; about 5 bytes per result.

export interface ArchivedPage {
  /** In page order. `place`: position among all elements of this page, 1-based; null if the service did not say. */
  readonly organic: readonly { readonly urlId: number; readonly globalRank: number | null }[];
  /** Position of the last element of the page; null if the service did not say. */
  readonly lastGlobalRank: number | null;
  readonly features: readonly { readonly typeId: number; readonly urlIds: readonly number[] }[];
  /** Unpaid local results, in order; absent: none. */
  readonly places?: readonly ArchivedPlace[];
}

export interface ArchivedPlace {
  readonly placeId: number;
  /** 0 to 5, in tenths. */
  readonly rating: number | null;
  readonly reviews: number | null;
}

/**
 * Layout 1: version, count of organic results, per result its URL id and absolute position (0: unknown), the highest
 * position on the page (0: unknown), count of features, per feature its type id, link count and URL ids. On pages with
 * local results (since schema 35) their count, and for each its place id, rating in tenths and reviews, both plus one
 * (0: unknown).
 */
const version = 1;

export function encodePage(page: ArchivedPage): Buffer {
  const bytes: number[] = [];
  const write = (value: number): void => {
    let rest = value;
    while (rest >= 0x80) {
      bytes.push((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    bytes.push(rest);
  };
  write(version);
  write(page.organic.length);
  for (const { urlId, globalRank } of page.organic) {
    write(urlId);
    write(globalRank ?? 0);
  }
  write(page.lastGlobalRank ?? 0);
  write(page.features.length);
  for (const { typeId, urlIds } of page.features) {
    write(typeId);
    write(urlIds.length);
    for (const urlId of urlIds) write(urlId);
  }
  const { places = [] } = page;
  if (places.length > 0) write(places.length);
  for (const { placeId, rating, reviews } of places) {
    write(placeId);
    write(rating === null ? 0 : rating + 1);
    write(reviews === null ? 0 : reviews + 1);
  }
  return Buffer.from(bytes);
}

/** Throws where the bytes are no archived page of a known version. */
export function decodePage(bytes: Uint8Array): Required<ArchivedPage> {
  const numbers = readNumbers(bytes);
  const organic = Array.from({ length: numbers.next() }, () => ({
    urlId: numbers.next(),
    globalRank: numbers.next() || null,
  }));
  const lastGlobalRank = numbers.next() || null;
  const features = Array.from({ length: numbers.next() }, () => ({
    typeId: numbers.next(),
    urlIds: numbers.list(numbers.next()),
  }));
  const places = Array.from({ length: numbers.isAtEnd ? 0 : numbers.next() }, () => ({
    placeId: numbers.next(),
    rating: lessOne(numbers.next()),
    reviews: lessOne(numbers.next()),
  }));
  return { organic, lastGlobalRank, features, places };
}

function lessOne(value: number): number | null {
  return value === 0 ? null : value - 1;
}

/** How many organic results an archived page has. */
export function organicCount(bytes: Uint8Array): number {
  return readNumbers(bytes).next();
}

/** The contents of a page without positions: the half that most readers need. */
interface ShownPage {
  /** Organic results in the order of the page. */
  readonly urlIds: readonly number[];
  readonly features: ArchivedPage['features'];
}

/** Like `decodePage`, without positions. */
export function decodeShown(bytes: Uint8Array): ShownPage {
  const numbers = readNumbers(bytes);
  const urlIds = organicIds(numbers);
  numbers.next();
  const features: { readonly typeId: number; readonly urlIds: readonly number[] }[] = [];
  for (let left = numbers.next(); left > 0; left -= 1) {
    const typeId = numbers.next();
    features.push({ typeId, urlIds: numbers.list(numbers.next()) });
  }
  return { urlIds, features };
}

/** The organic results in the order of the page, alone. */
export function decodeOrganic(bytes: Uint8Array): number[] {
  return organicIds(readNumbers(bytes));
}

function organicIds(numbers: Numbers): number[] {
  const urlIds: number[] = [];
  for (let left = numbers.next(); left > 0; left -= 1) {
    urlIds.push(numbers.next());
    numbers.next();
  }
  return urlIds;
}

/** Bytes that are no archived page of a known version. */
export class UnreadableArchive extends Error {
  override readonly name = 'UnreadableArchive';
}

/** Stands behind the version. */
function readNumbers(bytes: Uint8Array): Numbers {
  const numbers = new Numbers(bytes);
  const found = numbers.next();
  if (found !== version)
    throw new UnreadableArchive(`the archived page has version ${found}; this program knows ${version}`);
  return numbers;
}

class Numbers {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  next(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new UnreadableArchive('the archived page ends too early');
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  list(length: number): number[] {
    const list: number[] = [];
    for (let left = length; left > 0; left -= 1) list.push(this.next());
    return list;
  }
}
