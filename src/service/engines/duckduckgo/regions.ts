// The regions of DuckDuckGo (its own list, March 2026). Other markets cannot be requested.
import { ServiceError } from '../../model/errors.ts';
import type { ShownMarket } from '../page/other-market.ts';

const regions =
  'ar-es au-en at-de be-fr be-nl br-pt bg-bg ca-en ca-fr ct-ca cl-es cn-zh co-es hr-hr cz-cs dk-da ee-et fi-fi fr-fr de-de gr-el hk-tzh hu-hu is-is in-en id-en ie-en il-en it-it jp-jp kr-kr lv-lv lt-lt my-en mx-es nl-nl nz-en no-no pk-en pe-es ph-en pl-pl pt-pt ro-ro ru-ru xa-ar sg-en sk-sk sl-sl za-en es-ca es-es se-sv ch-de ch-fr tw-tzh th-en tr-tr us-en us-es ua-uk uk-en vn-en'.split(
    ' ',
  );

/** Countries with another code than in ISO 3166. */
const countryNames: ReadonlyMap<string, string> = new Map([
  ['GB', 'uk'],
  ['SA', 'xa'],
  ['SI', 'sl'],
]);
/** Languages with another code than in BCP 47. */
const languageNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['zh', ['zh', 'tzh']],
  ['nb', ['no']],
  ['ja', ['jp']],
  ['ko', ['kr']],
]);

/** The countries of the regions, by ISO 3166. */
export const regionCountries: readonly string[] = [
  ...new Set(regions.map((region) => countryOf(region.split('-')[0] ?? '').toUpperCase())),
].filter((country) => country !== 'CT');

/** `CT` is Catalonia. */
function countryOf(name: string): string {
  return [...countryNames].find(([, each]) => each === name)?.[0] ?? name;
}

function namesOf(language: string): readonly string[] {
  const primary = language.split('-')[0]?.toLowerCase() ?? '';
  return languageNames.get(primary) ?? [primary];
}

/**
 * The market of a region. `wt-wt`, all regions, names no country. The language counts where the country has a region
 * with the requested one, too.
 */
export function marketOf(region: string, asked = ''): ShownMarket {
  const [name = '', written = ''] = region.split('-');
  const country = countryOf(name);
  const language = [...languageNames].find(([, each]) => each.includes(written))?.[0] ?? written;
  const isOffered = namesOf(asked).some((each) => regions.includes(`${name}-${each}`));
  return { countries: [country], languages: isOffered ? [language] : [] };
}

/**
 * The region of a market: with its language if the engine has it, else the country's first. Throws INVALID_REQUEST if
 * the engine does not have the country.
 */
export function regionCode(country: string, language: string): string {
  const name = countryNames.get(country) ?? country.toLowerCase();
  const ofCountry = regions.filter((region) => region.startsWith(`${name}-`));
  const names = namesOf(language);
  const found = ofCountry.find((region) => names.includes(region.slice(name.length + 1))) ?? ofCountry[0];
  if (found !== undefined) return found;
  throw new ServiceError('INVALID_REQUEST', `DuckDuckGo has no region for ${country}.`, {
    hint: 'Track another country, or this one with another source.',
  });
}
