// Semrush: keyword metrics as CSV, one database per country. One call for named keywords, one for related ones.
import Papa from 'papaparse';
import type { Intent } from '../model/results/keyword-data.ts';
import { type Fields, ShapeError } from '../net/fields.ts';
import { keyInQuery } from './vendor-kit/client.ts';
import { vendorOptions } from './vendor-kit/define.ts';
import { besideExample } from './vendor-kit/facts.ts';
import { defineMetrics, type KnownMetrics, namedIn, orderMetrics, roomIn } from './vendor-kit/metrics.ts';
import { objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'semrush';

/** An error is one line of text with any HTTP status; its number identifies it. */
const nothingFound = /^ERROR 50\b/;

/** Keyword, searches a month, cost a click, competition, intents. */
const columns = 'Ph,Nq,Cp,Co,In';

/** Most keywords of one call. */
const callMax = 100;

/** Countries with a database of keywords, by the vendor's list of databases, read in 2026-11. */
const countries =
  `AE AF AL AM AO AR AT AU AZ BA BD BE BG BH BN BO BR BS BW BY BZ CA CD CH CL CM CO CR CV CY CZ DE DK DO DZ EC EE EG ES ET
   FI FR GB GE GH GR GT GY HK HN HR HT HU ID IE IL IN IS IT JM JO JP KH KR KW KZ LB LK LT LU LV LY MA MD ME MG MN MT MU MX
   MY MZ NA NG NI NL NO NP NZ OM PA PE PH PK PL PT PY QA RO RS RU SA SE SG SI SK SN SV TH TN TR TT TW UA US UY VE VN ZA ZM
   ZW`.split(/\s+/);

export const vendor = defineMetrics({
  name,
  facts: {
    title: 'Semrush',
    prices: [
      {
        unit: 'credit',
        perRequest: 10,
        perWanted: 10,
        perRelated: 40,
        unitMicroUsd: { least: 50, most: 50 },
        asOf: '2026-11',
      },
    ],
    failureCharge: 'unknown',
    failureRule:
      'API units are charged per line; an error has none. The vendor does not state the charge for an answer without lines.',
    knows: ['search_volume', 'cpc', 'competition', 'intent', 'related_keywords'],
    keywordsMax: 1000,
    rate: { requestsPerSecond: 10, concurrency: 5 },
    countries,
    note: 'Numbers are per country, independent of the language. Of several intents the first counts.',
    example: besideExample('metrics', name, { apiKey: 'SEMRUSH_KEY' }),
  },
  options: vendorOptions,
  baseUrl: 'https://api.semrush.com',
  proof: keyInQuery('key'),
  parse: readText,
  complaint: (root) => wordsAt(root, 'error'),
  nothingFound,
  refusals: [
    { words: /^ERROR (?:70|120|121|122)\b/, means: 'bad_key' },
    { words: /^ERROR 132\b/, means: 'out_of_credits' },
    { words: /^ERROR (?:30|131|134)\b/, means: 'out_of_credits', hint: 'The limit of the plan is used up.' },
    { words: /^ERROR 133\b/, means: 'bad_request', hint: 'The plan has no access to the database of this country.' },
    { words: /^ERROR (?:130|135)\b/, means: 'forbidden', hint: 'The plan has no access to this report of the API.' },
    { words: /^ERROR 429\b|too many requests/i, means: 'throttled' },
    { words: /^ERROR 4\d\b/, means: 'bad_request' },
    { words: /^ERROR \d/, means: 'failed', charged: 'no' },
  ],
  takes: (keyword) => !keyword.includes(';'),
  async fetch(asked, ask) {
    const database = databaseName(asked.country);
    const common = { database, export_columns: columns, export_escape: 1 };
    const report = async (type: string, phrase: string, more: Readonly<Record<string, number>> = {}) => {
      const query = { type, phrase, ...common, ...more };
      const root = await ask({ path: '/', query });
      return objectsAt(root, 'rows').flatMap(toMetrics);
    };
    const named = namedIn(asked);
    const measured: KnownMetrics[] = [];
    for (let at = 0; at < named.length; at += callMax) {
      const phrases = named.slice(at, at + callMax);
      measured.push(...(await report(named.length === 1 ? 'phrase_this' : 'phrase_these', phrases.join(';'))));
    }
    const room = roomIn(asked);
    const related = room < 1 ? [] : await report('phrase_related', asked.keyword, { display_limit: room });
    return orderMetrics(asked, measured, related);
  },
  account: { baseUrl: 'https://www.semrush.com', path: '/users/countapiunits.html', left: ['units'] },
});

/** Databases are named after the domain of the engine in the country. */
function databaseName(country: string): string {
  return country === 'GB' ? 'uk' : country.toLowerCase();
}

/**
 * A table with a head, an error, or the number of units left, as an object. Columns are found by their heads: they come
 * as the vendor likes.
 */
function readText(text: string): unknown {
  const trimmed = text.trim();
  if (/^ERROR \d/.test(trimmed)) return { error: trimmed };
  if (/^\d[\d,]*$/.test(trimmed)) return { units: Number(trimmed.replaceAll(',', '')) };
  const { data, meta, errors } = Papa.parse<Record<string, string>>(trimmed, {
    header: true,
    delimiter: ';',
    skipEmptyLines: true,
  });
  if (errors.length > 0) throw new ShapeError('a row of its table is broken');
  if (meta.fields?.includes('Keyword') !== true || !meta.fields.includes('Search Volume')) {
    throw new ShapeError('it is not a table of keywords');
  }
  return { rows: data };
}

const intents: readonly Intent[] = ['commercial', 'informational', 'navigational', 'transactional'];

function toMetrics(row: Fields): KnownMetrics[] {
  const keyword = wordsAt(row, 'Keyword');
  if (keyword === undefined) return [];
  const competition = readNumber(row, 'Competition');
  const [intent] = (wordsAt(row, 'Intent', 'Intents') ?? '').split(',');
  return [
    {
      keyword,
      search_volume: readNumber(row, 'Search Volume'),
      cpc: readNumber(row, 'CPC'),
      competition: competition === undefined ? undefined : Math.round(competition * 100),
      intent: /^\s*[0-3]\s*$/.test(intent ?? '') ? intents[Number(intent)] : undefined,
    },
  ];
}

/** An empty cell is unknown; anything else must be a number. */
function readNumber(row: Fields, column: string): number | undefined {
  const text = wordsAt(row, column);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw row.problem(column, 'is not a number');
}
