import { describe, expect, it } from 'vitest';
import { type SerpPage, ServiceError } from '../../../src/service/index.ts';
import { setUpRemote } from '../../helpers/remote.ts';

const organic = [{ rank: 1, global_rank: 3, title: 'A', link: 'https://a.example/' }];

/** Every field of the specification's tables, as a provider would write it. */
const whole = {
  organic: [
    {
      rank: 11,
      global_rank: 14,
      title: 'A',
      description: 'About A',
      link: 'https://a.example/x?y=1#z',
      display_link: 'a.example > x',
      source: 'A',
      extensions: [{ type: 'site_link', text: 'Contact', link: 'https://a.example/contact', rank: 1 }],
      image: 'https://a.example/a.png',
      duration: '3:25',
      duration_sec: 205,
    },
  ],
  knowledge: {
    name: 'A',
    subtitle: 'Letter',
    description: 'The first letter.',
    description_source: 'Encyclopedia',
    facts: [{ key: 'Place', value: [{ text: 'First' }] }],
  },
  people_also_ask: [
    {
      rank: 1,
      global_rank: 2,
      question: 'Why?',
      answer_source: 'A',
      answers: [{ rank: 1, type: 'table', value: { text: 'So.' } }],
    },
  ],
  related: [{ rank: 1, global_rank: 20, text: 'b', link: 'https://engine.example/?q=b' }],
  navigation: [{ title: 'Images', href: 'https://engine.example/images' }],
  perspectives: [{ title: 'A is fine', author: 'Ann', source: 'Forum' }],
  ai_overview: {
    texts: [
      { type: 'title', snippet: 'On A' },
      { type: 'paragraph', snippet: 'A is a letter.', reference_indexes: [0] },
      { type: 'list', title: 'Kinds', list: [{ type: 'paragraph', snippet: 'a' }] },
      { type: 'code', snippet: 'a = 1' },
    ],
    references: [{ index: 0, title: 'A', href: 'https://a.example/', source: 'A', subtitle: 'On A' }],
  },
  images: [{ rank: 1, title: 'A', link: 'https://a.example/i', image: 'https://a.example/i.png' }],
  top_ads: [{ rank: 1, title: 'Buy A', link: 'https://ads.example/', referral_link: 'https://engine.example/aclk' }],
  bottom_ads: [{ rank: 1, title: 'Buy B', link: 'https://ads.example/b' }],
  overview: { kgmid: '/m/0a', title: 'A' },
};

async function read(answer: unknown): Promise<SerpPage> {
  const { client, provider } = await setUpRemote();
  provider.next({ answer });
  const { pages } = await client.serp({ keyword: 'shoes' });
  return pages[0]!.serp;
}

async function reasonOf(value: unknown): Promise<string> {
  try {
    await read(value);
  } catch (error) {
    return error instanceof ServiceError ? (error.reason ?? error.message) : String(error);
  }
  return 'read';
}

describe('a JSON page', () => {
  it('keeps every field of the specification as received, and no others', async () => {
    expect(await read(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
    expect(await read({ ...whole, search_metadata: { id: 7 } })).toEqual(whole);
  });

  it('has no field for a null or an empty list of a provider', async () => {
    const page = await read({
      organic: [{ ...organic[0], description: null, extensions: [], duration_sec: null }],
      knowledge: null,
      related: [],
      ai_overview: null,
      overview: { kgmid: null },
    });
    expect(page).toEqual({ organic });
    expect(Object.keys(page.organic![0]!)).toEqual(['rank', 'global_rank', 'title', 'link']);
  });

  it('gets no rank over all elements if the provider omits it', async () => {
    const page = await read({ organic: [{ link: 'https://a.example/' }, { link: 'http://b.example/' }] });
    expect(page.organic).toEqual([
      { rank: 1, title: '', link: 'https://a.example/' },
      { rank: 2, title: '', link: 'http://b.example/' },
    ]);
  });

  it('without organics, but with another element, means that the engine found nothing', async () => {
    expect(await read({ navigation: whole.navigation })).toEqual({ navigation: whole.navigation });
    expect(await read({ organic: null, overview: whole.overview })).toEqual({ overview: whole.overview });
    expect(await reasonOf({ top_ads: whole.top_ads })).toBe('read');
  });

  it.each([
    [{}],
    [{ organic: null }],
    [{ organic: [] }],
    [{ related: [], overview: {}, knowledge: null }],
    [{ organic: [], navigation: whole.navigation }],
    [JSON.parse('{"__proto__": null}')],
  ])('that is empty is not a SERP: %j', async (value) => {
    expect(await reasonOf(value)).toBe('no_organic_results');
  });

  it.each([
    [null, 'page is not an object'],
    ['"text"', 'page is not an object'],
    [JSON.parse('{"__proto__": {"organic": [{"link": "https://a.example/"}]}}'), 'page has no field'],
    [{ organic: 'none' }, 'page.organic is not an array'],
    [{ organic: [organic[0], null] }, 'page.organic[1] is not an object'],
    [{ organic: [{ title: 'A' }] }, 'page.organic[0].link is not an http address'],
    [{ organic: [{ link: 'https://' }] }, 'page.organic[0].link is not an http address'],
    [{ organic: [{ link: 'data:text/html,x' }] }, 'page.organic[0].link is not an http address'],
    [{ organic: [{ ...organic[0], rank: 1.5 }] }, 'page.organic[0].rank is not an integer'],
    [{ organic: [{ ...organic[0], title: 7 }] }, 'page.organic[0].title is not a string'],
    [{ organic, knowledge: [] }, 'page.knowledge is not an object'],
    [{ organic, knowledge: { facts: [{ key: 'a', value: 'b' }] } }, 'page.knowledge.facts[0].value is not an array'],
    [{ organic, people_also_ask: ['Why?'] }, 'page.people_also_ask[0] is not an object'],
  ])('of another shape is refused with the position: %j', async (value, message) => {
    expect(await reasonOf(value)).toContain(`The answer cannot be read: ${message}`);
  });

  const list = (...ranks: readonly number[]) =>
    ranks.map((rank, nth) => ({ rank, title: `T${nth}`, link: `https://s${nth}.example/` }));

  it.each([[[1, 2, 3]], [[11, 12, 14]], [[1, 1, 2]], [[4]]])('may have the ranks %j', async (ranks) => {
    expect((await read({ organic: list(...ranks) })).organic?.map(({ rank }) => rank)).toEqual(ranks);
  });

  it('with a doubtful list is refused: in another order than its ranks, with a result twice, or with an ad', async () => {
    const [first, ...others] = list(1, 2, 3);
    expect(await reasonOf({ organic: list(2, 1, 3) })).toBe('unparseable');
    expect(await reasonOf({ organic: [first, ...others, { ...first, rank: 4 }] })).toBe('unparseable');
    for (const mark of [{ sponsored: true }, { is_ad: 1 }, { type: 'ad' }])
      expect(await reasonOf({ organic: [{ ...first, ...mark }, ...others] })).toBe('unparseable');
    const click = 'https://www.google.com/aclk?sa=l&adurl=https://shop.example/';
    expect(await reasonOf({ organic: [{ ...first, link: click }, ...others] })).toBe('unparseable');
    expect(await reasonOf({ organic: [{ ...first, type: 'organic', sponsored: false }, ...others] })).toBe('read');
  });

  it.each([
    ['https://www.google.com/url?q=https://a.example/x%3Fy%3D1&sa=U', 'https://a.example/x?y=1'],
    ['https://www.google.com/amp/s/a.example/x', 'https://a.example/x'],
    [
      `https://www.bing.com/ck/a?p=1&u=a1${Buffer.from('https://a.example/x').toString('base64url')}`,
      'https://a.example/x',
    ],
    ['https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fx', 'https://a.example/x'],
    ['https://a.example/x?srsltid=A#:~:text=b', 'https://a.example/x?srsltid=A#:~:text=b'],
    ['https://www.google.com/goto?url=CAESabc', 'https://www.google.com/goto?url=CAESabc'],
  ])('resolves redirects of engines, and keeps other addresses: %s', async (link, expected) => {
    expect((await read({ organic: [{ link }] })).organic?.[0]?.link).toBe(expected);
  });

  it.each([
    ['organic', 'rank'],
    ['organic', 'global_rank'],
    ['people_also_ask', 'rank'],
    ['local_results', 'rank'],
    ['images', 'rank'],
    ['top_ads', 'rank'],
  ])('counts from 1: %s with a %s of 0 or below is refused', async (list, field) => {
    for (const wrong of [0, -3]) {
      const page = { ...whole, [list]: [{ ...organic[0], name: 'A', question: 'Why?', [field]: wrong }] };
      expect(await reasonOf(page)).toContain(`${list}[0].${field} is below 1`);
    }
  });

  it('accepts unlisted types for texts and plain answers', async () => {
    const page = await read({
      organic: [{ ...organic[0], extensions: [{ type: 'badge', text: 'New' }] }],
      people_also_ask: [{ question: 'Why?', answers: [{ type: 'rich', value: { text: 'So.' } }] }],
    });
    expect(page.organic?.[0]?.extensions).toEqual([{ type: 'text', text: 'New', rank: 1 }]);
    expect(page.people_also_ask?.[0]?.answers).toEqual([{ rank: 1, type: 'answer', value: { text: 'So.' } }]);
  });

  it('keeps an AI overview of any shape, and reads the known parts', async () => {
    const overviewOf = async (overview: unknown) => (await read({ organic, ai_overview: overview })).ai_overview;
    expect(
      await overviewOf({ texts: ['Plain.', 7, { text: 'Other.' }], references: [{ link: 'https://a.example/' }, 'x'] }),
    ).toEqual({
      texts: [
        { type: 'paragraph', snippet: 'Plain.' },
        { type: 'paragraph', snippet: 'Other.' },
      ],
      references: [{ index: 0, title: '', href: 'https://a.example/' }],
    });
    expect(await overviewOf({ markdown: '# A' })).toEqual({});
  });
});
