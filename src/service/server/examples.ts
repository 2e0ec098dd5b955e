// Examples of requests and responses for the documentation. A test validates each against its schema.

import type { KeywordDataRequestInput, SerpRequestInput } from '../core/calls.ts';
import type { KeywordDataResponse } from '../model/results/keyword-data.ts';
import type { SerpPage } from '../model/results/serp.ts';

const serpRequest: SerpRequestInput = { keyword: 'running shoes', country: 'GB', language: 'en', mobile: true };

const serpPage: SerpPage = {
  organic: [
    {
      rank: 1,
      global_rank: 2,
      title: 'Running shoes for every distance',
      description: 'Light shoes for the road, sturdy ones for the trail.',
      link: 'https://shop.example/running-shoes',
      display_link: 'https://shop.example > running-shoes',
      source: 'Shop Example',
      extensions: [{ type: 'site_link', text: 'Trail', link: 'https://shop.example/trail', rank: 1 }],
    },
  ],
  people_also_ask: [
    {
      rank: 1,
      global_rank: 3,
      question: 'How long do running shoes last?',
      answers: [{ rank: 1, type: 'answer', value: { text: 'About 700 km.' } }],
    },
  ],
  top_ads: [{ rank: 1, title: 'Shoes on sale', link: 'https://sale.example/' }],
};

const keywordDataRequest: KeywordDataRequestInput = { keyword: 'running shoes', country: 'US', limit: 33 };

const keywordDataResponse: KeywordDataResponse = {
  success: true,
  result_count: 1,
  cost: 0.01,
  data: [
    {
      keyword: 'running shoes',
      search_volume: 165000,
      cpc: 1.34,
      competition: 87,
      competition_level: 'high',
      country: 'us',
      language: 'en',
      intent: 'commercial',
      related_keywords: ['trail running shoes', 'running shoes for women'],
    },
  ],
};

export const examples = {
  serpRequest,
  serpRequestOfPages: { keyword: 'running shoes', start_page: 1, end_page: 3 } satisfies SerpRequestInput,
  serpRequestRaw: { keyword: 'running shoes', format: 'raw' } satisfies SerpRequestInput,
  serpPage,
  keywordDataRequest,
  keywordDataResponse,
  requestId: '6f1c2b0e-9d53-4c61-8a77-3f0e5b1d2c4a',
} as const;
