// A page with only the elements that surround results proves nothing.
import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/service/index.ts';
import { readAnswer } from './vendor-service.ts';

const question = { question: 'Are they good?', link: 'https://answers.example/' };
const read = (source: string, body: object) => readAnswer(source, 'shoos', body);

const pages: readonly (readonly [source: string, empty: object, questions: string, related: object])[] = [
  [
    'serper',
    { searchParameters: { q: 'shoos' }, organic: [] },
    'peopleAlsoAsk',
    { relatedSearches: [{ query: 'shoes' }] },
  ],
  [
    'serpapi',
    { search_parameters: { q: 'shoos' }, search_information: { organic_results_state: 'Fully empty' } },
    'related_questions',
    { related_searches: [{ query: 'shoes' }] },
  ],
  [
    'brightdata',
    { general: { query: 'shoos', results_cnt: 0 } },
    'people_also_ask',
    { related: [{ text: 'shoes', link: 'https://www.google.com/search?q=shoes' }] },
  ],
];

it.each(pages)(
  'an empty page of %s with questions on it does not prove that nothing was found',
  async (source, empty, questions) => {
    const error = await read(source, { ...empty, [questions]: [question] });
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'SERP_FAILED', reason: 'no_organic_results', charged: 'yes' });
  },
);

it.each(pages)(
  'a page of %s with related searches states that nothing was found',
  async (source, empty, _, related) => {
    expect(await read(source, { ...empty, ...related })).toMatchObject({ serp: { related: [{ text: 'shoes' }] } });
  },
);
