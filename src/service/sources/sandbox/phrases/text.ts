// Invented wording: phrases with their placeholders filled, dates and titles.

import { derive, pick } from '../world/random.ts';
import type { Choices, Phrases } from './phrases.ts';
import { german } from './phrases-de.ts';
import { english } from './phrases-en.ts';
import { spanish } from './phrases-es.ts';
import { french } from './phrases-fr.ts';

const byLanguage = new Map<string, Phrases>([
  ['en', english],
  ['de', german],
  ['fr', french],
  ['es', spanish],
]);

/** Phrases of a BCP 47 language; English for a language the sandbox does not write. */
export function findPhrases(language: string): Phrases {
  return byLanguage.get(language.slice(0, 2).toLowerCase()) ?? english;
}

/** The values of a phrase's placeholders. */
export interface PhraseValues {
  /** As it should read, usually in title case. */
  readonly keyword: string;
  readonly key: number;
  readonly year: number;
}

/** One of `choices`, chosen by the filling's key, with its placeholders filled. */
export function phrase(choices: Choices, filling: PhraseValues): string {
  return fill(pick(filling.key, choices), filling);
}

/** A function as replacement, because a keyword may hold `$&`. */
export function fill(template: string, { keyword, key, year }: PhraseValues): string {
  return template.replace(/\{([kny])\}/gu, (_, name: string) => {
    if (name === 'k') return keyword;
    return String(name === 'y' ? year : 3 + ((derive(key, 90) >>> 0) % 27));
  });
}

/** `running shoes` as `Running Shoes`. */
export function titleCase(keyword: string): string {
  return keyword.replace(/(?<![\p{L}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase());
}

/** A day since 1970-01-01 as the language writes it. */
export function dateText(day: number, phrases: Phrases): string {
  const date = new Date(day * 86_400_000);
  return phrases.date
    .replace('{d}', String(date.getUTCDate()))
    .replace('{m}', phrases.months[date.getUTCMonth()] ?? '')
    .replace('{y}', String(date.getUTCFullYear()));
}
