// A provider written from the specification alone, with its own bill and faults on demand. Shares no product code.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Loopback, listenOnLoopback } from '../helpers/loopback.ts';

/** What goes wrong with one request. `sold` says whether the provider charges for it. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly code?: string; readonly retryAfter?: string }
  | { readonly kind: 'reset' | 'hang' | 'truncated' | 'html' | 'bare' | 'other-shape'; readonly sold: boolean };

export interface Ask {
  readonly path: string;
  readonly keyword: string;
  readonly country: string;
  readonly device: 'desktop' | 'mobile';
  readonly pages: readonly number[];
  /** How often this very body came before. */
  readonly earlier: number;
  /** Requests of any kind before this one. */
  readonly order: number;
}

/** The links of a search in their true order, over all pages. */
export type Truth = (ask: { keyword: string; country: string; device: string }) => readonly string[];

export interface SpecProviderOptions {
  truth?: Truth;
  fault?: (ask: Ask) => Fault | undefined;
  /** Whether `rank` starts at 1 on each page, or continues. */
  ranks?: 'restart' | 'run-on';
  delayMs?: number;
  volumes?: ReadonlyMap<string, number>;
}

export class SpecProvider {
  truth: Truth;
  fault: (ask: Ask) => Fault | undefined;
  readonly ranks: 'restart' | 'run-on';
  delayMs: number;
  volumes: ReadonlyMap<string, number>;
  /** Pages sold, as `keyword country device page`, in the order of the sale. */
  readonly sold: string[] = [];
  /** Pages that were sent in a complete, readable answer. */
  readonly delivered: string[] = [];
  readonly asks: Ask[] = [];
  microUsd = 0;
  mostAtOnce = 0;
  private underWay = 0;
  private readonly seen = new Map<string, number>();
  private readonly server: Loopback;

  private constructor(server: Loopback, options: SpecProviderOptions) {
    this.server = server;
    this.truth = options.truth ?? defaultTruth;
    this.fault = options.fault ?? (() => undefined);
    this.ranks = options.ranks ?? 'restart';
    this.delayMs = options.delayMs ?? 0;
    this.volumes = options.volumes ?? new Map();
  }

  static async start(options: SpecProviderOptions = {}): Promise<SpecProvider> {
    const server = await listenOnLoopback((request, response) => void provider.answer(request, response));
    const provider = new SpecProvider(server, options);
    return provider;
  }

  get baseUrl(): string {
    return this.server.url;
  }

  async stop(): Promise<void> {
    await this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.underWay += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.underWay);
    response.on('close', () => {
      this.underWay -= 1;
    });
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.headers['service-api-user'] !== 'ada' || request.headers['service-api-password'] !== 'sesame') {
      return refuse(response, 401, 'INVALID_API_KEY');
    }
    const body = JSON.parse(text) as Record<string, unknown>;
    if (String(body['keyword'] ?? '').trim() === '') return refuse(response, 400, 'KEYWORD_REQUIRED');
    const ask = this.note(request.url ?? '', body, text);
    const fault = this.fault(ask);
    if (fault?.kind === 'status') return refuse(response, fault.status, fault.code, fault.retryAfter);
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const value = ask.path === '/v1/serp' ? this.serp(ask) : this.metrics(ask, body);
    if (fault === undefined || fault.sold) this.charge(ask, value);
    send(response, JSON.stringify(value), fault?.kind, () => this.delivered.push(...names(ask)));
  }

  private note(path: string, body: Record<string, unknown>, text: string): Ask {
    const first = Number(body['start_page'] ?? 1);
    const last = Number(body['end_page'] ?? first);
    const earlier = this.seen.get(path + text) ?? 0;
    this.seen.set(path + text, earlier + 1);
    const ask: Ask = {
      path,
      keyword: String(body['keyword']),
      country: String(body['country'] ?? 'US'),
      device: body['mobile'] === true ? 'mobile' : 'desktop',
      pages: Array.from({ length: last - first + 1 }, (_, index) => first + index),
      earlier,
      order: this.asks.length,
    };
    this.asks.push(ask);
    return ask;
  }

  private charge(ask: Ask, value: unknown): void {
    if (ask.path === '/v1/serp') this.sold.push(...names(ask));
    else this.microUsd += Math.max(10_000, 300 * (value as { result_count: number }).result_count);
  }

  private serp(ask: Ask): unknown {
    // invented sites have a page for each keyword: real unrelated searches share few results, and titles name the query
    const links = this.truth(ask).map((link) => ownPage(link, ask.keyword));
    const pages = ask.pages.map((page) => {
      const before = placesBefore(page);
      const own = links.slice(before, before + sizeOf(page));
      const organic = own.map((link, index) => ({
        rank: index + 1 + (this.ranks === 'run-on' ? before : 0),
        global_rank: index + 2,
        title: `${ask.keyword}: ${link}`,
        description: 'A snippet.',
        link,
        display_link: new URL(link).hostname,
      }));
      return {
        organic,
        top_ads: [{ rank: 1, title: 'Ad', link: 'https://acme.com/ad' }],
        related: related(ask.keyword),
      };
    });
    return pages.length === 1 ? pages[0] : pages;
  }

  private metrics(ask: Ask, body: Record<string, unknown>): unknown {
    const known = [...this.volumes].sort(([, left], [, right]) => right - left);
    const asked = known.filter(([keyword]) => keyword === ask.keyword);
    const others = known
      .filter(([keyword]) => keyword !== ask.keyword)
      .slice(0, Number(body['limit'] ?? 100) - asked.length);
    const data = [...asked, ...others]
      .sort(([, left], [, right]) => right - left)
      .map(([keyword, volume]) => ({
        keyword,
        search_volume: volume,
        cpc: 0.5,
        competition: 40,
        competition_level: 'medium',
        country: ask.country.toLowerCase(),
        language: 'en',
        intent: 'commercial',
        related_keywords: null,
      }));
    return { success: true, result_count: data.length, cost: Math.max(0.01, data.length * 0.0003), data };
  }
}

/** Pages hold 8, 9 or 10 organic results. */
export const sizeOf = (page: number): number => 8 + ((page * 2) % 3);

export function placesBefore(page: number): number {
  let results = 0;
  for (let each = 1; each < page; each += 1) results += sizeOf(each);
  return results;
}

function ownPage(link: string, keyword: string): string {
  return /^https:\/\/site-\d+\.example\/page$/.test(link) ? `${link}/${encodeURIComponent(keyword)}` : link;
}

/** A list of 100 links with each site at its rank. */
export function linksWith(sites: Readonly<Record<string, number>>): string[] {
  const links = Array.from({ length: 100 }, (_, index) => `https://site-${index + 1}.example/page`);
  for (const [site, rank] of Object.entries(sites)) links[rank - 1] = `https://www.${site}/found`;
  return links;
}

const defaultTruth: Truth = () => linksWith({ 'acme.com': 3 });
const related = (keyword: string) => [{ rank: 1, global_rank: 30, text: `${keyword} more`, link: '/search?q=more' }];
const names = ({ keyword, country, device, pages }: Ask) =>
  pages.map((page) => `${keyword} ${country} ${device} ${page}`);

function refuse(response: ServerResponse, status: number, code = 'INTERNAL_ERROR', retryAfter?: string): void {
  const headers = {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  };
  response.writeHead(status, headers).end(JSON.stringify({ error: `Refused with ${status}`, code }));
}

function send(response: ServerResponse, text: string, kind: Fault['kind'] | undefined, delivered: () => void): void {
  const json = { 'content-type': 'application/json' };
  if (kind === 'reset') response.socket?.resetAndDestroy();
  else if (kind === 'truncated') response.writeHead(200, json).end(text.slice(0, text.length / 2));
  else if (kind === 'html')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><h1>Bad gateway</h1></html>');
  else if (kind === 'bare') response.writeHead(200, json).end('{}');
  else if (kind === 'other-shape') response.writeHead(200, json).end('{"organic":"none","results":[1,2]}');
  else if (kind !== 'hang') {
    delivered();
    response.writeHead(200, json).end(text);
  }
}
