// A page that has every field of the specification's tables, once.
import type { PageRequest, ReadPage } from '../../../src/service/index.ts';

export function fullPage({ keyword, page }: PageRequest): ReadPage {
  return {
    serp: {
      organic: [
        {
          rank: 1,
          global_rank: 2,
          title: `${keyword} on page ${page}`,
          description: 'A snippet.',
          link: 'https://one.example/',
          display_link: 'https://one.example',
          source: 'One',
          extensions: [
            { type: 'site_link', text: 'Sale', link: 'https://one.example/sale', rank: 1 },
            { type: 'date', text: '3 days ago', rank: 2 },
          ],
        },
        {
          rank: 2,
          global_rank: 4,
          title: 'A video',
          link: 'https://two.example/',
          image: 'https://two.example/thumbnail.jpg',
          duration: '2:05',
          duration_sec: 125,
        },
      ],
      knowledge: {
        name: 'Shoes',
        subtitle: 'Footwear',
        description: 'They are worn on feet.',
        description_source: 'Encyclopedia',
        facts: [{ key: 'Invented', value: [{ text: 'long ago' }] }],
      },
      people_also_ask: [
        {
          rank: 1,
          global_rank: 3,
          question: 'Why shoes?',
          answer_source: 'https://three.example/',
          answers: [{ rank: 1, type: 'answer', value: { text: 'Because of stones.' } }],
        },
      ],
      related: [{ rank: 1, global_rank: 5, text: 'boots', link: 'https://search.example/?q=boots' }],
      navigation: [{ title: 'Images', href: 'https://search.example/images' }],
      perspectives: [{ title: 'My shoes', author: 'Ann', source: 'Forum' }],
      ai_overview: {
        texts: [
          { type: 'title', snippet: 'Shoes' },
          { type: 'paragraph', snippet: 'They protect feet.', reference_indexes: [0] },
          { type: 'list', title: 'Kinds', list: [{ type: 'paragraph', snippet: 'Boots' }] },
          { type: 'code', snippet: 'shoes = 2' },
        ],
        references: [{ index: 0, title: 'Feet', href: 'https://four.example/', source: 'Four', subtitle: 'On feet' }],
      },
      images: [{ rank: 1, title: 'A shoe', link: 'https://five.example/', image: 'https://five.example/shoe.jpg' }],
      top_ads: [{ rank: 1, title: 'Buy', link: 'https://six.example/', referral_link: 'https://ads.example/?to=six' }],
      bottom_ads: [{ rank: 1, title: 'Sell', link: 'https://seven.example/', referral_link: 'https://ads.example/7' }],
      overview: { kgmid: '/m/06rrc', title: 'Shoe' },
    },
    features: [{ type: 'local_pack', links: ['https://hidden.example/'] }],
  };
}
