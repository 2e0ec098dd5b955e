// Reads a provider's keyword data by the specification. An unknown metric is null; a contradictory list is refused.

import type { KeywordDataRequest } from '../core/requests.ts';
import type { CompetitionLevel, Intent, KeywordDataResponse, KeywordMetrics } from '../model/results/keyword-data.ts';
import { canonicalCountry } from '../model/results/locale.ts';
import { Fields, ShapeError } from '../net/fields.ts';

/**
 * Reads the answer to `request`. Throws ShapeError for `success` other than true, a wrong count, another country or
 * language, or another shape.
 */
export function readKeywordData(value: unknown, request: KeywordDataRequest): KeywordDataResponse {
  const root = new Fields(value, 'answer');
  if (root.raw('success') !== true) throw root.problem('success', 'is not true');
  const cost = root.number('cost');
  if (cost === undefined || cost < 0) throw root.problem('cost', 'is not an amount');
  if (root.array('data') === undefined) throw root.problem('data', 'is missing');
  const data = root.list('data', (item) => readMetrics(item, request)) ?? [];
  if (root.integer('result_count') !== data.length) throw root.problem('result_count', 'is not the number of results');
  return { success: true, result_count: data.length, cost, data };
}

const levels: readonly string[] = ['low', 'medium', 'high'] satisfies CompetitionLevel[];
const intents: readonly string[] = ['commercial', 'informational', 'navigational', 'transactional'] satisfies Intent[];

function readMetrics(item: Fields, request: KeywordDataRequest): KeywordMetrics {
  const keyword = item.text('keyword')?.trim() ?? '';
  if (keyword === '') throw item.problem('keyword', 'is missing');
  const country = item.text('country') ?? request.country;
  // a name that is no code, such as "uk", says nothing
  if ((canonicalCountry(country) ?? request.country) !== request.country) {
    throw item.problem('country', 'is not the requested one');
  }
  const language = item.text('language') ?? request.language;
  if (primaryLanguage(language) !== primaryLanguage(request.language))
    throw item.problem('language', 'is not the requested one');
  const competition = amount(item, 'competition', 100);
  const volume = amount(item, 'search_volume');
  return {
    keyword,
    search_volume: volume === null ? null : Math.round(volume),
    cpc: amount(item, 'cpc'),
    competition: competition === null ? null : Math.round(competition),
    competition_level: readLabel<CompetitionLevel>(item, 'competition_level', levels),
    country: country.toLowerCase(),
    language,
    intent: readLabel<Intent>(item, 'intent', intents),
    related_keywords: readRelated(item),
  };
}

function primaryLanguage(language: string): string | undefined {
  return language.split(/[-_]/, 1)[0]?.toLowerCase();
}

function amount(item: Fields, name: string, most = Number.MAX_SAFE_INTEGER): number | null {
  const value = item.number(name);
  if (value === undefined) return null;
  if (value < 0 || value > most) throw item.problem(name, 'is out of range');
  return value;
}

/** A label of the specification; an unknown one is ignored. */
function readLabel<T extends string>(item: Fields, name: string, labels: readonly string[]): T | null {
  const label = item.text(name)?.toLowerCase();
  return label !== undefined && labels.includes(label) ? (label as T) : null;
}

function readRelated(item: Fields): string[] | null {
  const related = item.array('related_keywords') ?? [];
  if (related.length === 0) return null;
  return related.map((keyword) => {
    if (typeof keyword !== 'string') throw new ShapeError('a related keyword is not a string');
    return keyword;
  });
}
