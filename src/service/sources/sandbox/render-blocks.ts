// The blocks of a results page one after the other: those that look alike on every device, and those that each device draws itself.
import { images, posts, stories, videos } from './html.ts';
import type { Block, Cited, Organic, Page, Place, Question } from './page.ts';

/** What a device draws in a structure of its own. */
export interface OwnBlocks {
  organic(result: Organic, page: Page, index: number): string;
  snippet(answer: string, cited: Cited, page: Page): string;
  questions(items: readonly Question[], page: Page): string;
  places(items: readonly Place[], page: Page): string;
}

export function renderBlocks(page: Page, own: OwnBlocks): string {
  return page.blocks.map((block, index) => renderBlock(block, page, index, own)).join('');
}

function renderBlock(block: Block, page: Page, index: number, own: OwnBlocks): string {
  const { labels } = page.phrases;
  switch (block.kind) {
    case 'organic':
      return own.organic(block.organic, page, index);
    case 'featured_snippet':
      return own.snippet(block.answer, block.cited, page);
    case 'people_also_ask':
      return own.questions(block.questions, page);
    case 'local_pack':
      return own.places(block.places, page);
    case 'top_stories':
      return stories(labels.stories, block.items);
    case 'images':
      return images(labels.images, page.keyword, block.items);
    case 'video':
      return videos(labels.videos, block.items);
    case 'perspectives':
      return posts(labels.posts, block.items);
  }
}
