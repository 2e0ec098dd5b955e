// DataForSEO, live, written from its documentation. The queue has separate tests.
import { itemTypes } from '../../../../src/service/sources/dataforseo/page.ts';
import { panelLinks, type SourceSubject, sample } from '../subject.ts';
import type { Reply, SeenRequest } from '../vendor-server.ts';

/** The content of a call's only task. */
interface AskedTask {
  readonly keyword?: string;
  readonly location_code?: number;
  readonly language_code?: string;
  readonly device?: string;
  readonly depth?: number;
  readonly max_crawl_pages?: number;
  readonly search_param?: string;
}

/** One task in its envelope; the call has a separate status. */
export function envelope(task: Record<string, unknown>): Record<string, unknown> {
  return {
    version: '0.1.20260717',
    status_code: 20000,
    status_message: 'Ok.',
    cost: task['cost'] ?? 0,
    tasks_count: 1,
    tasks: [{ id: '07231252-7652-0139-0000-301b3ccdda6f', status_code: 20000, status_message: 'Ok.', ...task }],
  };
}

/** A task that is done, with these elements on its page. */
export function done(keyword: string, items: readonly unknown[], more: Record<string, unknown> = {}) {
  return envelope({
    cost: 0.002,
    result: [{ keyword, type: 'organic', se_domain: 'google.com', items_count: items.length, items, ...more }],
  });
}

export function results(links: readonly string[]): Record<string, unknown>[] {
  return links.map((url, index) => ({
    type: 'organic',
    rank_group: 41 + index,
    // not usable: it gives no order
    rank_absolute: 77,
    position: 'left',
    title: `Result ${index}`,
    url,
    description: 'Words',
  }));
}

function refusal(status_code: number, status_message: string, more: Partial<Reply> = {}): Reply {
  return { body: { status_code, status_message, cost: 0, tasks: null }, ...more };
}

export function taskIn(request: SeenRequest): AskedTask {
  return (request.json as readonly AskedTask[] | undefined)?.[0] ?? {};
}

/** The password in the authorization header. */
export function passwordIn({ headers }: SeenRequest): string {
  const [, encoded = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  return Buffer.from(encoded, 'base64').toString().split(':')[1] ?? '';
}

export const dataForSeo: SourceSubject = {
  source: 'dataforseo',
  hasKeys: true,
  keyOption: 'password',
  options: (keys) => {
    const [only = '', ...others] = keys;
    if (others.length === 0) return { login: 'user-0@agency.example', password: only };
    return { accounts: keys.map((password, index) => ({ login: `user-${index}@agency.example`, password })) };
  },
  page: ({ keyword }, links) => done(keyword, results(links)),
  panel: () =>
    done('shoes', [
      ...results(['https://a.example/']),
      {
        type: 'knowledge_graph',
        title: 'Acme',
        url: panelLinks.website,
        items: [
          { type: 'knowledge_graph_images_item', items: [{ url: panelLinks.picture }] },
          { type: 'knowledge_graph_description_item', links: [{ type: 'link_element', url: panelLinks.source }] },
          { type: 'knowledge_graph_row_item', title: 'Profiles', links: [{ url: panelLinks.profile }] },
          { type: 'knowledge_graph_hotels_booking_item', items: [{ is_paid: true, url: 'https://ad.example/' }] },
        ],
      },
    ]),
  empty: () => ({
    body: envelope({ status_code: 40102, status_message: 'No Search Results.', cost: 0.002, result: null }),
  }),
  silent: ({ keyword }) => done(keyword, [{ type: 'related_searches', items: ['another'] }]),
  corrected: ({ keyword }, searched, links) =>
    done(keyword, results(links), { spell: { keyword: searched, type: 'showing_results_for' } }),
  throttled: refusal(40202, 'The rate-limit per minute has been exceeded.', { headers: { 'retry-after': '7' } }),
  outOfCredits: refusal(40210, 'Insufficient Funds.'),
  badKey: { status: 401, body: { status_code: 40100, status_message: 'You are not authorized.', tasks: null } },
  serverError: { status: 500, body: { status_code: 50000, status_message: 'Internal Error.', tasks: null } },
  errorInside: {
    body: { status_code: 20000, tasks: [{ status_code: 40103, status_message: 'Task execution failed.' }] },
  },
  asked: (request) => {
    const { keyword = '', location_code, language_code = '', device, search_param } = taskIn(request);
    const start = new URLSearchParams(search_param).get('start');
    return {
      keyword: decodeURIComponent(keyword),
      country: String(location_code),
      language: language_code,
      device: device as 'desktop',
      page: start === null ? 1 : Number(start) / 10 + 1,
      key: passwordIn(request),
    };
  },
  abroad: { country: '2826', language: 'pt-BR' },
  probe: {
    path: '/v3/appendix/user_data',
    reply: { body: envelope({ result: [{ login: 'x', money: { total: 100, balance: 12.345678 } }] }) },
    creditsLeft: 12_345_678,
  },
  samples: [
    {
      name: 'dataforseo-flights',
      keyword: 'flight ticket new york san francisco',
      body: envelope(sample('dataforseo-flights.json')),
      organic: 6,
      first: 'https://www.kayak.com/flight-routes/New-York-NYC/San-Francisco-SFO',
      last: 'https://books.google.com/books?id=av3umFsqbAEC&pg=PA305&lpg=PA305&dq=flight+ticket+new+york+san+francisco&source=bl&ots=fJJY5RUS9l&sig=ACfU3U16ejUqNf23jHD32QNCxDCa05Vn9g&hl=en&ppis=_e&sa=X&ved=2ahUKEwjs_4OnouzlAhXJ4zgGHeBcD3oQ6AEwdXoECHEQAQ',
      features: ['featured_snippet', 'paid'],
    },
    {
      name: 'dataforseo-elements',
      keyword: 'star wars',
      body: done('star wars', sample('dataforseo-elements.json')['items'] as unknown[]),
      organic: 1,
      first: 'https://www.t-mobile.com/cell-phone/apple-iphone-12-pro',
      last: 'https://www.t-mobile.com/cell-phone/apple-iphone-12-pro',
      features: [...itemTypes.keys()].filter((type) => type !== 'organic'),
    },
  ],
};
