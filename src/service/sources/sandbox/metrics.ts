// Keyword metrics of the invented world: a keyword has the same numbers in every list of a month.
import { competitionLevel, type Intent, type KeywordMetrics, keywordKey } from '../../model/results/keyword-data.ts';
import { below, derive, exponential, hashText, normal, unit } from './world/random.ts';
import { findTopic, isNonsense, type Topic } from './world/topics.ts';
import { similarKeywords } from './world/vocabulary.ts';

/** Keyword planners refuse longer keywords; for these nothing is known. */
const wordsMax = 10;
const charactersMax = 80;
const relatedMax = 6;

/** Searches of a country against those of the United States. */
const countryShares: Readonly<Record<string, number>> = {
  US: 1,
  IN: 0.5,
  GB: 0.3,
  DE: 0.28,
  BR: 0.25,
  FR: 0.2,
  CA: 0.14,
  ES: 0.14,
  IT: 0.14,
  AU: 0.1,
  NL: 0.07,
};
const otherCountryShare = 0.04;
/**
 * Logarithm of a typical volume: of the first word, what each further word takes away, and its spread. Fitted to the
 * volumes of the position tracking export that the ranks are calibrated to (368 British keywords, January 2026): the
 * top 1, 5, 10 and 30 % of them have 3,600, 390, 140 and 10 searches or more, 68 % print 0, and the top tenth has 95 %
 * of the volume. The calibration panel has 3,800, 380, 120 and 10, 60 % and 92 % (means of twelve seeds).
 */
const headVolume = 6;
const perWord = 1.35;
const volumeSpread = 2.9;
/** So many spreads above the typical volume at most: some millions for a single word. */
const spreadsMax = 3;
/** Log-volume that the first keyword of a known topic has above others; the last has none. */
const topicBonus = 6.4;
/** Known topics list what people search for: few of their keywords have no searches. */
const topicSpread = 1;
const seasonSwing = 0.25;

const intentWords: readonly (readonly [Intent, RegExp])[] = [
  [
    'navigational',
    /\b(?:login|sign in|acme|globex|initech|contoso|fabrikam|northwind|umbrella)\b|\.(?:com|org|net)\b/u,
  ],
  [
    'transactional',
    /\b(?:buy|cheap|sale|discount|price|near me|deals|order|coupon|store|outlet|wholesale|delivery)\b/u,
  ],
  [
    'informational',
    /\b(?:how|what|why|when|where|plan|guide|tips|ideas|meaning|history|types|recipe|calculator|couch to)\b/u,
  ],
  ['commercial', /\b(?:best|top|review|reviews|vs|comparison|brands|for)\b/u],
];

/** What identifies one list of metrics. Country upper case, month counted from 1970-01. */
export interface MetricsQuestion {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly limit: number;
  readonly month: number;
}

/**
 * The keyword and up to `limit` - 1 others of its topic, by volume, highest first, unknown volumes last, ties by
 * keyword. Empty where nothing is known of the keyword itself.
 */
export function listMetrics(question: MetricsQuestion, seed: number): KeywordMetrics[] {
  const asked = keywordKey(question.keyword);
  if (isUnknown(asked)) return [];
  const topic = findTopic(asked);
  const count = Math.min(
    question.limit - 1,
    (topic.keywords.length > 0 ? 150 : 30) + below(hashText(asked, seed), 400),
  );
  const pool = similarKeywords(asked, topic, Math.max(count, topic.keywords.length));
  const measured = pool.filter((keyword) => !isUnknown(keyword)).map((keyword) => measure(keyword, question, seed));
  const others = measured.sort(byVolume).slice(0, count);
  return [...others, { ...measure(asked, question, seed), keyword: question.keyword }].sort(byVolume);
}

function isUnknown(normalized: string): boolean {
  return isNonsense(normalized) || normalized.length > charactersMax || normalized.split(' ').length > wordsMax;
}

function byVolume(a: KeywordMetrics, b: KeywordMetrics): number {
  const difference = (b.search_volume ?? -1) - (a.search_volume ?? -1);
  if (difference !== 0) return difference;
  return a.keyword < b.keyword ? -1 : Number(a.keyword > b.keyword);
}

/** Metrics of a normalized keyword. Some are unknown, as in any real data set. */
function measure(keyword: string, question: MetricsQuestion, seed: number): KeywordMetrics {
  const key = hashText(`${question.country}\n${question.language}\n${keyword}`, derive(seed, 2));
  const topic = findTopic(keyword);
  const isKnown = (part: number, unknownShare: number) => unit(derive(key, part)) >= unknownShare;
  const competition = isKnown(1, 0.06) ? below(derive(key, 2), 101) : null;
  const related = isKnown(3, 0.12) ? relatedKeywords(keyword, topic, key) : [];
  return {
    keyword,
    search_volume: isKnown(4, 0.03) ? computeVolume(keyword, topic, key, question) : null,
    cpc: isKnown(5, 0.08)
      ? Math.round(100 * Math.min(60, 0.1 + 0.9 * exponential(derive(key, 6)) * (1 + (competition ?? 50) / 50))) / 100
      : null,
    competition,
    competition_level: competition === null ? null : competitionLevel(competition),
    country: question.country.toLowerCase(),
    language: question.language,
    intent: isKnown(7, 0.03) ? chooseIntent(keyword, key) : null,
    related_keywords: related.length > 0 ? related : null,
  };
}

/**
 * Log-normal around what a keyword of its length has, with a season, in the steps that planners report; 0 is a known
 * nothing.
 */
function computeVolume(keyword: string, topic: Topic, key: number, question: MetricsQuestion): number {
  const words = keyword.split(' ').length;
  const place = topic.keywords.indexOf(keyword);
  const bonus = place < 0 ? 0 : topicBonus * (1 - place / topic.keywords.length);
  const typical = headVolume - perWord * (words - 1) + bonus;
  const season = seasonSwing * Math.sin((2 * Math.PI * (question.month + 12 * unit(derive(key, 10)))) / 12);
  const share = countryShares[question.country] ?? otherCountryShare;
  const above = Math.min(spreadsMax, normal(derive(key, 11)));
  const spread = place < 0 ? volumeSpread : topicSpread;
  return stepped(share * Math.exp(typical + spread * above + season));
}

/** Rounds to two significant digits, to tens below 100; under 5 nothing is searched. */
function stepped(volume: number): number {
  if (volume < 5) return 0;
  const step = volume < 100 ? 10 : 10 ** (Math.floor(Math.log10(volume)) - 1);
  return Math.max(10, Math.round(volume / step) * step);
}

function chooseIntent(keyword: string, key: number): Intent {
  const found = intentWords.find(([, words]) => words.test(keyword));
  return found?.[0] ?? (unit(derive(key, 8)) < 0.6 ? 'commercial' : 'informational');
}

function relatedKeywords(keyword: string, topic: Topic, key: number): string[] {
  return similarKeywords(keyword, topic, topic.keywords.length + 20)
    .map((each) => [hashText(each, key), each] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, 2 + below(derive(key, 9), relatedMax - 1))
    .map(([, each]) => each);
}
