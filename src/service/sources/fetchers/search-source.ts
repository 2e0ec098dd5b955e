// A source that combines an engine and a fetcher: requests pages in order, and never returns a blocked one.
import type { Engine, EngineRequest, PageContext, SearchAsked } from '../../engines/engine.ts';
import type { Charged } from '../../model/charged.ts';
import { RequestTally, requestsSince } from '../../model/charged.ts';
import { type PageBody, type PageFailureReason, ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import type { ReadPage } from '../../model/results/serp.ts';
import type {
  FetchedPage,
  PageRequest,
  SerpSource,
  SourceContext,
  SourceFacts,
  SourceProbe,
} from '../../model/source.ts';
import { startDeadline } from '../../model/time/deadline.ts';
import { refusePage } from '../vendor-kit/market.ts';
import { probing, testOutcome } from '../vendor-kit/probe.ts';
import type { Fetcher, LoadedPage, Loading } from './fetcher.ts';

/** A page that is a SERP. */
interface JudgedPage {
  readonly html: string;
  /** UTC milliseconds. */
  readonly observedAt: number;
  /** Number of organic results. */
  readonly organics: number;
}

/** The request for a page of a search, as the previous page states it. */
interface Step {
  readonly request: EngineRequest;
  /** Organic results on the pages before it. */
  readonly before: number;
}

/** One call: its waiting caller, and the tally of its requests. */
interface Call {
  readonly signal: AbortSignal;
  readonly requests: RequestTally;
}

/** Maximum number of redirects followed per page, and their total time. */
const redirectsMax = 10;
const redirectsMsMax = 10_000;

export class SearchSource implements SerpSource {
  readonly name: string;
  readonly kind = 'live';
  readonly #engine: Engine;
  readonly #facts: SourceFacts;
  readonly #fetcher: Fetcher;
  readonly #clock: Clock;
  readonly #baseUrl: string | undefined;
  readonly #trail: Trail;

  /** `baseUrl` replaces the engine's own host. */
  constructor(engine: Engine, facts: SourceFacts, fetcher: Fetcher, clock: Clock, baseUrl?: string) {
    this.name = engine.name;
    this.#engine = engine;
    this.#facts = facts;
    this.#fetcher = fetcher;
    this.#clock = clock;
    this.#baseUrl = baseUrl;
    this.#trail = new Trail(clock);
  }

  async fetchPage(asked: PageRequest, { signal, requests = new RequestTally() }: SourceContext): Promise<FetchedPage> {
    refusePage(this.name, this.#facts, asked);
    const before = requests.count;
    const { html, observedAt } = await this.#walkTo(asked, { signal, requests });
    const body = { contentType: 'text/html', text: html } as const;
    return { body, observedAt, requests: requestsSince(before, requests.count) };
  }

  readPage(body: PageBody, asked: PageRequest, receivedAt?: number): ReadPage {
    return this.#engine.parse(body.text, pageContext(asked, receivedAt));
  }

  /** Tests the route to the engine. The engine itself is not queried: it would count the request. */
  async probe({ signal }: SourceContext): Promise<SourceProbe> {
    const any = { keyword: 'weather', country: 'US', language: 'en', mobile: false, page: 1 };
    const engine = new URL(this.#placed(this.#engine.request(any)).url);
    return await probing(async () => {
      const { answers, message, problems } = await this.#fetcher.probe(engine, signal);
      return testOutcome(answers, message, problems);
    });
  }

  async close(): Promise<void> {
    await this.#fetcher.close();
  }

  /**
   * If only a page knows the next one, the pages before are fetched too, unless this process fetched them recently;
   * each is kept until it is requested.
   */
  async #walkTo(asked: SearchAsked, call: Call): Promise<Pick<JudgedPage, 'html' | 'observedAt'>> {
    const { nextOf } = this.#engine;
    if (nextOf === undefined) return await this.#load(this.#engine.request(asked), asked, call);
    const kept = this.#trail.taken(asked);
    if (kept !== undefined) return kept;
    const known = this.#trail.nearest(asked);
    const first = known?.page ?? 1;
    let step: Step = known ?? { request: this.#engine.request({ ...asked, page: 1 }), before: 0 };
    for (let page = first; ; page++) {
      const here = { ...asked, page };
      const judged = await this.#load(step.request, here, call).catch((error: unknown) => {
        throw page === first ? error : this.#afterPaid(error);
      });
      // a page without results is the last one, and if the engine has no more on an earlier page, it has none on this
      if (judged.organics === 0) return judged;
      const next = { ...asked, page: page + 1 };
      step = { request: nextOf(judged.html, next, step.before), before: step.before + judged.organics };
      this.#trail.remember(next, step);
      if (page >= asked.page) return judged;
      this.#trail.keep(here, judged);
    }
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
        const html = await this.#withDestinations(page, read, asked, { signal, requests });
        const { serp } = html === page.html ? read : this.#judge({ ...page, html }, asked, observedAt);
        return { html, observedAt, organics: serp.organic?.length ?? 0 };
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

  /**
   * The page with hidden destinations, resolved through the engine's redirects, written into it, so that it always
   * parses the same. Unresolved destinations stay hidden: resolving never loses a received page.
   */
  async #withDestinations(
    { html, follow }: LoadedPage,
    { serp }: ReadPage,
    asked: SearchAsked,
    { signal, requests }: Call,
  ): Promise<string> {
    const { hidden } = this.#engine;
    const hides = serp.organic?.some((result) => result.destination_state !== undefined) === true;
    if (!hides || follow === undefined || hidden === undefined) return html;
    const found = new Map<string, string>();
    const sent: ((charged: Charged) => void)[] = [];
    const deadline = startDeadline(this.#clock, redirectsMsMax, signal);
    const loading: Loading = { signal: deadline.signal, onSend: () => void sent.push(requests.begin()) };
    try {
      for (const redirect of hidden.redirectsOf(html, asked).slice(0, redirectsMax)) {
        const target = await follow(redirect, loading);
        // If the engine redirects nowhere, or to itself, it does not want more requests.
        if (target === undefined || !hidden.isDestination(target)) break;
        found.set(redirect, target);
      }
    } catch {
      // Destinations resolved so far count; the caller notices its own cancellation.
    } finally {
      deadline.end();
      for (const end of sent) end('no');
    }
    signal.throwIfAborted();
    return found.size === 0 ? html : hidden.withDestinations(html, found);
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
}

/** The remedy if an engine blocks requests. */
const unwelcomeHint =
  'Request pages more slowly (`requestsPerSecond`), use other `proxies`, or a source that sells pages.';
const hints: Readonly<Partial<Record<PageFailureReason, string>>> = {
  blocked: unwelcomeHint,
  consent: unwelcomeHint,
  stale_page: 'Check the clock of this machine, and whether a proxy or the unlocker answers from a cache.',
};

function pageContext({ page: _, ...asked }: SearchAsked, requestedAt?: number): PageContext {
  return { ...asked, requestedAt };
}

/** How long an entry is used: its tokens expire, and result lists change. */
const knownMsMax = 15 * 60_000;
/** Most next pages that are remembered, and the longest request for one, in characters. */
const stepsMax = 1_000;
const stepCharactersMax = 8_000;
/** Most pages that are kept until they are requested, and the longest of them, in characters. */
const keptMax = 10;
const keptCharactersMax = 400_000;

/** Remembers how the next page of a search is requested, and pages that were fetched on the way to a later one. */
class Trail {
  readonly #clock: Clock;
  readonly #steps = new Map<string, Step & { readonly knownAt: number }>();
  readonly #kept = new Map<string, JudgedPage>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The latest page with a known request, up to the requested page. */
  nearest(asked: SearchAsked): (Step & { readonly page: number }) | undefined {
    for (let page = asked.page; page > 1; page--) {
      const step = this.#steps.get(pageKey({ ...asked, page }));
      if (step !== undefined && this.#clock.now() - step.knownAt < knownMsMax) return { ...step, page };
    }
    return undefined;
  }

  /** Remembers the request for that page. */
  remember(asked: SearchAsked, step: Step): void {
    if (JSON.stringify(step.request).length > stepCharactersMax) return;
    setLatest(this.#steps, pageKey(asked), { ...step, knownAt: this.#clock.now() }, stepsMax);
  }

  /** Keeps a page that was fetched to reach a later one. */
  keep(asked: SearchAsked, page: JudgedPage): void {
    if (page.html.length <= keptCharactersMax) setLatest(this.#kept, pageKey(asked), page, keptMax);
  }

  /** The page if it was fetched to reach a later one; it is returned once. */
  taken(asked: SearchAsked): JudgedPage | undefined {
    const page = this.#kept.get(pageKey(asked));
    this.#kept.delete(pageKey(asked));
    return page !== undefined && this.#clock.now() - page.observedAt < knownMsMax ? page : undefined;
  }
}

function setLatest<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}

function pageKey({ keyword, country, language, mobile, page, location = '' }: SearchAsked): string {
  return JSON.stringify([keyword, country, language, mobile, page, location]);
}
