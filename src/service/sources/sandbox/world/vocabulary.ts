// The keywords related to a keyword, in a stable order.

import type { Phrases } from '../phrases/phrases.ts';
import { fill } from '../phrases/text.ts';
import { below, derive, hashText } from './random.ts';
import type { Topic } from './topics.ts';

const prefixes =
  "best,cheap,top,buy,used,new,women's,men's,kids,professional,online,local,affordable,premium,vintage,discount,how to choose,what are,where to buy,types of".split(
    ',',
  );
const suffixes =
  'near me,reviews,sale,online,guide,for beginners,for women,for men,for kids,uk,usa,price,cost,comparison,brands,size chart,tips,ideas,pictures,accessories,repair,rental,store,outlet,deals,amazon alternatives,forum,questions,history,meaning,vs,under 50,under 100,wholesale,delivery'.split(
    ',',
  );

/** Related searches at the foot of a results page: topic first, then phrases around the keyword. */
export function relatedTo(keyword: string, topic: Topic, phrases: Phrases, year: number, count: number): string[] {
  const key = hashText(keyword);
  const found = new Set<string>();
  const { keywords } = topic;
  for (let i = 0; i < 3 && keywords.length > 3; i++)
    found.add(keywords[(below(key, keywords.length) + i * 5) % keywords.length] ?? keyword);
  const from = below(derive(key, 1), phrases.related.length);
  for (let i = 0; i < phrases.related.length && found.size < count; i++) {
    const template = phrases.related[(from + i) % phrases.related.length] ?? '{k}';
    found.add(fill(template, { keyword, key, year }));
  }
  found.delete(keyword);
  return [...found].slice(0, count);
}

/** Up to `count` other keywords around a keyword: its topic's, then its variants, shortest first; English modifiers. */
export function similarKeywords(keyword: string, topic: Topic, count: number): string[] {
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
