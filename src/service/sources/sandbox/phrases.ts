// What pages of the sandbox say: English, for every language of a search.
import { dayMs } from '../../model/time/clock.ts';
import { derive, pick } from './random.ts';

export type Choices = readonly [string, ...string[]];

/** Phrases with placeholders for the keyword `{k}`, a number `{n}` and a year `{y}`. */
export const phrases = {
  titles: {
    shop: ['{k} - Free Delivery & Returns', 'Shop {k}: {n} Styles in Stock', 'Buy {k} Online', '{k} | New Season {y}'],
    magazine: [
      'The {n} Best {k} of {y}, Tested',
      '{k}: A Complete Guide',
      'How to Choose {k}',
      'What We Learned About {k}',
    ],
    forum: ['{k}: what do you recommend?', 'Question about {k}', '{k} - is it worth it?'],
    video: ['{k} explained in {n} minutes', '{k}: {n} mistakes to avoid', 'I tried {k} for {n} days'],
    reference: ['{k} - Overview and History', '{k}: Definition'],
    news: ['{k}: what changes in {y}', 'Why everyone talks about {k}'],
  },
  /** What planted titles and snippets say; other pages never do. */
  newTitles: {
    shop: [
      '{k}: Full Range, Fair Prices',
      'Save on {k} This Week',
      '{k} for Every Budget',
      'Top-Rated {k} from {n} Brands',
    ],
    magazine: ['{k} in {y}: Our {n} Favourites', 'Before You Choose {k}, Read This', '{k}, Explained by Experts'],
    forum: ['Honest opinions about {k}', '{k}: {n} things to ask first'],
    video: ['{k}: the full story', 'Everything wrong with {k} in {n} minutes'],
    reference: ['{k} - Facts and Figures', 'About {k}'],
    news: ['{k}: {n} numbers behind the headlines', 'What the experts say about {k}'],
  },
  newSnippets: [
    'Updated: the latest on {k}, with {n} new entries, current prices and a short answer for readers in a hurry.',
    'We rewrote our page about {k}. It now starts with the answer, then gives the reasons and {n} examples.',
    'A new overview of {k} with tables, pictures and {n} tips from readers.',
  ],
  snippets: [
    'We compared {n} options for {k} over several months and list what held up, what did not and what it costs.',
    'Everything about {k}: prices, sizes, reviews and advice from people who use it every day.',
    'Find {k} at fair prices. Order before noon and it ships today; returns are free for {n} days.',
    'A short introduction to {k} with examples, pictures and answers to the most common questions.',
    'Our readers asked about {k}. Here is what {n} experts say, and where they disagree.',
    'Last year we wrote about {k} & its history; this page keeps the numbers up to date.',
  ],
  questions: [
    'What is the best {k}?',
    'How much does {k} cost?',
    'Is {k} worth it?',
    'How do you choose {k}?',
    'How long does {k} last?',
    'Which {k} is good for beginners?',
  ],
  answers: [
    'Most experts name three things to look for in {k}: fit, weight and price.',
    'Expect to pay between {n} and {n}0 for {k}, depending on quality.',
    'For most people {k} pays off within {n} months.',
  ],
  related: [
    'best {k}',
    'cheap {k}',
    '{k} near me',
    '{k} reviews',
    '{k} sale',
    '{k} for beginners',
    '{k} {y}',
    '{k} comparison',
    'used {k}',
    '{k} guide',
  ],
  adTitles: ['{k} - Up to {n}% Off', 'Official {k} Store', '{k} | Order Today'],
  sitelinks: ['New Arrivals', 'Sale', 'Women', 'Men', 'Size Guide', 'Reviews', 'Contact', 'Store Finder'],
  facts: ['Origin', 'First mentioned', 'Also known as'],
  months: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '),
} as const;

/** The values of a phrase's placeholders. */
interface PhraseValues {
  /** As it should read, usually in title case. */
  readonly keyword: string;
  readonly key: number;
  readonly year: number;
}

/** The choice at an index, which goes round. */
export function choose(choices: Choices, index: number): string {
  return choices[index % choices.length] ?? choices[0];
}

/** One of `choices`, chosen by the key, with its placeholders filled. */
export function phrase(choices: Choices, values: PhraseValues): string {
  return fill(pick(values.key, choices), values);
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

/** A day since 1970-01-01, as `Jan 7, 2026`. */
export function dateText(day: number): string {
  const at = new Date(day * dayMs);
  return `${phrases.months[at.getUTCMonth()]} ${at.getUTCDate()}, ${at.getUTCFullYear()}`;
}
