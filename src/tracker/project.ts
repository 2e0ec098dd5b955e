// What is tracked: projects, keywords, markets, searches and targets, as resolved from the config.
import type { Grid } from './grid.ts';
import type { CatchUp } from './schedule/due-slots.ts';

export const devices = ['desktop', 'mobile'] as const;
export type Device = (typeof devices)[number];
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
  /** Canonical: a place or a coordinate inside the country. Absent: the country as a whole. */
  readonly location?: string;
}

/** A market of one service, as rows and filters name it. */
export interface NamedMarket {
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string;
}

/** `US en desktop`, with a location `US en desktop Austin,Texas,United States`: its name, and its key in maps. */
export function marketName({ country, language, device, location }: NamedMarket): string {
  const name = `${country} ${language} ${device}`;
  return location === undefined ? name : `${name} ${location}`;
}

/** The market of a row without its other fields. */
export function namedMarket({ country, language, device, location }: NamedMarket): NamedMarket {
  return { country, language, device, ...(location !== undefined && { location }) };
}

/** Keyword x market: the unit of cost, shared by all projects and targets. */
export interface Search {
  readonly keyword: string;
  readonly market: Market;
}

/**
 * A site, page or place whose ranking is tracked. `domain` matches the host and its subdomains, `host` exactly that
 * host, `prefix` a URL prefix on path boundaries, `url` one page. Compared label by label, never by substring. The rank
 * of a `place` is its position in the list of local results (targets/target.ts).
 */
export interface Target {
  readonly match: 'domain' | 'host' | 'prefix' | 'url' | 'place';
  /** As written in the config; printed in reports. */
  readonly value: string;
}

export interface TrackedKeyword {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  /** Canonical; absent: the country as a whole. */
  readonly location?: string;
  readonly devices: readonly Device[];
  readonly tags: readonly string[];
  readonly priority: Priority;
  /** Pages. */
  readonly depth: number;
  /** The http or https URL that should rank, as written in the config. */
  readonly preferredUrl?: string;
}

/**
 * `from-4`: reads every page from the 4th on, and earlier ones only if they are stored. For backfills, not for the
 * config.
 */
export type PagingStrategy = 'until-found' | 'until-all-found' | 'full' | 'anchored' | `from-${number}`;
/** What happens to a slot while another run of the project is active: it waits, or it is skipped and recorded. */
type Overlap = 'queue' | 'skip';

/** What the adaptive plan decides for a project: when a search is checked (`cadence`), how deep (`paging`), or both. */
export interface AdaptiveCadence {
  readonly cadence: boolean;
  readonly paging: boolean;
  /** The longest gap between two checks of a search. */
  readonly atLeastEveryMs: number;
}

/** A prompt in one country and language. */
interface TrackedPrompt {
  readonly prompt: string;
  readonly country: string;
  readonly language: string;
}

/** Prompts whose AI answers are tracked. */
export interface TrackedPrompts {
  readonly engines: readonly string[];
  /** Answers per prompt, engine and period. */
  readonly samples: number;
  readonly every: 'day' | 'week' | 'month';
  readonly list: readonly TrackedPrompt[];
}

export interface Project {
  readonly id: string;
  /** Only some of its keywords, for a reader who may see no others: numbers of the whole project are not read. */
  readonly isPart?: true;
  readonly service: string;
  /** Search engine of the pages of the service, such as `bing`; absent: Google. */
  readonly engine?: string;
  readonly targets: readonly Target[];
  readonly competitors: readonly Target[];
  /** Brand names of the project; absent: derived from its targets. */
  readonly brandTerms?: readonly string[];
  /** Cron expression; absent: only manual runs. */
  readonly schedule?: string;
  /** IANA. */
  readonly timezone: string;
  readonly catchUp: CatchUp;
  /** Absent: `queue`. */
  readonly overlap?: Overlap;
  /** Failed and deferred searches are tried again on the day of their slot; absent: true. */
  readonly retryFailed?: boolean;
  /** The scheduler delays starts by up to this much, so that projects do not all start at once; absent: no delay. */
  readonly jitterSeconds?: number;
  readonly paging: PagingStrategy;
  /** Absent: every search is checked at every slot, to its depth. */
  readonly adaptive?: AdaptiveCadence;
  /**
   * Changes that exceed the noise of their keyword are looked at a second time, later the same day, for at most this
   * share (0 to 1) of the pages that the run bought; absent: they are not.
   */
  readonly confirm?: { readonly share: number };
  /** Deep checks, at most one per `everyMs`. */
  readonly deep?: { readonly depth: number; readonly everyMs: number };
  /** Pages up to this age are reused at no cost; 0: only within the slot. */
  readonly freshForMs: number;
  readonly keywords: readonly TrackedKeyword[];
  /** Of its market: most keywords have a location of it; absent: the market has none. */
  readonly grid?: Grid;
  /** Keyword metrics; absent: none are bought. */
  readonly volumes?: { readonly schedule: string; readonly limit: number };
  /** AI answers; absent: none are bought. */
  readonly prompts?: TrackedPrompts;
}

/** Caps per budget window, in SERP credits, and in micro-USD for keyword data and AI answers. Absent: no cap. */
export interface Budget {
  readonly serpCredits: { readonly perRun?: number; readonly perDay?: number; readonly perMonth?: number };
  readonly microUsd: { readonly perRun?: number; readonly perDay?: number; readonly perMonth?: number };
}

/** The searches of one tracked keyword: one per device. */
export function* expandSearches(project: Project, keyword: TrackedKeyword): Generator<Search> {
  const { country, language, location } = keyword;
  const where = location === undefined ? {} : { location };
  for (const device of keyword.devices) {
    yield { keyword: keyword.keyword, market: { service: project.service, country, language, device, ...where } };
  }
}
