// Parts of a page that every vendor must read alike: paid places, sources of answers, results in lists of their own.
import { describe, expect, it } from 'vitest';
import { done } from '../../contract/sources/subjects/dataforseo.ts';
import { readAnswer } from './vendor-service.ts';

const own = 'https://own.example/good';
const keyword = 'coffee';
const links = [1, 2, 3].map((nth) => `https://site${nth}.example/coffee`);
const linked = links.map((link) => ({ title: 'Coffee', link, snippet: 'Coffee' }));
const organic = links.map((url) => ({ type: 'organic', title: 'Coffee', url, description: 'Coffee' }));

const oxylabs = (parts: object) => ({
  results: [
    {
      content: {
        parse_status_code: 12000,
        page: 1,
        results: {
          search_information: { query: keyword },
          organic: links.map((url, nth) => ({
            url,
            title: 'Coffee',
            desc: 'Coffee',
            pos: nth + 1,
            pos_overall: nth + 5,
          })),
          ...parts,
        },
      },
      status_code: 200,
    },
  ],
});
const googleForm = (parts: object) => ({ search_parameters: { q: keyword }, organic_results: linked, ...parts });
const dataForSeo = (element: object) => done(keyword, [...organic, element]);
const serper = (parts: object) => ({ searchParameters: { q: keyword }, organic: linked, ...parts });
const brightdata = (parts: object) => ({ general: { query: keyword }, organic: linked, ...parts });

async function linksOf(source: string, body: object, type: string): Promise<readonly string[] | undefined> {
  const page = (await readAnswer(source, keyword, body)) as { features?: { type: string; links: string[] }[] };
  return page.features?.find((feature) => feature.type === type)?.links;
}

describe('the sources of an answer that the engine wrote to a question', () => {
  const question = 'Is coffee good?';
  const reference = { title: 'Good', link: own, url: own, href: own };
  const sourcePanel = { source_panel: { items: [{ title: 'Good', url: own, pos: 1 }] } };
  it.each<[string, object]>([
    ['serpapi', googleForm({ related_questions: [{ question, type: 'ai_overview', references: [reference] }] })],
    [
      'searchapi',
      googleForm({ related_questions: [{ question, ai_overview: { reference_links: [reference], text_blocks: [] } }] }),
    ],
    ['valueserp', googleForm({ related_questions: [{ question, source: reference }] })],
    ['serper', serper({ peopleAlsoAsk: [{ question, references: [reference] }] })],
    ['brightdata', brightdata({ people_also_ask: [{ question, answers: [{ references: [reference] }] }] })],
    ['oxylabs', oxylabs({ related_questions: { items: [{ question, pos: 1, ai_overview: sourcePanel }] } })],
    ['oxylabs', oxylabs({ related_questions: [{ items: [{ question, pos: 1, ai_overview: [sourcePanel] }] }] })],
    [
      'dataforseo',
      dataForSeo({
        type: 'people_also_ask',
        items: [
          {
            type: 'people_also_ask_element',
            title: question,
            expanded_element: [
              { type: 'people_also_ask_ai_overview_expanded_element', references: [{ url: own }], items: [] },
            ],
          },
        ],
      }),
    ],
    [
      'dataforseo',
      dataForSeo({
        type: 'people_also_ask',
        items: [
          {
            type: 'people_also_ask_element',
            title: question,
            expanded_element: [
              {
                type: 'people_also_ask_ai_overview_expanded_element',
                items: [{ type: 'ai_overview_element', text: 'Yes', references: [{ url: own }] }],
              },
            ],
          },
        ],
      }),
    ],
  ])('are those of the question, at %s', async (source, body) => {
    expect(await linksOf(source, body, 'people_also_ask')).toEqual([own]);
  });

  it('are no pictures, and no searches of the engine', async () => {
    const related_questions = [
      {
        question,
        references: [{ ...reference, thumbnail: 'https://pictures.example/1.png' }],
        search: { link: 'https://www.google.com/search?q=coffee' },
      },
    ];
    expect(await linksOf('serpapi', googleForm({ related_questions }), 'people_also_ask')).toEqual([own]);
  });
});

describe('a paid place', () => {
  const other = 'https://other.example/';
  it.each<[string, object]>([
    [
      'serpapi',
      googleForm({
        local_results: {
          places: [
            { title: 'Ad', place_id: '1', sponsored: true, links: { website: own } },
            { title: 'B', place_id: '2', links: { website: other } },
          ],
        },
      }),
    ],
    [
      'serper',
      serper({
        places: [
          { title: 'Ad', cid: '1', isAd: true, website: own },
          { title: 'B', cid: '2', website: other },
        ],
      }),
    ],
    [
      'brightdata',
      brightdata({
        snack_pack: [
          { name: 'Ad', sponsored: true, site: own },
          { name: 'B', site: other },
        ],
      }),
    ],
    [
      'oxylabs',
      oxylabs({
        local_pack: {
          items: [
            { title: 'Ad', pos: 1, sponsored: true, links: [{ title: 'Website', href: own }] },
            { title: 'Click', pos: 2, links: [{ href: `https://www.google.com/aclk?adurl=${own}` }] },
            { title: 'B', pos: 3, links: [{ title: 'Website', href: other }] },
          ],
        },
      }),
    ],
    [
      'dataforseo',
      done(keyword, [
        ...organic,
        { type: 'local_pack', title: 'Ad', is_paid: true, url: own },
        { type: 'local_pack', title: 'B', is_paid: false, url: other },
      ]),
    ],
  ])('makes no local pack owned, at %s', async (source, body) => {
    expect(await linksOf(source, body, 'local_pack')).toEqual([other]);
  });

  it('alone leaves the feature on the page, without an owner', async () => {
    const place = { type: 'local_pack', title: 'Ad', is_paid: true, url: own };
    expect(await linksOf('dataforseo', dataForSeo(place), 'local_pack')).toEqual([]);
  });

  it.each(['hotels_pack', 'top_sights', 'events', 'recipes'])('makes no other feature owned: %s', async (type) => {
    const items = [{ url: own, is_paid: true }, { url: other }];
    expect(await linksOf('dataforseo', dataForSeo({ type, items }), type)).toEqual([other]);
  });

  it.each(['shopping', 'commercial_units', 'paid'])('is what a feature of ads consists of: %s', async (type) => {
    const element = type === 'paid' ? { type, url: own, title: 'Ad' } : { type, items: [{ url: own, is_paid: true }] };
    expect(await linksOf('dataforseo', dataForSeo(element), type)).toEqual([own]);
  });
});

describe('results of Oxylabs that are videos', () => {
  const video = { title: 'Coffee', desc: 'Coffee', url: 'https://video.example/1', pos: 1 };
  const ranksOf = async (videos: readonly object[]) => {
    const page = (await readAnswer('oxylabs', keyword, oxylabs({ organic_videos: videos }))) as {
      message?: string;
      serp?: { organic?: { rank: number; link: string; global_rank?: number }[] };
    };
    return page.serp?.organic?.map(({ rank, link }) => `${rank} ${link}`) ?? page.message;
  };

  it('are counted where they stand on the page', async () => {
    const below = { ...video, url: 'https://video.example/2', pos: 2, pos_overall: 9 };
    expect(await ranksOf([{ ...video, pos_overall: 4 }, below])).toEqual(
      ['https://video.example/1', ...links, 'https://video.example/2'].map((link, nth) => `${nth + 1} ${link}`),
    );
  });

  it.each([
    ['does not say where it stands', [video]],
    ['stands where another result does', [{ ...video, pos_overall: 5 }]],
  ])('refuse the page where one %s', async (_, videos) => {
    expect(await ranksOf(videos)).toContain('organic_videos does not say where its results stand');
  });
});

it.each([0, '0', 14])('an answer whose search repeats udm=%s is of the web search', async (udm) => {
  const search_parameters = { q: keyword, engine: 'google', udm };
  expect(await readAnswer('serpapi', keyword, { ...googleForm({}), search_parameters })).toMatchObject({
    serp: { organic: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] },
  });
});
