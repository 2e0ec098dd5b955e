// Finds phrases in the words of a keyword: longest first, each word counts once.
import type { Intent } from '../../service/index.ts';

export interface FoundPhrase {
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
export function tokenize(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/ß/g, 'ss');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** An index of phrases, each with the intent it signals. The syntax is that of rules.ts. */
export class Phrases {
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
      const indexes = findParts(parts, tokens, isAtStart, taken);
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
    const there = this.#byFirst.get(key) ?? [];
    there.push({ phrase: phrase.replace(/^\^/, ''), parts, isAtStart, intent, weight });
    this.#byFirst.set(key, there);
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

/** The indexes of the words that match the parts, skipping used ones; null: no match. */
function findParts(
  parts: readonly string[],
  tokens: readonly string[],
  isAtStart: boolean,
  taken: ReadonlySet<number>,
): number[] | null {
  for (let start = 0; start <= (isAtStart ? 0 : tokens.length - 1); start += 1) {
    const indexes = matchFrom(parts, tokens, start, taken);
    if (indexes !== null) return indexes;
  }
  return null;
}

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
