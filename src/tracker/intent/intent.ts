// Classifies search intent from the words of a keyword, brand names and SERP features, with reasons. Pure.

import { parse } from 'tldts';
import type { Intent } from '../../service/index.ts';
import { rounded, sumOf } from '../figures.ts';
import { addTo, getOrInsert } from '../maps.ts';
import { famousSites, type Strength, wordRules } from './words.ts';

interface FoundPhrase {
  readonly phrase: string;
  readonly intent: Intent;
  readonly weight: number;
}

interface Phrase extends FoundPhrase {
  readonly parts: readonly string[];
  readonly isAtStart: boolean;
}

const gap = '..';
const gapWordsMax = 4;

/** Splits into lower-case words without accents: `Qu'est-ce que c'est?` -> `qu est ce que c est`. */
function tokenize(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/ß/g, 'ss');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** An index of phrases, each with the intent it signals. The syntax is that of words.ts. */
class Phrases {
  /** Phrases by first word, so that few are compared per keyword. Those that begin with a wildcard are under `*`. */
  readonly #byFirst = new Map<string, Phrase[]>();

  constructor(lists: readonly (readonly [text: string, intent: Intent, weight: number])[]) {
    for (const [text, intent, weight] of lists) {
      for (const phrase of text.split(',')) this.#add(phrase.trim(), intent, weight);
    }
  }

  /** Finds phrases. A match uses up its words: in `how much does .. cost`, neither `how` nor `cost` matches again. */
  find(tokens: readonly string[]): FoundPhrase[] {
    const candidates = ['*', ...new Set(tokens)].flatMap((token) => this.#byFirst.get(token) ?? []);
    candidates.sort((a, b) => b.parts.length - a.parts.length || b.weight - a.weight);
    const taken = new Set<number>();
    const found: FoundPhrase[] = [];
    for (const { parts, isAtStart, phrase, intent, weight } of candidates) {
      let indexes: number[] | null = null;
      for (const start of isAtStart ? [0] : tokens.keys()) indexes ??= matchFrom(parts, tokens, start, taken);
      if (indexes === null) continue;
      for (const index of indexes) taken.add(index);
      found.push({ phrase, intent, weight });
    }
    return found;
  }

  #add(phrase: string, intent: Intent, weight: number): void {
    const isAtStart = phrase.startsWith('^');
    const parts = phrase.split(/\s+/).flatMap((word) => (word === gap ? [gap] : splitPattern(word)));
    const [first = ''] = parts;
    const key = first.includes('*') ? '*' : first;
    const there = getOrInsert(this.#byFirst, key, () => []);
    there.push({ phrase: phrase.replace(/^\^/, ''), parts, isAtStart, intent, weight });
  }
}

/** Splits a word of a phrase into tokens and keeps the wildcards. */
function splitPattern(word: string): string[] {
  const tokens = tokenize(word);
  const last = tokens.length - 1;
  return tokens.map((token, index) => {
    const start = index === 0 && word.startsWith('*') ? '*' : '';
    const end = index === last && word.endsWith('*') ? '*' : '';
    return `${start}${token}${end}`;
  });
}

/** The indexes of the words that match the parts from `start` on, skipping used ones; null: no match. */
function matchFrom(
  parts: readonly string[],
  tokens: readonly string[],
  start: number,
  taken: ReadonlySet<number>,
): number[] | null {
  const [part, ...rest] = parts;
  if (part === undefined) return [];
  if (part === gap) {
    for (let skipped = 0; skipped <= gapWordsMax; skipped += 1) {
      const indexes = matchFrom(rest, tokens, start + skipped, taken);
      if (indexes !== null) return indexes;
    }
    return null;
  }
  const token = tokens[start];
  if (token === undefined || taken.has(start) || !fits(part, token)) return null;
  const indexes = matchFrom(rest, tokens, start + 1, taken);
  return indexes === null ? null : [start, ...indexes];
}

/** A wildcard stands for at least one letter. */
function fits(part: string, token: string): boolean {
  if (part.startsWith('*')) return token.length >= part.length && token.endsWith(part.slice(1));
  if (part.endsWith('*')) return token.startsWith(part.slice(0, -1));
  return part === token;
}

export interface IntentQuestion {
  readonly keyword: string;
  /** BCP 47. For a language without word rules, only brands, addresses and features count. */
  readonly language: string;
  /** SERP features of the results page, in DataForSEO's names. Absent: no page is known. */
  readonly features?: readonly string[];
  /** Brand names of the project. */
  readonly brandTerms?: readonly string[];
}

/** One piece of evidence for an intent. */
export interface IntentSignal {
  readonly intent: Intent;
  /** The kind of rule. */
  readonly rule: 'words' | 'brand' | 'site' | 'address' | 'feature';
  /** The phrase, brand or feature as it was found. */
  readonly evidence: string;
  readonly weight: number;
}

export interface IntentVerdict {
  readonly intent: Intent;
  /**
   * 0 to 1, two decimals: weight of the evidence for it / (weight of all evidence + 1). One strong phrase gives 0.75.
   */
  readonly confidence: number;
  /** An intent with at least half the weight; null: none. */
  readonly secondary: Intent | null;
  /** Heaviest first. */
  readonly signals: readonly IntentSignal[];
}

/**
 * The weights are our own; deciding words count 3, after lists that SEO tools publish. The classes, and the finding
 * that a quarter of all queries has more than one: Jansen, Booth, Spink 2008, "Determining the informational,
 * navigational, and transactional intent of Web queries".
 */
const weights: Readonly<Record<Strength, number>> = { strong: 3, clear: 2, weak: 0.75 };

/** Intents that SERP features suggest: engines show features that people click. After Burkholder 2019, our weights. */
const featureWeights: Readonly<Record<string, readonly [Intent, number]>> = {
  featured_snippet: ['informational', 1],
  ai_overview: ['informational', 0.75],
  people_also_ask: ['informational', 0.25],
  top_stories: ['informational', 1],
  video: ['informational', 0.5],
  shopping: ['transactional', 1.25],
  popular_products: ['transactional', 1.25],
  local_pack: ['transactional', 1],
  hotels_pack: ['transactional', 1],
  google_flights: ['transactional', 1],
  paid: ['commercial', 0.5],
};

/** The SERP features that suggest an intent. */
export const intentFeatures: readonly string[] = Object.keys(featureWeights);

/** The least weight of a verdict: a "people also ask" box alone proves nothing. */
const weightMin = 0.75;

const sitePhrases = new Phrases([[famousSites, 'navigational', weights.clear]]);
const byLanguage = new Map<string, Phrases>();

/** Classifies a keyword, with reasons; null if the evidence is too weak. */
export function classifyIntent(question: IntentQuestion): IntentVerdict | null {
  const signals = [...wordSignals(question), ...brandSignals(question), ...featureSignals(question)];
  const sums = new Map<Intent, number>();
  for (const { intent, weight } of signals) addTo(sums, intent, weight);
  const [first, second] = [...sums].sort(([, a], [, b]) => b - a);
  if (first === undefined || first[1] < weightMin || first[1] === second?.[1]) return null;
  const total = sumOf([...sums.values()]);
  return {
    intent: first[0],
    confidence: rounded(first[1] / (total + 1), 2),
    secondary: second !== undefined && second[1] * 2 >= first[1] ? second[0] : null,
    signals: signals.toSorted((a, b) => b.weight - a.weight),
  };
}

function wordSignals({ keyword, language }: IntentQuestion): IntentSignal[] {
  const tokens = tokenize(keyword);
  const words = findPhrases(language)?.find(tokens) ?? [];
  const address = keyword.split(/\s+/u).find(isAddress);
  const sites = address === undefined ? sitePhrases.find(tokens) : [];
  const isSiteAlone = sites.some(({ phrase }) => tokenize(phrase).length === tokens.length);
  return [
    ...words.map(({ phrase, intent, weight }) => signal(intent, 'words', phrase, weight)),
    // beside other words, a site name says where to look, not for what
    ...sites.map(({ phrase, intent, weight }) => signal(intent, 'site', phrase, isSiteAlone ? weight : weight / 2)),
    ...(address === undefined ? [] : [signal('navigational', 'address', address, weights.strong)]),
  ];
}

/** Whether a keyword names one of the brands. */
export function namesBrand(keyword: string, brandTerms: readonly string[]): boolean {
  return brandIn(tokenize(keyword), brandTerms) !== undefined;
}

function brandIn(tokens: readonly string[], brandTerms: readonly string[]): string | undefined {
  const squeezed = tokens.join('');
  return brandTerms.find((brand) => {
    const brandTokens = tokenize(brand);
    const isAt = (start: number): boolean => brandTokens.every((token, index) => tokens[start + index] === token);
    return brandTokens.length > 0 && (squeezed === brandTokens.join('') || tokens.some((_, start) => isAt(start)));
  });
}

function brandSignals({ keyword, brandTerms = [] }: IntentQuestion): IntentSignal[] {
  const tokens = tokenize(keyword);
  const found = brandIn(tokens, brandTerms);
  if (found === undefined) return [];
  const isAlone = tokens.join('') === tokenize(found).join('');
  return [signal('navigational', 'brand', found, isAlone ? weights.strong : weights.clear)];
}

function featureSignals({ features = [] }: IntentQuestion): IntentSignal[] {
  return features.flatMap((feature) => {
    const known = featureWeights[feature];
    return known === undefined ? [] : [signal(known[0], 'feature', feature, known[1])];
  });
}

function signal(intent: Intent, rule: IntentSignal['rule'], evidence: string, weight: number): IntentSignal {
  return { intent, rule, evidence, weight };
}

function findPhrases(language: string): Phrases | undefined {
  const [primary = ''] = language.toLowerCase().split('-');
  const known = byLanguage.get(primary);
  const rules = wordRules[primary];
  if (known !== undefined || rules === undefined) return known;
  const made = new Phrases(
    Object.entries(rules).flatMap(([intent, strengths]) =>
      Object.entries(strengths).map(
        ([strength, text]) => [text, intent as Intent, weights[strength as Strength]] as const,
      ),
    ),
  );
  byLanguage.set(primary, made);
  return made;
}

function isAddress(word: string): boolean {
  if (!word.includes('.')) return false;
  const { isIcann, domain } = parse(word.toLowerCase());
  // gov.br is a public suffix that people type as an address
  return isIcann === true && (domain !== null || word.split('.').length === 2);
}
