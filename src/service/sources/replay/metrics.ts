// Reads recorded keyword metrics: one row per keyword.
import { competitionLevel, type Intent, type KeywordMetrics, keywordKey } from '../../model/results/keyword-data.ts';
import { canonicalCountry, canonicalLanguage } from '../../model/results/locale.ts';
import type { MetricsRequest, MetricsSource } from '../../model/source.ts';
import { type Row, readTable } from './table.ts';

const intents: readonly string[] = ['commercial', 'informational', 'navigational', 'transactional'] satisfies Intent[];

/** Metrics with the market they are for; without one they stand for any. */
interface RecordedMetrics {
  readonly country: string | undefined;
  readonly language: string | undefined;
  readonly metrics: Omit<KeywordMetrics, 'country' | 'language'>;
}

/**
 * Reads recorded metrics: columns keyword, search_volume, cpc, competition, intent, related_keywords (joined by `|` in
 * CSV), country and language; all but the first may be blank. Throws Error naming file and row.
 */
export async function readMetrics(file: string): Promise<MetricsSource> {
  const byKeyword = new Map<string, RecordedMetrics[]>();
  for (const row of await readTable(file, ['keyword'])) {
    const recorded = recordedMetrics(row);
    const key = keywordKey(recorded.metrics.keyword);
    byKeyword.set(key, [...(byKeyword.get(key) ?? []), recorded]);
  }
  return {
    name: 'replay',
    kind: 'replay',
    async fetchMetrics(request) {
      const asked = find(byKeyword, request.keyword, request);
      if (asked === undefined) return [];
      const related = (asked.related_keywords ?? []).map((keyword) => find(byKeyword, keyword, request));
      return [asked, ...related.filter((metrics) => metrics !== undefined)].slice(0, request.limit);
    },
  };
}

function find(
  byKeyword: ReadonlyMap<string, readonly RecordedMetrics[]>,
  keyword: string,
  { country, language }: MetricsRequest,
): KeywordMetrics | undefined {
  const recorded = byKeyword
    .get(keywordKey(keyword))
    ?.findLast((row) => (row.country ?? country) === country && (row.language ?? language) === language);
  return recorded && { ...recorded.metrics, country: country.toLowerCase(), language };
}

function recordedMetrics(row: Row): RecordedMetrics {
  const country = row.text('country');
  const language = row.text('language');
  if (country !== undefined && canonicalCountry(country) === undefined)
    throw row.problem('"country" is not an ISO 3166-1 code');
  if (language !== undefined && canonicalLanguage(language) === undefined)
    throw row.problem('"language" is not a BCP 47 language');
  const intent = row.text('intent')?.toLowerCase();
  if (intent !== undefined && !intents.includes(intent))
    throw row.problem(`"intent" must be one of ${intents.join(', ')}`);
  const competition = row.amount('competition');
  if (competition !== undefined && competition > 100) throw row.problem('"competition" must be 0 to 100');
  const related = row.list('related_keywords');
  const metrics = {
    keyword: row.required('keyword'),
    search_volume: row.amount('search_volume') ?? null,
    cpc: row.amount('cpc') ?? null,
    competition: competition ?? null,
    competition_level: competition === undefined ? null : competitionLevel(competition),
    intent: (intent as Intent | undefined) ?? null,
    related_keywords: related.length === 0 ? null : related,
  };
  return {
    country: country === undefined ? undefined : canonicalCountry(country),
    language: language === undefined ? undefined : canonicalLanguage(language),
    metrics,
  };
}
