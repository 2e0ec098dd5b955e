import { expect, it } from 'vitest';
import { featuresOf } from '../../../src/service/index.ts';

it('features of a page are named by the fields of its root object, with the destinations of their links', () => {
  const organic = (link: string, more = {}) => ({ rank: 1, title: '', link, ...more });
  expect(
    featuresOf({
      organic: [organic('https://a.example/'), organic('https://v.example/', { duration: '3:25', duration_sec: 205 })],
      knowledge: { name: 'A' },
      people_also_ask: [{ rank: 1, question: 'Why?' }],
      related: [{ rank: 1, text: 'b', link: 'https://engine.example/' }],
      perspectives: [{ title: 'Fine' }],
      ai_overview: { references: [{ index: 0, title: '', href: 'https://r.example/' }] },
      images: [{ rank: 1, title: '', link: 'https://i.example/', image: 'https://i.example/i.png' }],
      top_ads: [{ rank: 1, title: '', link: 'https://t.example/' }],
      bottom_ads: [{ rank: 1, title: '', link: '' }],
    }),
  ).toEqual([
    { type: 'knowledge_graph', links: [] },
    { type: 'people_also_ask', links: [] },
    { type: 'related_searches', links: [] },
    { type: 'discussions_and_forums', links: [] },
    { type: 'ai_overview', links: ['https://r.example/'] },
    { type: 'images', links: ['https://i.example/'] },
    { type: 'paid', links: ['https://t.example/'] },
    { type: 'video', links: ['https://v.example/'] },
  ]);
});

it('a page shows no empty feature', () => {
  expect(featuresOf({})).toEqual([]);
  expect(featuresOf({ organic: [{ rank: 1, title: '', link: 'https://a.example/' }] })).toEqual([]);
  expect(featuresOf({ overview: { kgmid: '/m/0a' }, ai_overview: {} })).toEqual([
    { type: 'knowledge_graph', links: [] },
    { type: 'ai_overview', links: [] },
  ]);
});
