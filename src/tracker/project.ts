// What is tracked: projects, keywords, markets, targets, as resolved from the config. Types only.

export type Device = 'desktop' | 'mobile';
export type Priority = 'high' | 'normal' | 'low';

/** A search engine seen through a service, from a country, in a language, on a device. */
export interface Market {
  /** Name of the service in the config. */
  readonly service: string;
  /** ISO 3166-1, upper case. */
  readonly country: string;
  /** BCP 47: `en`, `pt-BR`. */
  readonly language: string;
  readonly device: Device;
}

/** keyword x market: the unit of cost, shared by every project and target. */
export interface Search {
  readonly keyword: string;
  readonly market: Market;
}

/**
 * What we look for. `domain` matches the host and its subdomains, `host` exactly that host, `prefix` a URL prefix on path
 * boundaries, `url` one page. Compared label by label, never by substring.
 */
export interface Target {
  readonly match: 'domain' | 'host' | 'prefix' | 'url';
  /** As written in the config; printed in reports. */
  readonly value: string;
}

export interface TrackedKeyword {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly devices: readonly Device[];
  readonly tags: readonly string[];
  readonly priority: Priority;
  /** Pages. */
  readonly depth: number;
}

/** `from-4`: every page from the 4th on is read; those before it only where they are at hand. A backfill of some pages asks for it, no config. */
export type PagingStrategy = 'until-found' | 'until-all-found' | 'full' | 'anchored' | `from-${number}`;
export type CatchUp = 'none' | 'latest' | 'all';
/** What becomes of a slot whose project still has a run under way: it waits for the end of it, or is given up with a row that says so. */
export type Overlap = 'queue' | 'skip';

export interface Project {
  readonly id: string;
  readonly service: string;
  readonly targets: readonly Target[];
  readonly competitors: readonly Target[];
  /** What people call the project's own site; absent: the names of its targets. */
  readonly brandTerms?: readonly string[];
  /** Cron expression; absent: runs only when named. */
  readonly schedule?: string;
  /** IANA. */
  readonly timezone: string;
  readonly catchUp: CatchUp;
  /** Absent: `queue`. */
  readonly overlap?: Overlap;
  /** The scheduler starts a run up to this much after its slot, so that projects do not all start at once; absent: at once. */
  readonly jitterSeconds?: number;
  readonly paging: PagingStrategy;
  /** A deeper check at most every `everyMs`. */
  readonly deep?: { readonly depth: number; readonly everyMs: number };
  /** Pages this young are reused at no cost; 0: only within the slot. */
  readonly freshForMs: number;
  readonly keywords: readonly TrackedKeyword[];
  /** Keyword metrics; absent: none are bought. */
  readonly volumes?: { readonly schedule: string; readonly limit: number };
}

/** The most that may be spent in a window; absent: no cap of ours. SERP credits, and micro-USD for keyword data. */
export interface Budget {
  readonly serpCredits: { readonly perRun?: number; readonly perDay?: number; readonly perMonth?: number };
  readonly microUsd: { readonly perRun?: number; readonly perDay?: number; readonly perMonth?: number };
}

/** The searches of one tracked keyword in its project: one a device. */
export function* searchesOf(project: Project, keyword: TrackedKeyword): Generator<Search> {
  for (const device of keyword.devices) {
    yield {
      keyword: keyword.keyword,
      market: { service: project.service, country: keyword.country, language: keyword.language, device },
    };
  }
}
