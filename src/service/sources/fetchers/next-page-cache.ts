// Remembers how the next page of a search is requested, and pages that were fetched on the way to a later one.
import type { EngineRequest, SearchAsked } from '../../engines/engine.ts';
import type { Clock } from '../../model/ports.ts';

/** The request for a page of a search, as the previous page states it. */
export interface NextPageRequest {
  readonly request: EngineRequest;
  /** Organic results on the pages before it. */
  readonly before: number;
}

/** A page as it was fetched. */
export interface WalkedPage {
  readonly html: string;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

/** How long an entry is used: its tokens expire, and result lists change. */
const knownMsMax = 15 * 60_000;
/** Most searches whose next pages are remembered, and the longest request for one, in characters. */
const searchesMax = 1_000;
const stepCharactersMax = 8_000;
/** Size limit of the pages kept until they are requested, in characters of all together. */
const keptCharactersMax = 4 * 1024 * 1024;

export class NextPageCache {
  readonly #clock: Clock;
  /** By search, then by page. */
  readonly #steps = new Map<string, Map<number, NextPageRequest & { readonly knownAt: number }>>();
  readonly #kept = new Map<string, WalkedPage>();
  #keptCharacters = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The latest page with a known request, up to the requested page. */
  nearest(asked: SearchAsked): { readonly page: number; readonly step: NextPageRequest } | undefined {
    const steps = this.#steps.get(searchKey(asked));
    for (let page = asked.page; page > 1; page--) {
      const step = steps?.get(page);
      if (step !== undefined && this.#clock.now() - step.knownAt < knownMsMax) return { page, step };
    }
    return undefined;
  }

  /** Remembers the request for that page. */
  remember(asked: SearchAsked, step: NextPageRequest): void {
    if (JSON.stringify(step.request).length > stepCharactersMax) return;
    const search = searchKey(asked);
    const steps = this.#steps.get(search) ?? new Map<number, NextPageRequest & { readonly knownAt: number }>();
    this.#steps.delete(search);
    this.#steps.set(search, steps.set(asked.page, { ...step, knownAt: this.#clock.now() }));
    const [oldest] = this.#steps.keys();
    if (this.#steps.size > searchesMax && oldest !== undefined) this.#steps.delete(oldest);
  }

  /** Keeps a page that was fetched to reach a later one. */
  keep(asked: SearchAsked, page: WalkedPage): void {
    this.#drop(pageKey(asked));
    this.#kept.set(pageKey(asked), page);
    this.#keptCharacters += page.html.length;
    for (const key of this.#kept.keys()) {
      if (this.#keptCharacters <= keptCharactersMax) return;
      this.#drop(key);
    }
  }

  /** The page if it was fetched to reach a later one; it is returned once. */
  taken(asked: SearchAsked): WalkedPage | undefined {
    const page = this.#drop(pageKey(asked));
    return page !== undefined && this.#clock.now() - page.observedAt < knownMsMax ? page : undefined;
  }

  #drop(key: string): WalkedPage | undefined {
    const page = this.#kept.get(key);
    if (page === undefined) return undefined;
    this.#kept.delete(key);
    this.#keptCharacters -= page.html.length;
    return page;
  }
}

function searchKey({ keyword, country, language, mobile, location = '' }: SearchAsked): string {
  return JSON.stringify([keyword, country, language, mobile, location]);
}

function pageKey(asked: SearchAsked): string {
  return `${asked.page} ${searchKey(asked)}`;
}
