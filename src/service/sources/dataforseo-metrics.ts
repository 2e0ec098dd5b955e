// DataForSEO keyword metrics from Google's planner, by task: related keywords, usually with the requested one.
import type * as z from 'zod';
import { keywordKey } from '../model/results/keyword-data.ts';
import { type Fields, present, ShapeError } from '../net/fields.ts';
import { login, password, probe } from './dataforseo/account.ts';
import { complaint, findTask, nothingFound, readCharge, refusals } from './dataforseo/answer.ts';
import { authorization } from './dataforseo/task.ts';
import { defineMetrics, metricsExample } from './vendor-kit/metrics/metrics.ts';
import { type KnownMetrics, namedIn, orderMetrics, roomIn } from './vendor-kit/metrics/metrics-list.ts';
import { plannerLevels, plannerMarket, plannerTakes } from './vendor-kit/metrics/planner.ts';
import { vendorOptions } from './vendor-kit/pages/define.ts';
import { numberAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'dataforseo';

const options = vendorOptions.omit({ apiKey: true }).extend({ login, password });

export const vendor = defineMetrics<z.output<typeof options>>({
  name,
  facts: {
    title: 'DataForSEO',
    prices: [
      {
        unit: 'micro_usd',
        perRequest: 75_000,
        perWanted: 0,
        perRelated: 0,
        unitMicroUsd: { least: 1, most: 1 },
        asOf: '2026-08',
      },
    ],
    failureCharge: 'unknown',
    failureRule: 'Each answer states the cost of its task.',
    knows: ['search_volume', 'cpc', 'competition', 'related_keywords'],
    keywordsMax: 1000,
    // twelve calls a minute
    rate: { requestsPerSecond: 0.2, concurrency: 4 },
    note: 'A task costs the same for one keyword and for thousands. A keyword that is not among its own related keywords takes a second task.',
    example: metricsExample(name, { login: 'DATAFORSEO_LOGIN', password: 'DATAFORSEO_PASSWORD' }),
  },
  options,
  baseUrl: 'https://api.dataforseo.com',
  keysOf: ({ login, password }) => [`${login}:${password}`],
  complaint,
  nothingFound,
  refusals,
  outOfBandError: (_headers, _status, root) => ({ charged: root === undefined ? undefined : readCharge(root) }),
  // up to 20,000 keywords, each with its months
  sizes: { bytesMax: 96 * 1024 * 1024, valuesMax: 3_000_000 },
  takes: plannerTakes,
  async fetch(asked, ask) {
    const { location, languageCode } = plannerMarket(asked, name);
    const common = { location_code: location, language_code: languageCode, search_partners: false };
    const carryOut = async (path: string, keywords: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const json = [{ keywords, ...common, ...more }];
      const root = await ask((key) => ({ method: 'POST', path: `${base}${path}`, headers: authorization(key), json }));
      const rows = objectsAt(findTask(root), 'result');
      const isOther = (row: Fields) =>
        (numberAt(row, 'location_code') ?? location) !== location ||
        (wordsAt(row, 'language_code') ?? languageCode).toLowerCase() !== languageCode.toLowerCase();
      if (rows.some(isOther)) throw new ShapeError('a row is of another country or language');
      return rows.flatMap(toMetrics);
    };
    const measure = () => carryOut('/search_volume/live', namedIn(asked));
    const relatives = () => carryOut('/keywords_for_keywords/live', [asked.keyword], { sort_by: 'relevance' });
    if (asked.wanted.length > 0)
      return orderMetrics(asked, await measure(), roomIn(asked) < 1 ? [] : await relatives());
    const ideas = asked.limit === 1 ? [] : await relatives();
    const isAmong = ideas.some(({ keyword }) => keywordKey(keyword) === keywordKey(asked.keyword));
    return orderMetrics(asked, isAmong ? ideas : await measure(), ideas);
  },
  probe,
});

const base = '/v3/keywords_data/google_ads';

function toMetrics(row: Fields): KnownMetrics[] {
  const keyword = wordsAt(row, 'keyword');
  if (keyword === undefined) return [];
  return [
    present<KnownMetrics>({
      keyword,
      search_volume: numberAt(row, 'search_volume'),
      cpc: numberAt(row, 'cpc'),
      // `competition` is a word here, and a fraction in other parts of the same vendor
      competition: numberAt(row, 'competition_index'),
      competition_level: plannerLevels.get(wordsAt(row, 'competition')),
    }),
  ];
}
