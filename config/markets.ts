// Validates and normalises country and language codes.
import { canonicalCountry, canonicalLanguage } from '../src/service/index.ts';

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
  return `"${written}" is no ISO 3166-1 country code${remedy}`;
}

/** Normalises a country code to upper case. Unknown text is returned unchanged. */
export function countryCode(written: string): string {
  return canonicalCountry(written) ?? written;
}

let languageNames: Intl.DisplayNames | undefined;

/** What is wrong with a language; undefined: a known primary language with an optional region. */
export function languageComplaint(written: string): string | undefined {
  const [primary = '', region] = canonicalLanguage(written)?.split('-') ?? [];
  languageNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  if (primary === '' || languageNames.of(primary) === undefined) {
    const meant = languageMistakes.get(written.toLowerCase());
    const remedy = meant === undefined ? ' (such as en, de, pt-BR)' : `; did you mean ${meant}?`;
    return `"${written}" is no language code${remedy}`;
  }
  return region === undefined || /\d/.test(region) ? undefined : countryComplaint(region);
}

/** Normalises a language code: `en`, `pt-BR`. Unknown text is returned unchanged. */
export function languageCode(written: string): string {
  return canonicalLanguage(written) ?? written;
}
