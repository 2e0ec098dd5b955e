// Country codes by English name. `UK` means GB.

/** Common names that the runtime does not know. */
const otherNames: readonly (readonly [name: string, code: string])[] = [
  ['usa', 'US'],
  ['united states of america', 'US'],
  ['great britain', 'GB'],
  ['turkey', 'TR'],
  ['czech republic', 'CZ'],
  ['ivory coast', 'CI'],
  ['swaziland', 'SZ'],
  ['east timor', 'TL'],
  ['burma', 'MM'],
  ['palestine', 'PS'],
  ['macedonia', 'MK'],
  ['viet nam', 'VN'],
  ['russian federation', 'RU'],
  ['democratic republic of the congo', 'CD'],
  ['republic of the congo', 'CG'],
];
let codesByName: ReadonlyMap<string, string> | undefined;

/** The ISO 3166-1 code of a code or an English country name; null: unknown. */
export function parseCountry(written: string): string | null {
  if (/^[a-z]{2}$/i.test(written)) return written.toUpperCase() === 'UK' ? 'GB' : written.toUpperCase();
  codesByName ??= new Map([...namedCountries(), ...otherNames]);
  return codesByName.get(plainName(written)) ?? null;
}

/** Codes by long and short name: `Hong Kong` is a short one. */
function* namedCountries(): Generator<readonly [string, string]> {
  const styles = (['long', 'short'] as const).map(
    (style) => new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' }),
  );
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    // obsolete codes have the name of their successor
    if (new Intl.Locale(`und-${code}`).region !== code) continue;
    for (const names of styles) {
      const name = names.of(code);
      if (name !== undefined) yield [plainName(name), code];
    }
  }
}

/** Normalises a country name: `Saint Kitts and Nevis`, `St. Kitts & Nevis`, `Myanmar [Burma]`, `Côte d’Ivoire`. */
function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[([].*$/s, '')
    .replaceAll('&', 'and')
    .replace(/\bst\./g, 'saint')
    .replaceAll('’', "'")
    .trim();
}
