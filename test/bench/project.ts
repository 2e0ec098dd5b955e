// The project of the benchmarks: keywords of one market, each checked to its end.
import type { Project } from '../../src/tracker/project.ts';
import { keywordAt, ownHost } from './folder.ts';

interface ProjectOptions {
  /** How many, from which on. */
  readonly count: number;
  readonly from?: number;
  readonly competitor?: string;
  /** Pages of each keyword. Default: 1. */
  readonly depth?: number;
}

export function benchProject({ count, from = 0, competitor = 'rival.example', depth = 1 }: ProjectOptions): Project {
  return {
    id: 'bench',
    service: 'default',
    targets: [{ match: 'domain', value: ownHost }],
    competitors: [{ match: 'domain', value: competitor }],
    timezone: 'UTC',
    catchUp: 'latest',
    paging: 'full',
    freshForMs: 0,
    keywords: Array.from({ length: count }, (_, index) => ({
      keyword: keywordAt(from + index),
      country: 'US',
      language: 'en',
      devices: ['desktop'],
      tags: [],
      priority: 'normal',
      depth,
    })),
  };
}
