// A page of each engine with results of one shape, for tests that hold for all engines.
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { bingPage, bingResult } from './bing/pages.ts';
import { duckPage, duckResult } from './duckduckgo/pages.ts';
import { desktopPage, result } from './google/pages.ts';

interface Form {
  readonly engine: Engine;
  readonly page: (items: string) => string;
  readonly item: (link: string, title: string) => string;
}

export const forms: readonly Form[] = [
  { engine: googleEngine, page: (items) => desktopPage(items), item: (link, title) => result(link, title) },
  { engine: bingEngine, page: (items) => bingPage(items), item: bingResult },
  { engine: duckDuckGoEngine, page: (items) => duckPage(items), item: duckResult },
];

export const shown = ['https://one.example/', 'https://two.example/', 'https://three.example/'];
