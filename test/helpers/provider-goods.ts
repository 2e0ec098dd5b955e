// What the scripted provider sells: results pages and keyword metrics, written from the specification's tables.

/** A search as requested, with defaults. */
export interface AskedSearch {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly mobile: boolean;
}

/** What is sold for a request. */
export interface GoodsOptions {
  /** Destinations of a search in order, over all pages. Default: 60 invented sites. */
  readonly results?: (search: AskedSearch) => readonly string[];
  /** `destination_state` of a result by its link. Default: none has one. */
  readonly states?: (link: string) => string | undefined;
  /** Organic results of a page, 1-based. Default: 10, 8, 9 and so on, never the same twice in a row. */
  readonly pageSize?: (page: number) => number;
  /** Whether `rank` begins at 1 on each page or continues over the pages. Default: `restart`. */
  readonly ranks?: 'restart' | 'run-on';
  /** Fields of a page's root object that replace the usual ones: features, mostly. */
  readonly fields?: (search: AskedSearch, page: number) => object;
  /** Rows of keyword data in addition to the requested keyword. */
  readonly related?: (keyword: string) => readonly string[];
}

/** The text of an answer, and what it costs. */
export interface Goods {
  readonly text: string;
  readonly serpCredits: number;
  readonly microUsd: number;
}

/** The answer to a SERP request and its price. */
export function serpGoods(options: GoodsOptions, body: Readonly<Record<string, unknown>>): Goods {
  const search = {
    keyword: String(body['keyword']),
    country: typeof body['country'] === 'string' ? body['country'] : 'US',
    language: typeof body['language'] === 'string' ? body['language'] : 'en',
    mobile: body['mobile'] === true,
  };
  const first = numberOf(body['start_page'], 1);
  const last = numberOf(body['end_page'], 1);
  const pages = Array.from({ length: last - first + 1 }, (_, index) => serpPage(options, search, first + index));
  const isOne = pages.length === 1;
  if (body['format'] !== 'raw') {
    return { text: JSON.stringify(isOne ? pages[0] : pages), serpCredits: pages.length, microUsd: 0 };
  }
  const html = pages.map((page) => `<!doctype html><title>${search.keyword}</title><p>${JSON.stringify(page)}</p>`);
  return { text: isOne ? (html[0] ?? '') : JSON.stringify(html), serpCredits: pages.length, microUsd: 0 };
}

/** A page of the results. Beyond the last result it is empty, as an engine shows it: no `organic`, only the tabs. */
function serpPage(options: GoodsOptions, search: AskedSearch, page: number): object {
  const links = (options.results ?? inventedResults)(search).map((link) => ownPage(link, search.keyword));
  const sizeOf = options.pageSize ?? usualPageSize;
  let before = 0;
  for (let earlier = 1; earlier < page; earlier++) before += sizeOf(earlier);
  const offset = options.ranks === 'run-on' ? before : 0;
  const organic = links.slice(before, before + sizeOf(page)).map((link, index) => ({
    rank: offset + index + 1,
    global_rank: offset + index + 2,
    title: `Result ${before + index + 1} for ${search.keyword}`,
    description: `What ${new URL(link).host} says`,
    link,
    ...(options.states?.(link) !== undefined && { destination_state: options.states(link) }),
    display_link: new URL(link).host,
    source: new URL(link).hostname,
    extensions: [{ type: 'site_link', text: 'Contact', link: new URL('/contact', link).href, rank: 1 }],
  }));
  return {
    ...(organic.length > 0 && { organic }),
    people_also_ask: [
      {
        rank: 1,
        global_rank: 1,
        question: `What is ${search.keyword}?`,
        answers: [{ rank: 1, type: 'answer', value: { text: 'A thing.' } }],
      },
    ],
    related: [{ rank: 1, global_rank: 99, text: `${search.keyword} near me`, link: 'https://engine.example/search' }],
    navigation: [{ title: 'Images', href: 'https://engine.example/images' }],
    ...options.fields?.(search, page),
  };
}

function inventedResults({ keyword }: AskedSearch): string[] {
  return Array.from({ length: 60 }, (_, index) => `https://site${index + 1}.example/${encodeURIComponent(keyword)}`);
}

/** The invented sites of `resultsWith` have a page for each keyword: real unrelated searches share few results. */
function ownPage(link: string, keyword: string): string {
  return /^https:\/\/site\d+\.example\/page$/.test(link) ? `${link}/${encodeURIComponent(keyword)}` : link;
}

function usualPageSize(page: number): number {
  return [10, 8, 9][(page - 1) % 3] ?? 10;
}

/** The answer to a keyword data request and its price. */
export function keywordDataGoods(options: GoodsOptions, body: Readonly<Record<string, unknown>>): Goods {
  const asked = String(body['keyword']);
  const limit = numberOf(body['limit'], 100);
  const keywords = [asked, ...(options.related?.(asked) ?? [`${asked} online`, `cheap ${asked}`])].slice(0, limit);
  const data = keywords.map((keyword, index) => ({
    keyword,
    search_volume: Math.max(10_000 - index * 100, 0),
    cpc: 1.5,
    competition: 42.5,
    competition_level: 'medium',
    country: String(body['country'] ?? 'US').toLowerCase(),
    language: body['language'] ?? 'en',
    intent: 'commercial',
    related_keywords: index === 0 && keywords.length > 1 ? keywords.slice(1) : null,
  }));
  const cost = Math.max(0.01, (data.length / 100) * 0.03);
  const text = JSON.stringify({ success: true, result_count: data.length, cost, data });
  return { text, serpCredits: 0, microUsd: Math.round(cost * 1e6) };
}

export function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
