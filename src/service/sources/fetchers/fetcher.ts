// The contract of a fetcher: a request of an engine in, the page as it came out. What the page is, is left to the engine.
import type { EngineRequest, SearchAsked } from '../../engines/engine.ts';
import type { Charged } from '../../errors.ts';

/** A page as it came, whatever it is. */
export interface LoadedPage {
  readonly html: string;
  /** Tells the fetcher what the page was: one that was blocked is not fetched by the same way again for a while. */
  settle(outcome: 'good' | 'blocked'): void;
}

export interface Fetcher {
  /** What a page costs that came and is no SERP. */
  readonly charge: Charged;
  /** Most ways that are tried for one page that is blocked. */
  readonly triesMax: number;
  /** What to do where the engine sends a page that only scripts fill; undefined where scripts were run. */
  readonly wallHint?: string;
  /** Throws ServiceError; `charged` says whether the failure cost something. */
  load(request: EngineRequest, asked: SearchAsked, signal: AbortSignal): Promise<LoadedPage>;
  close(): Promise<void>;
}
