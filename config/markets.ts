// Which countries and languages exist, and how their codes are spelled. Whether a source serves them is the source's business.

/** Officially assigned ISO 3166-1 alpha-2 codes. */
const countries = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK ' +
    'CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS ' +
    'GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV ' +
    'LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM ' +
    'PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR ' +
    'TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
);

/** Codes people write by mistake, and the one they mean. */
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
  const code = written.toUpperCase();
  if (countries.has(code)) return undefined;
  const meant = countryMistakes.get(code);
  return `"${written}" is no ISO 3166-1 country code${meant === undefined ? ' (two letters, such as US, GB, DE)' : `; did you mean ${meant}?`}`;
}

/** The spelling in use: upper case. */
export function countryCode(written: string): string {
  return written.toUpperCase();
}

let languageNames: Intl.DisplayNames | undefined;

/** What is wrong with a written language; undefined where it is a known primary language with an optional country. */
export function languageComplaint(written: string): string | undefined {
  const match = /^([a-z]{2,3})(?:-([a-z]{2}))?$/i.exec(written);
  if (match?.[1] === undefined) return `"${written}" is no language code (such as en, de, pt-BR)`;
  const primary = match[1].toLowerCase();
  languageNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  if (languageNames.of(primary) === undefined) {
    const meant = languageMistakes.get(primary);
    return `"${written}" is no known language${meant === undefined ? ' (such as en, de, pt-BR)' : `; did you mean ${meant}?`}`;
  }
  return match[2] === undefined ? undefined : countryComplaint(match[2]);
}

/** The spelling in use: `en`, `pt-BR`. */
export function languageCode(written: string): string {
  const [primary = '', region] = written.split('-');
  return region === undefined ? primary.toLowerCase() : `${primary.toLowerCase()}-${region.toUpperCase()}`;
}
