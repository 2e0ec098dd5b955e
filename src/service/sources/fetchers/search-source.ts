// An engine and a fetcher make a source: pages asked for one after the other, judged before they are given out, and none that is blocked.
import type { Engine, EngineRequest, SearchAsked } from '../../engines/engine.ts';
import { type PageBody, ServiceError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import type { ReadPage } from '../../serp.ts';
import type { FetchedPage, PageRequest, SerpSource, SourceContext, SourceFacts } from '../source.ts';
import type { Fetcher } from './fetcher.ts';

/** How a page of a search is asked for, as the page before it says. */
interface Step {
  readonly request: EngineRequest;
  /** Organic results on the pages before it. */
  readonly before: number;
  readonly knownAt: number;
}

/** How long a page's way to the next one is used; tokens in it are not valid for ever, and lists change. */
const stepMsMax = 15 * 60_000;
/** Searches whose next pages are remembered. */
const searchesMax = 1_000;

export class SearchSource implements SerpSource {
  readonly name: string;
  readonly kind = 'live';
  readonly #engine: Engine;
  readonly #facts: SourceFacts;
  readonly #fetcher: Fetcher;
  readonly #clock: Clock;
  readonly #baseUrl: string | undefined;
  /** By search, then by page. */
  readonly #steps = new Map<string, Map<number, Step>>();

  /** `baseUrl` takes the place of the engine's own host. */
  constructor(engine: Engine, facts: SourceFacts, fetcher: Fetcher, clock: Clock, baseUrl?: string) {
    this.name = engine.name;
    this.#engine = engine;
    this.#facts = facts;
    this.#fetcher = fetcher;
    this.#clock = clock;
    this.#baseUrl = baseUrl;
  }

  async fetchPage(asked: PageRequest, { signal }: SourceContext): Promise<FetchedPage> {
    const device = asked.mobile ? 'mobile' : 'desktop';
    if (!this.#facts.devices.includes(device)) {
      throw new ServiceError('INVALID_REQUEST', `${this.name} has no ${device} pages.`, {
        charged: 'no',
        hint: `Track ${this.#facts.devices.join(' and ')} only, or use another source for ${device}.`,
      });
    }
    const html = await this.#walkTo(asked, signal);
    return { body: { contentType: 'text/html', text: html }, observedAt: this.#clock.now() };
  }

  readPage(body: PageBody, { keyword, mobile }: PageRequest): ReadPage {
    return this.#engine.parse(body.text, { keyword, mobile });
  }

  async close(): Promise<void> {
    await this.#fetcher.close();
  }

  /** Where only a page knows the next one, the pages before are fetched as well, unless this process has seen them of late. */
  async #walkTo(asked: SearchAsked, signal: AbortSignal): Promise<string> {
    const { nextOf } = this.#engine;
    if (nextOf === undefined || asked.page === 1) {
      const { html, read } = await this.#load(this.#engine.request(asked), asked, signal);
      if (nextOf !== undefined) this.#remember(asked, html, read, 0);
      return html;
    }
    const known = this.#nearestStep(asked);
    let request = known?.step.request ?? this.#engine.request({ ...asked, page: 1 });
    let before = known?.step.before ?? 0;
    for (let page = known?.page ?? 1; ; page++) {
      const { html, read } = await this.#load(request, { ...asked, page }, signal);
      const next = this.#remember({ ...asked, page }, html, read, before);
      // An engine that has nothing more on an earlier page has nothing on this one.
      if (page >= asked.page || next === undefined) return html;
      ({ request, before } = next);
    }
  }

  /** Loads a page and judges it. Throws ServiceError for what is no SERP; a way that is blocked is left for another one. */
  async #load(
    request: EngineRequest,
    asked: SearchAsked,
    signal: AbortSignal,
  ): Promise<{ html: string; read: ReadPage }> {
    for (let tries = 1; ; tries++) {
      try {
        const page = await this.#fetcher.load(this.#placed(request), asked, signal);
        const read = this.#judge(page.html, asked, page.settle);
        return { html: page.html, read };
      } catch (error) {
        const isBlocked = error instanceof ServiceError && error.reason === 'blocked';
        if (!isBlocked || tries >= this.#fetcher.triesMax) throw error;
      }
    }
  }

  #judge(html: string, { keyword, mobile }: SearchAsked, settle: (outcome: 'good' | 'blocked') => void): ReadPage {
    try {
      const read = this.#engine.parse(html, { keyword, mobile });
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

  #nearestStep(asked: SearchAsked): { page: number; step: Step } | undefined {
    const steps = this.#steps.get(searchOf(asked));
    for (let page = asked.page; page > 1; page--) {
      const step = steps?.get(page);
      if (step !== undefined && this.#clock.now() - step.knownAt < stepMsMax) return { page, step };
    }
    return undefined;
  }

  /** Keeps how the next page is asked for; undefined where this page has no results, so that there is none. */
  #remember(asked: SearchAsked, html: string, read: ReadPage, before: number): Step | undefined {
    const organics = read.serp.organic?.length ?? 0;
    if (organics === 0 || this.#engine.nextOf === undefined) return undefined;
    const next = { ...asked, page: asked.page + 1 };
    const request = this.#engine.nextOf(html, next, before);
    const step = { request, before: before + organics, knownAt: this.#clock.now() };
    const key = searchOf(asked);
    const steps = this.#steps.get(key) ?? new Map<number, Step>();
    this.#steps.delete(key);
    this.#steps.set(key, steps.set(next.page, step));
    const [oldest] = this.#steps.keys();
    if (this.#steps.size > searchesMax && oldest !== undefined) this.#steps.delete(oldest);
    return step;
  }
}

function searchOf({ keyword, country, language, mobile }: SearchAsked): string {
  return JSON.stringify([keyword, country, language, mobile]);
}
