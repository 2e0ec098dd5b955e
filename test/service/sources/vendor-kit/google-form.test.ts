import { expect, it } from 'vitest';
import { Fields } from '../../../../src/service/net/fields.ts';
import { readGoogleForm } from '../../../../src/service/sources/vendor-kit/google-form.ts';

const read = (page: object) => readGoogleForm(new Fields(page, 'page'));
const linksOf = (page: object) => new Map(read(page).features.map(({ type, links }) => [type, links]));

it('an organic result has its sitelinks, date, rating and reviews, numbered in order', () => {
  const { serp } = read({
    organic_results: [
      {
        position: 9,
        title: 'Shoes',
        link: 'https://shop.example/?srsltid=AfmB',
        displayed_link: '40+ comments  ·  2 years ago',
        snippet: 'All of them.',
        source: 'Shop',
        date: 'Nov 30, 2025',
        sitelinks: {
          inline: [{ title: 'Sale', link: 'https://shop.example/sale' }],
          expanded: [{ title: 'New', link: '/search?q=new' }],
        },
        rich_snippet: { top: { detected_extensions: { rating: 4.7, reviews: 210 } } },
      },
      { title: 'Plain', link: 'https://plain.example/', displayed_link: 'https://plain.example › a' },
    ],
  });
  expect(serp.organic).toEqual([
    {
      rank: 1,
      title: 'Shoes',
      description: 'All of them.',
      link: 'https://shop.example/',
      source: 'Shop',
      extensions: [
        { rank: 1, type: 'site_link', text: 'Sale', link: 'https://shop.example/sale' },
        { rank: 2, type: 'site_link', text: 'New' },
        { rank: 3, type: 'date', text: 'Nov 30, 2025' },
        { rank: 4, type: 'rating', text: '4.7' },
        { rank: 5, type: 'reviews', text: '210' },
      ],
    },
    { rank: 2, title: 'Plain', link: 'https://plain.example/', display_link: 'https://plain.example › a' },
  ]);
});

it('questions have their answer and its source, or neither', () => {
  const { serp } = read({
    related_questions: [
      { question: 'Why?', snippet: 'Because.', link: 'https://why.example/#:~:text=Because' },
      { question: 'How?', list: ['One', 'Two'] },
      { question: 'When?' },
    ],
  });
  expect(serp.people_also_ask).toEqual([
    {
      rank: 1,
      question: 'Why?',
      answer_source: 'https://why.example/',
      answers: [{ rank: 1, type: 'answer', value: { text: 'Because.' } }],
    },
    { rank: 2, question: 'How?', answers: [{ rank: 1, type: 'unordered_list', value: { text: 'One\nTwo' } }] },
    { rank: 3, question: 'When?' },
  ]);
});

it('ads are above or below, each with its destination', () => {
  const { serp } = read({
    ads: [
      {
        title: 'Top',
        link: 'https://top.example/',
        tracking_link: 'https://www.google.com/aclk?x',
        block_position: 'top',
      },
      { title: 'Bottom', link: 'https://bottom.example/', block_position: 'bottom' },
      { title: 'Nowhere' },
    ],
  });
  expect(serp.top_ads).toEqual([
    { rank: 1, title: 'Top', link: 'https://top.example/', referral_link: 'https://www.google.com/aclk?x' },
  ]);
  expect(serp.bottom_ads).toEqual([{ rank: 1, title: 'Bottom', link: 'https://bottom.example/' }]);
});

it('an AI overview has texts, lists and references; one that is loaded later is shown as a feature alone', () => {
  const page = {
    ai_overview: {
      text_blocks: [
        { type: 'heading', snippet: 'Shoes' },
        { type: 'paragraph', snippet: 'They fit.', reference_indexes: [0, 'x'] },
        { type: 'list', snippet: 'Kinds', list: [{ snippet: 'Running' }, { title: 'Trail' }] },
        { type: 'table' },
      ],
      references: [
        { title: 'A', link: 'https://a.example/', index: 0, source: 'A', snippet: 'More' },
        { title: 'No link', index: 1 },
      ],
    },
  };
  expect(read(page).serp.ai_overview).toEqual({
    texts: [
      { type: 'title', snippet: 'Shoes' },
      { type: 'paragraph', snippet: 'They fit.', reference_indexes: [0] },
      {
        type: 'list',
        title: 'Kinds',
        list: [
          { type: 'paragraph', snippet: 'Running' },
          { type: 'paragraph', snippet: 'Trail' },
        ],
      },
    ],
    references: [{ index: 0, title: 'A', href: 'https://a.example/', source: 'A', subtitle: 'More' }],
  });
  expect(linksOf(page).get('ai_overview')).toEqual(['https://a.example/']);
  const later = read({ ai_overview: { page_token: 'token' } });
  expect([later.serp.ai_overview, later.features]).toEqual([{}, [{ type: 'ai_overview', links: [] }]]);
});

it('an element without a field in the root object is a feature, each once, with the URLs it shows', () => {
  const links = linksOf({
    answer_box: { title: 'Shoes', link: 'https://answer.example/' },
    local_results: { places: [{ title: 'Shop', links: { website: 'https://shop.example/' } }, { title: 'None' }] },
    top_stories: [{ title: 'News', link: 'https://news.example/' }],
    inline_videos: [{ title: 'Film', link: 'https://video.example/' }],
    video_results: [{ title: 'Film', link: 'https://video.example/' }],
    inline_shopping: [{ title: 'Shoe', link: 'https://www.google.com/aclk?adurl=https://ad.example/' }],
    discussions_and_forums: [{ title: 'Talk', link: 'https://forum.example/' }],
    related_questions: [
      { question: 'Why?', link: 'https://why.example/' },
      { question: 'How?', source: { link: 'https://how.example/' } },
    ],
    inline_images: [{ link: '/search?q=shoes&udm=2', source: 'https://picture.example/', thumbnail: 'data:,' }],
    related_searches: ['red shoes', { query: 'blue shoes', link: 'https://www.google.com/search?q=blue' }],
  });
  expect(Object.fromEntries(links)).toEqual({
    featured_snippet: ['https://answer.example/'],
    local_pack: ['https://shop.example/'],
    top_stories: ['https://news.example/'],
    video: ['https://video.example/'],
    shopping: ['https://ad.example/'],
    discussions_and_forums: ['https://forum.example/'],
    people_also_ask: ['https://why.example/', 'https://how.example/'],
    images: ['https://picture.example/'],
    related_searches: [],
  });
});

it.each([
  [{ type: 'organic_result', link: 'https://a.example/' }, 'featured_snippet', ['https://a.example/']],
  [
    { answer_box_type: 1, answers: [{ source: { link: 'https://a.example/' } }] },
    'featured_snippet',
    ['https://a.example/'],
  ],
  [{ type: 'population_result', sources: [{ link: 'https://a.example/' }] }, 'answer_box', ['https://a.example/']],
  [{ type: 'weather_result', forecast: [{ day: 'Monday' }] }, 'answer_box', []],
  [{ type: 'flight_status', title: 'AA 100' }, 'answer_box', []],
  [
    { type: 'hotels', hotels: [{ title: 'A' }], map_results: [{ link: 'https://www.google.com/travel/x' }] },
    'hotels_pack',
    [],
  ],
  [{ type: 'google_flights', link: 'https://www.google.com/flights', flights: [{}] }, 'google_flights', []],
  [
    { type: 'finance_results', markets: { us: [{ stock: 'A', link: 'https://www.google.com/finance/x' }] } },
    'stocks_box',
    [],
  ],
  [{ type: 'currency_converter', price: 1 }, 'currency_box', []],
  [{ type: 'new_box', places: [{ title: 'A', website: 'https://a.example/' }] }, 'local_pack', ['https://a.example/']],
])('the box %j is a feature named %s', (answer_box, type, links) => {
  expect([...linksOf({ answer_box })]).toEqual([[type, links]]);
  expect([...linksOf({ answer_box: [answer_box] })]).toEqual([[type, links]]);
});

it('a knowledge graph has its facts and its entity, without links and numbers of the vendor', () => {
  const { serp } = read({
    knowledge_graph: {
      title: 'Coffee',
      type: 'Drink',
      kgmid: '/m/02vqfm',
      description: 'Brewed.',
      source: { name: 'Wikipedia', link: 'https://en.wikipedia.org/' },
      patron_saint: 'Drogo',
      patron_saint_links: [{ text: 'Drogo' }],
      thumbnail: 'data:image/png;base64,AAAA',
      image: 'https://image.example/',
    },
  });
  expect(serp.knowledge).toEqual({
    name: 'Coffee',
    subtitle: 'Drink',
    description: 'Brewed.',
    description_source: 'Wikipedia',
    facts: [{ key: 'patron saint', value: [{ text: 'Drogo' }] }],
  });
  expect(serp.overview).toEqual({ kgmid: '/m/02vqfm', title: 'Coffee' });
});

it('boxes of an unexpected shape are left out, and the organic results remain', () => {
  const { serp } = read({
    organic_results: [{ title: 'A', link: 'https://a.example/', sitelinks: 'none', date: 5, rich_snippet: [] }],
    related_questions: { question: 'Why?' },
    related_searches: 7,
    knowledge_graph: 'Coffee',
    ads: null,
    ai_overview: [],
    local_results: 'many',
    inline_images: [{ title: 'No link', thumbnail: 'https://t.example/' }, 'x'],
  });
  expect(serp).toEqual({ organic: [{ rank: 1, title: 'A', link: 'https://a.example/' }] });
});
