// A source that combines an engine and a fetcher: requests pages in order, and never returns a blocked one.

import type { Engine, EngineRequest, PageContext, SearchAsked } from '../../engines/engine.ts';
import type { Charged } from '../../model/charged.ts';
import { type PageBody, type PageFailureReason, ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { RequestTally, requestsSince } from '../../model/request-tally.ts';
import type { ReadPage } from '../../model/results/serp.ts';
import type {
  FetchedPage,
  PageRequest,
  SerpSource,
  SourceContext,
  SourceFacts,
  SourceProbe,
} from '../../model/source.ts';
import { refuseLocation } from '../vendor-kit/market.ts';
import type { Fetcher, LoadedPage } from './fetcher.ts';
import { followRedirects } from './follow-redirects.ts';
import { NextPageCache, type NextPageRequest } from './next-page-cache.ts';

/** A page that is a SERP. */
interface JudgedPage {
  readonly html: string;
  readonly read: ReadPage;
  readonly observedAt: number;
}

/** One call: its waiting caller, and the tally of its requests. */
interface Call {
  readonly signal: AbortSignal;
  readonly requests: RequestTally;
}

export class SearchSource implements SerpSource {
  readonly name: string;
  readonly kind = 'live';
  readonly #engine: Engine;
  readonly #facts: SourceFacts;
  readonly #fetcher: Fetcher;
  readonly #clock: Clock;
  readonly #baseUrl: string | undefined;
  /** Results of parsing a body, cached while the body is in use. */
  readonly #judged = new WeakMap<PageBody, { asked: SearchAsked; read: ReadPage }>();
  readonly #trail: NextPageCache;

  /** `baseUrl` replaces the engine's own host. */
  constructor(engine: Engine, facts: SourceFacts, fetcher: Fetcher, clock: Clock, baseUrl?: string) {
    this.name = engine.name;
    this.#engine = engine;
    this.#facts = facts;
    this.#fetcher = fetcher;
    this.#clock = clock;
    this.#baseUrl = baseUrl;
    this.#trail = new NextPageCache(clock);
  }

  async fetchPage(asked: PageRequest, { signal, requests = new RequestTally() }: SourceContext): Promise<FetchedPage> {
    const device = asked.mobile ? 'mobile' : 'desktop';
    if (!this.#facts.devices.includes(device)) {
      throw new ServiceError('INVALID_REQUEST', `${this.name} has no ${device} pages.`, {
        charged: 'no',
        hint: `Track ${this.#facts.devices.join(' and ')} only, or use another source for ${device}.`,
      });
    }
    refuseLocation(this.name, this.#facts, asked.location);
    const before = requests.count;
    const { html, read, observedAt } = await this.#walkTo(asked, { signal, requests });
    const body = toPageBody(html);
    this.#judged.set(body, { asked, read });
    return { body, observedAt, requests: requestsSince(before, requests.count) };
  }

  readPage(body: PageBody, asked: PageRequest, receivedAt?: number): ReadPage {
    const judged = this.#judged.get(body);
    if (judged !== undefined && isSamePage(judged.asked, asked)) return judged.read;
    return this.#engine.parse(body.text, pageContext(asked, receivedAt));
  }

  /** Tests the route to the engine. The engine itself is not queried: it would count the request. */
  async probe({ signal }: SourceContext): Promise<SourceProbe> {
    const any = { keyword: 'weather', country: 'US', language: 'en', mobile: false, page: 1 };
    const engine = new URL(this.#placed(this.#engine.request(any)).url);
    const unknown = { creditsLeft: null, unit: 'credit' } as const;
    try {
      const { answers, message, problems } = await this.#fetcher.probe(engine, signal);
      return { ...unknown, answers, message, ...(problems.length > 0 && { problems }) };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { ...unknown, answers: false, message: `${error.message} ${error.hint}`, problems: [error] };
    }
  }

  async close(): Promise<void> {
    await this.#fetcher.close();
  }

  /**
   * If only a page knows the next one, the pages before are fetched too, unless this process fetched them recently;
   * each is kept until it is requested. Throws INVALID_REQUEST, charged `no`, if that needs more requests than one page
   * may take.
   */
  async #walkTo(asked: SearchAsked, call: Call): Promise<JudgedPage> {
    const { nextOf } = this.#engine;
    if (nextOf === undefined) return await this.#load(this.#engine.request(asked), asked, call);
    const kept = this.#trail.taken(asked);
    if (kept !== undefined) return { ...kept, read: this.readPage(toPageBody(kept.html), asked, kept.observedAt) };
    const known = this.#trail.nearest(asked);
    const first = known?.page ?? 1;
    this.#refuseLongWalk(asked.page, first);
    let step = known?.step ?? { request: this.#engine.request({ ...asked, page: 1 }), before: 0 };
    for (let page = first; ; page++) {
      const here = { ...asked, page };
      const judged = await this.#load(step.request, here, call).catch((error: unknown) => {
        throw page === first ? error : this.#afterPaid(error);
      });
      const next = this.#findNextRequest(here, judged, step.before);
      // If the engine has no more results on an earlier page, it has none on this one.
      if (page >= asked.page || next === undefined) return judged;
      this.#trail.keep(here, judged);
      step = next;
    }
  }

  #refuseLongWalk(page: number, first: number): void {
    const { requestsMax } = this.#fetcher;
    if (page - first < requestsMax) return;
    throw new ServiceError(
      'INVALID_REQUEST',
      `Page ${page} can be reached only through the pages before it, which this process has not fetched; one page may take at most ${requestsMax} requests.`,
      { charged: 'no', hint: 'Request the pages in order.' },
    );
  }

  /** A failure after paid earlier pages: the failed request itself is not the whole cost. */
  #afterPaid(error: unknown): unknown {
    const isPaid = this.#fetcher.charge === 'yes';
    return isPaid && error instanceof ServiceError && error.charged === 'no'
      ? error.with({ charged: 'unknown' })
      : error;
  }

  /** Loads a page and judges it. Throws ServiceError if it is no SERP. Replaces a blocked route by another one. */
  async #load(request: EngineRequest, asked: SearchAsked, { signal, requests }: Call): Promise<JudgedPage> {
    for (let attempts = 1; ; attempts++) {
      const sent: ((charged: Charged) => void)[] = [];
      const loading = { signal, onSend: () => void sent.push(requests.begin()) };
      try {
        const page = await this.#fetcher.load(this.#placed(request), asked, loading);
        for (const end of sent) end(this.#fetcher.charge);
        const observedAt = this.#clock.now();
        const read = this.#judge(page, asked, observedAt);
        return { ...(await this.#resolved(page, read, asked, observedAt, { signal, requests })), observedAt };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        for (const end of sent) end(error.charged);
        const isBlocked = error.reason === 'blocked';
        if (isBlocked && attempts < this.#fetcher.attemptsMax) continue;
        const hint = error.reason === undefined ? undefined : hints[error.reason];
        throw hint === undefined ? error : error.with({ hint });
      }
    }
  }

  /** The page with its hidden destinations resolved as far as possible. */
  async #resolved(
    page: LoadedPage,
    read: ReadPage,
    asked: SearchAsked,
    observedAt: number,
    { signal, requests }: Call,
  ): Promise<Pick<JudgedPage, 'html' | 'read'>> {
    const sent: ((charged: Charged) => void)[] = [];
    const loading = { signal, onSend: () => void sent.push(requests.begin()) };
    try {
      const html = await followRedirects(page, read, this.#engine, asked, loading, this.#clock);
      return html === page.html ? { html, read } : { html, read: this.#judge({ ...page, html }, asked, observedAt) };
    } finally {
      for (const end of sent) end('no');
    }
  }

  #judge({ html, settle }: LoadedPage, asked: SearchAsked, observedAt: number): ReadPage {
    try {
      const read = this.#engine.parse(html, pageContext(asked, observedAt));
      settle('good');
      return read;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.reason === 'blocked') settle('blocked');
      const { charge, wallHint } = this.#fetcher;
      const isWall = error.reason === 'javascript_wall' && wallHint !== undefined;
      throw error.with({ charged: charge, ...(isWall && { disposition: 'abandon', hint: wallHint }) });
    }
  }

  #placed(request: EngineRequest): EngineRequest {
    if (this.#baseUrl === undefined) return request;
    const { pathname, search } = new URL(request.url);
    return { ...request, url: new URL(`${pathname}${search}`, this.#baseUrl).href };
  }

  /**
   * Finds and remembers the request for the next page; undefined if this page has no results, because then no page
   * follows.
   */
  #findNextRequest(asked: SearchAsked, { html, read }: JudgedPage, before: number): NextPageRequest | undefined {
    const organics = read.serp.organic?.length ?? 0;
    if (organics === 0 || this.#engine.nextOf === undefined) return undefined;
    const next = { ...asked, page: asked.page + 1 };
    const step = { request: this.#engine.nextOf(html, next, before), before: before + organics };
    this.#trail.remember(next, step);
    return step;
  }
}

/** The remedy if an engine blocks requests. */
const unwelcomeHint =
  'Request pages more slowly (`requestsPerSecond`), use other `proxies`, or a source that sells pages.';
const hints: Readonly<Partial<Record<PageFailureReason, string>>> = {
  blocked: unwelcomeHint,
  consent: unwelcomeHint,
  stale_page: 'Check the clock of this machine, and whether a proxy or the unlocker answers from a cache.',
};

function isSamePage(one: SearchAsked, other: SearchAsked): boolean {
  return one.keyword === other.keyword && one.mobile === other.mobile && one.location === other.location;
}

function pageContext(asked: SearchAsked, requestedAt?: number): PageContext {
  const { keyword, mobile, country, language, location } = asked;
  return { keyword, mobile, country, language, location, ...(requestedAt !== undefined && { requestedAt }) };
}

function toPageBody(html: string): PageBody {
  return { contentType: 'text/html', text: html };
}
