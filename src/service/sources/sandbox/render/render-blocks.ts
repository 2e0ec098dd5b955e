// Renders the blocks of a results page in order: those shared by all devices, and those that each device draws itself.

import type { Block, Cited, Organic, Page, Place, Question } from '../page/page.ts';
import { images, posts, stories, videos } from './html.ts';

/** Blocks that each device draws in its own structure. */
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
