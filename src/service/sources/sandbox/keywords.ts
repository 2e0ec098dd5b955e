// The keywords of the invented world: their topics, the keywords around them, and their metrics.

import { competitionLevel, type Intent, type KeywordMetrics, keywordKey } from '../../model/results/keyword-data.ts';
import type { MetricsRequest } from '../../model/source.ts';
import { below, derive, exponential, hashText, normal, unit } from './random.ts';

/** How many groups of sites the world has; a keyword's topic decides which group competes for it. */
export const nicheCount = 64;

/** Everything that depends on the keyword's words alone. */
export interface Topic {
  /** Name of a known topic, or null: then the head word names it. */
  readonly name: string | null;
  /** 0 to nicheCount - 1. */
  readonly niche: number;
  /** Keywords of the same topic, as people type them, the most searched first; empty for an unknown topic. */
  readonly keywords: readonly string[];
}

/** Words that name a topic, and its keywords, the most searched first. */
const topicTexts: Readonly<Record<string, readonly [words: string, keywords: string]>> = {
  running: [
    'run running runner runners marathon jogging trail sneaker sneakers trainers shoe shoes 5k 10k laufschuhe zapatillas',
    `running shoes, trail shoes, trail running shoes, marathon training plan, half marathon training plan,
    best running shoes, running shoes for women, running shoes for men, running shoes for flat feet,
    marathon shoes, carbon plate running shoes, running socks, running shorts, running jacket, running watch,
    running belt, couch to 5k, 10k training plan, 5k training plan, how to run faster, how to start running,
    running pace calculator, barefoot running shoes, gps running watch, waterproof running shoes,
    waterproof trail running shoes, how often to replace running shoes, how to choose trail shoes,
    windproof running jacket, headlamp for running, fell running shoes, waterproof trail shoes,
    wide running shoes, stability running shoes, cushioned running shoes, racing flats, track spikes,
    running shoe store, running shoes sale, cheap running shoes, ultramarathon training plan,
    marathon pace chart, sneakers`,
  ],
  outdoor: [
    'hiking hike camping tent tents backpack backpacks backpacking outdoor climbing boots sleeping kayak ski',
    `hiking boots, hiking shoes, hiking backpack, camping tent, sleeping bag, sleeping pad, camping stove,
    trekking poles, rain jacket, headlamp, water filter, climbing shoes, climbing harness, day hikes near me,
    camping checklist, ultralight tent, backpacking meals, hiking socks, winter boots, fleece jacket,
    best hiking boots, waterproof hiking boots, lightweight hiking boots, hiking boots vs trail shoes,
    hydration vest, backpack 30 litres, waterproof jacket`,
  ],
  roofing: [
    'roof roofing ridge tile tiles slate slates gutter chimney',
    `ridge tiles, roof tiles, reclaimed ridge tiles, reclaimed roof tiles, chimney pots, roof slates`,
  ],
  software: [
    'software app apps crm saas api cloud hosting code coding',
    `crm software, project management software, accounting software, invoice app, web hosting, cloud storage,
    email marketing software, time tracking app, help desk software, rank tracker, keyword research tool,
    website builder`,
  ],
  food: [
    'recipe recipes cook cooking coffee pizza bread cake dinner',
    `banana bread recipe, pizza dough recipe, coffee maker, espresso machine, sourdough starter,
    easy dinner recipes, chocolate cake recipe, coffee beans, coffee grinder, meal prep ideas`,
  ],
  travel: [
    'hotel hotels flight flights travel trip holiday beach resort',
    `cheap flights, hotels near me, beach hotels, city breaks, travel insurance, all inclusive resorts,
    last minute holidays, train tickets, car hire, packing list`,
  ],
  money: [
    'insurance loan loans mortgage credit bank tax invest savings',
    `car insurance, home insurance, mortgage calculator, personal loan, credit card comparison, savings account,
    tax calculator, life insurance quotes`,
  ],
  health: [
    'vitamin yoga diet sleep pain doctor dentist therapy fitness workout',
    `dentist near me, yoga mat, home workout plan, vitamin d dosage, back pain exercises, protein powder,
    how to sleep better, keto diet plan`,
  ],
};

const knownTopics = Object.entries(topicTexts).map(([name, [words, keywords]], niche) => ({
  name,
  niche,
  words: words.split(' '),
  keywords: keywords.split(/,\s+/u),
}));
const topicOfWord = new Map(knownTopics.flatMap((topic) => topic.words.map((word) => [word, topic] as const)));

/** Words of the invented language, `zzq...`, mean nothing: a keyword made of them has no page and no metrics. */
export function isNonsense(normalized: string): boolean {
  return normalized.split(' ').every((word) => word.startsWith('zzq'));
}

/**
 * The topic of a normalized keyword: the known topic of its last known word, else a niche named by its longest word.
 */
export function findTopic(normalized: string): Topic {
  const words = normalized.match(/[\p{L}\p{N}]+/gu) ?? [normalized];
  const known = topicOfWord.get(words.findLast((word) => topicOfWord.has(word)) ?? '');
  if (known !== undefined) return known;
  const head = words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
  const niche = knownTopics.length + below(derive(hashText(head), 7), nicheCount - knownTopics.length);
  return { name: null, niche, keywords: [] };
}

const prefixes =
  `best, cheap, top, buy, used, new, women's, men's, kids, professional, online, local, affordable, premium, vintage,
    discount, how to choose, what are, where to buy, types of`.split(/,\s+/u);
const suffixes =
  `near me, reviews, sale, online, guide, for beginners, for women, for men, for kids, uk, usa, price, cost,
    comparison, brands, size chart, tips, ideas, pictures, accessories, repair, rental, store, outlet, deals,
    amazon alternatives, forum, questions, history, meaning, vs, under 50, under 100, wholesale, delivery`.split(
    /,\s+/u,
  );

/** Up to `count` other keywords around a keyword: its topic's, then its variants, shortest first. */
function similarKeywords(keyword: string, topic: Topic, count: number): string[] {
  const found = new Set<string>(topic.keywords);
  for (const head of [keyword, ...topic.keywords]) {
    if (found.size > count) break;
    for (const prefix of prefixes) found.add(`${prefix} ${head}`);
    for (const suffix of suffixes) found.add(`${head} ${suffix}`);
  }
  for (const prefix of prefixes) {
    if (found.size > count) break;
    for (const suffix of suffixes) found.add(`${prefix} ${keyword} ${suffix}`);
  }
  found.delete(keyword);
  return [...found].slice(0, count);
}

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

/** What identifies one list of metrics. */
export interface MetricsQuestion extends MetricsRequest {
  /** Counted from 1970-01. */
  readonly month: number;
}

/** By how much more a keyword is searched in a month than without events. */
type Demand = (keyword: string, month: number) => number;

/**
 * The keyword and up to `limit` - 1 others of its topic, by volume, highest first, unknown volumes last, ties by
 * keyword. Empty where nothing is known of the keyword itself.
 */
export function listMetrics(question: MetricsQuestion, seed: number, demand: Demand = () => 1): KeywordMetrics[] {
  const asked = keywordKey(question.keyword);
  if (isUnknown(asked)) return [];
  const topic = findTopic(asked);
  const count = Math.min(
    question.limit - 1,
    (topic.keywords.length > 0 ? 150 : 30) + below(hashText(asked, seed), 400),
  );
  const pool = similarKeywords(asked, topic, Math.max(count, topic.keywords.length));
  const measured = pool
    .filter((keyword) => !isUnknown(keyword))
    .map((keyword) => measure(keyword, question, seed, demand));
  const others = measured.sort(byVolume).slice(0, count);
  return [...others, { ...measure(asked, question, seed, demand), keyword: question.keyword }].sort(byVolume);
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
function measure(keyword: string, question: MetricsQuestion, seed: number, demand: Demand): KeywordMetrics {
  const key = hashText(`${question.country}\n${question.language}\n${keyword}`, derive(seed, 2));
  const topic = findTopic(keyword);
  const isKnown = (part: number, unknownShare: number) => unit(derive(key, part)) >= unknownShare;
  const competition = isKnown(1, 0.06) ? below(derive(key, 2), 101) : null;
  const related = isKnown(3, 0.12) ? relatedKeywords(keyword, topic, key) : [];
  return {
    keyword,
    search_volume: isKnown(4, 0.03)
      ? stepped(demand(keyword, question.month) * computeVolume(keyword, topic, key, question))
      : null,
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

/** Log-normal around what a keyword of its length has, with a season. */
function computeVolume(keyword: string, topic: Topic, key: number, question: MetricsQuestion): number {
  const words = keyword.split(' ').length;
  const place = topic.keywords.indexOf(keyword);
  const bonus = place < 0 ? 0 : topicBonus * (1 - place / topic.keywords.length);
  const typical = headVolume - perWord * (words - 1) + bonus;
  const season = seasonSwing * Math.sin((2 * Math.PI * (question.month + 12 * unit(derive(key, 10)))) / 12);
  const share = countryShares[question.country] ?? otherCountryShare;
  const above = Math.min(spreadsMax, normal(derive(key, 11)));
  const spread = place < 0 ? volumeSpread : topicSpread;
  return share * Math.exp(typical + spread * above + season);
}

/** In the steps that planners report: two significant digits, tens below 100; under 5 a known nothing. */
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
