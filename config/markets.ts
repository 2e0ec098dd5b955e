// What is wrong with a written country or language, in words. Which codes exist is the service's to say.
import { canonicalCountry, canonicalLanguage } from '../src/service/index.ts';

/** Codes people write by mistake, and the ones they mean. */
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

/** What is wrong with a written country code; undefined where it is an ISO 3166-1 code in any case. */
export function countryComplaint(written: string): string | undefined {
  if (canonicalCountry(written) !== undefined) return undefined;
  const meant = countryMistakes.get(written.toUpperCase());
  const remedy = meant === undefined ? ' (two letters, such as US, GB, DE)' : `; did you mean ${meant}?`;
  return `"${written}" is no ISO 3166-1 country code${remedy}`;
}

/** The spelling in use: upper case. What is no country code is left as it is. */
export function countryCode(written: string): string {
  return canonicalCountry(written) ?? written;
}

let languageNames: Intl.DisplayNames | undefined;

/** What is wrong with a written language; undefined where it is a known primary language with an optional region. */
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

/** The spelling in use: `en`, `pt-BR`. What is no language code is left as it is. */
export function languageCode(written: string): string {
  return canonicalLanguage(written) ?? written;
}
