// Validates and normalises country and language codes.
import { canonicalCountry, canonicalLanguage } from '../../src/service/index.ts';

/** Common wrong codes and the intended ones. */
const countryMistakes = new Map([
  ['UK', 'GB'],
  ['EL', 'GR'],
  ['EN', 'GB'],
  ['JA', 'JP'],
]);
const languageMistakes = new Map([
  ['jp', 'ja'],
  ['cn', 'zh'],
  ['cz', 'cs'],
  ['dk', 'da'],
  ['gr', 'el'],
  ['us', 'en'],
  ['gb', 'en'],
  ['ua', 'uk'],
]);

/** What is wrong with a country code; undefined: nothing. Case does not count. */
export function countryComplaint(written: string): string | undefined {
  if (canonicalCountry(written) !== undefined) return undefined;
  const meant = countryMistakes.get(written.toUpperCase());
  const remedy = meant === undefined ? ' (two letters, such as US, GB, DE)' : `; did you mean ${meant}?`;
  return `"${written}" is not an ISO 3166-1 country code${remedy}`;
}

/** Normalises a country code to upper case. Unknown text is returned unchanged. */
export function countryCode(written: string): string {
  return canonicalCountry(written) ?? written;
}

/** Languages of most markets. The names of all are loaded for others: a third of the time of an empty process. */
const frequentLanguages = new Set(
  'ar bg cs da de el en es fi fr he hi hr hu id it ja ko nl no pl pt ro ru sk sv th tr uk vi zh'.split(' '),
);

let languageNames: Intl.DisplayNames | undefined;

/** What is wrong with a language; undefined: a known primary language with an optional region. */
export function languageComplaint(written: string): string | undefined {
  const [primary = '', region] = canonicalLanguage(written)?.split('-') ?? [];
  if (!isLanguage(primary)) {
    const meant = languageMistakes.get(written.toLowerCase());
    const remedy = meant === undefined ? ' (such as en, de, pt-BR)' : `; did you mean ${meant}?`;
    return `"${written}" is not a language code${remedy}`;
  }
  return region === undefined || /\d/.test(region) ? undefined : countryComplaint(region);
}

function isLanguage(primary: string): boolean {
  if (primary === '' || frequentLanguages.has(primary)) return primary !== '';
  languageNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return languageNames.of(primary) !== undefined;
}

/** Normalises a language code: `en`, `pt-BR`. Unknown text is returned unchanged. */
export function languageCode(written: string): string {
  return canonicalLanguage(written) ?? written;
}
