// Reads AI overviews in vendors' formats: nested blocks of text, and the pages they cite.

import type { AiOverview, AiOverviewText } from '../../../model/results/serp.ts';
import { type Fields, present } from '../../../net/fields.ts';
import { numberAt, objectsAt, wordsAt } from '../values.ts';
import { resolveDestination } from './elements.ts';

/** An overview that is still to be loaded, or shows nothing that we know, is an overview: `{}`. */
export function toOverview(blocks: readonly Fields[], references: readonly Fields[]): AiOverview {
  const texts = overviewTexts(blocks);
  const pages = references.flatMap(readReference);
  return { ...(texts.length > 0 && { texts }), ...(pages.length > 0 && { references: pages }) };
}

/** Blocks of text: headings, paragraphs, code, and lists, which may hold lists. */
export function overviewTexts(blocks: readonly Fields[]): AiOverviewText[] {
  return blocks.flatMap((block): AiOverviewText[] => {
    const snippet = cleanText(wordsAt(block, 'snippet', 'answer', 'text', 'title'));
    const list = overviewTexts([...objectsAt(block, 'list'), ...objectsAt(block, 'items')]);
    if (list.length > 0) return [{ type: 'list', ...(snippet !== undefined && { title: snippet }), list }];
    if (snippet === undefined) return [];
    const type = wordsAt(block, 'type');
    if (type === 'code') return [{ type, snippet }];
    const places = block.raw('reference_indexes');
    const indexes = Array.isArray(places) ? places.filter((place): place is number => Number.isSafeInteger(place)) : [];
    const isTitle = type === 'heading' || type === 'header' || type === 'title';
    return [
      { type: isTitle ? 'title' : 'paragraph', snippet, ...(indexes.length > 0 && { reference_indexes: indexes }) },
    ];
  });
}

/** `reference_indexes` name the index of a reference, or its position in the list if it has none. */
function readReference(item: Fields, place: number): NonNullable<AiOverview['references']> {
  const href = resolveDestination(wordsAt(item, 'link', 'href', 'url'));
  if (href === undefined) return [];
  return [
    present<NonNullable<AiOverview['references']>[number]>({
      index: numberAt(item, 'index') ?? place,
      title: cleanText(wordsAt(item, 'title')) ?? '',
      href,
      source: wordsAt(item, 'source'),
      subtitle: cleanText(wordsAt(item, 'subtitle', 'snippet')),
    }),
  ];
}

/** Words of buttons and links that are read along with the text. */
const furniture = /(?:Opens in new tab\.?|Read more)$/i;

function cleanText(text: string | undefined): string | undefined {
  const clean = text?.replace(furniture, '').trimEnd();
  return clean === '' ? undefined : clean;
}
