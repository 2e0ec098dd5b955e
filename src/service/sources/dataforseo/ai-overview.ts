// Reads the AI overview of a page: its texts in order, the pages they cite, and which text cites which page.

import type { AiOverview, AiOverviewText } from '../../model/results/serp.ts';
import { type Fields, present } from '../../net/fields.ts';
import { resolveDestination } from '../vendor-kit/pages/elements.ts';
import { objectsAt, wordsAt } from '../vendor-kit/values.ts';

type Reference = NonNullable<AiOverview['references']>[number];

/** An overview of which the page shows nothing yet is an overview: `{}`. */
export function readOverview(item: Fields): AiOverview {
  const references = new References();
  references.addAll(item);
  const elements = objectsAt(item, 'items');
  for (const element of elements) {
    references.addAll(element);
    for (const component of objectsAt(element, 'components')) references.addAll(component);
  }
  const texts = elements.flatMap((element) => readElement(element, references));
  const { list } = references;
  return { ...(texts.length > 0 && { texts }), ...(list.length > 0 && { references: list }) };
}

/** The words of an overview that answers a question, without its references. */
export function overviewWords(item: Fields): string {
  const words = objectsAt(item, 'items').flatMap((element) => [wordsAt(element, 'title'), wordsAt(element, 'text')]);
  return words.filter((text) => text !== undefined).join('\n');
}

/** Each cited page once. */
class References {
  readonly #byAddress = new Map<string, Reference>();

  get list(): Reference[] {
    return [...this.#byAddress.values()];
  }

  addAll(item: Fields): void {
    for (const each of objectsAt(item, 'references')) {
      const href = resolveDestination(wordsAt(each, 'url'));
      if (href === undefined || this.#byAddress.has(href)) continue;
      const reference = present<Reference>({
        index: this.#byAddress.size,
        title: wordsAt(each, 'title') ?? '',
        href,
        source: wordsAt(each, 'source', 'domain'),
        subtitle: wordsAt(each, 'text'),
      });
      this.#byAddress.set(href, reference);
    }
  }

  indexesOf(item: Fields): number[] {
    const indexes = objectsAt(item, 'references').flatMap((each) => {
      const href = resolveDestination(wordsAt(each, 'url'));
      return (href === undefined ? undefined : this.#byAddress.get(href)?.index) ?? [];
    });
    return [...new Set(indexes)];
  }
}

function readElement(element: Fields, references: References): AiOverviewText[] {
  const title = wordsAt(element, 'title');
  const titles: AiOverviewText[] = title === undefined ? [] : [{ type: 'title', snippet: title }];
  switch (wordsAt(element, 'type')) {
    case 'ai_overview_expanded_element': {
      const text = wordsAt(element, 'text');
      const list = objectsAt(element, 'components').flatMap((each) => paragraph(each, references));
      const heading = [title, text].filter((words) => words !== undefined).join(': ');
      if (list.length === 0) return [...titles, ...paragraph(element, references)];
      return [{ type: 'list', ...(heading !== '' && { title: heading }), list }];
    }
    case 'ai_overview_table_element': {
      const rows = tableRows(wordsAt(element, 'markdown') ?? '');
      return rows.length === 0 ? titles : [{ type: 'list', ...(title !== undefined && { title }), list: rows }];
    }
    // a video is shown, and says nothing
    case 'ai_overview_video_element':
      return [];
    default:
      return [...titles, ...paragraph(element, references)];
  }
}

function paragraph(item: Fields, references: References): AiOverviewText[] {
  const snippet = wordsAt(item, 'text', 'snippet');
  if (snippet === undefined) return [];
  const indexes = references.indexesOf(item);
  return [{ type: 'paragraph', snippet, ...(indexes.length > 0 && { reference_indexes: indexes }) }];
}

/** The rows of a table in Markdown, without the rule below its head. */
function tableRows(markdown: string): AiOverviewText[] {
  return markdown.split('\n').flatMap((line): AiOverviewText[] => {
    const cells = line.split('|').map((cell) => cell.replaceAll('**', '').trim());
    const isRule = cells.every((cell) => /^:?-*:?$/.test(cell));
    return isRule ? [] : [{ type: 'paragraph', snippet: cells.filter((cell) => cell !== '').join(' | ') }];
  });
}
