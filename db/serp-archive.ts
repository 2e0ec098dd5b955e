// How one page's SERP is kept for years: URL ids in order as varints, and the features with their links. Pure; about 5 bytes a result.
// Form, version 1: version, organics (count, then per result: url id, absolute place on the page or 0), highest place on the page or 0,
// features (count, then per feature: type id, link count, url ids).

export interface ArchivedPage {
  /** In the order of the page. `place`: among all elements of this page, 1-based; null where the service did not tell. */
  readonly organic: readonly { readonly urlId: number; readonly place: number | null }[];
  /** Place of the last element of the page; null where the service did not tell. */
  readonly lastPlace: number | null;
  readonly features: readonly { readonly typeId: number; readonly urlIds: readonly number[] }[];
}

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
  for (const { urlId, place } of page.organic) {
    write(urlId);
    write(place ?? 0);
  }
  write(page.lastPlace ?? 0);
  write(page.features.length);
  for (const { typeId, urlIds } of page.features) {
    write(typeId);
    write(urlIds.length);
    for (const urlId of urlIds) write(urlId);
  }
  return Buffer.from(bytes);
}

/** Throws where the bytes are no archived page of a known version. */
export function decodePage(bytes: Uint8Array): ArchivedPage {
  let at = 0;
  const read = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error('the archived page ends too early');
      at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  };
  const found = read();
  if (found !== version) throw new Error(`the archived page has version ${found}; this program knows ${version}`);
  const organic = Array.from({ length: read() }, () => ({ urlId: read(), place: read() || null }));
  const lastPlace = read() || null;
  const features = Array.from({ length: read() }, () => ({
    typeId: read(),
    urlIds: Array.from({ length: read() }, read),
  }));
  return { organic, lastPlace, features };
}
