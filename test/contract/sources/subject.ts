// The test data of one SERP source, written from the vendor's documentation.
import { readFileSync } from 'node:fs';
import type { PageRequest } from '../../../src/service/index.ts';
import type { Reply, SeenRequest } from './vendor-server.ts';

/** The parameters of a request to the vendor. */
interface AskedOfVendor {
  readonly keyword: string;
  readonly country?: string;
  readonly language?: string;
  readonly device?: 'desktop' | 'mobile';
  readonly page: number;
  /** Empty if the vendor needs none. */
  readonly key: string;
}

interface Sample {
  readonly name: string;
  readonly keyword: string;
  readonly body: unknown;
  readonly organic: number;
  /** First and last destination. */
  readonly first: string;
  readonly last: string;
  readonly features: readonly string[];
}

/** What a knowledge panel links to, and the page that its picture is from. */
export const panelLinks = {
  website: 'https://acme.example/',
  profile: 'https://social.example/acme',
  source: 'https://wiki.example/Acme',
  picture: 'https://photos.example/acme',
} as const;

/** Results in the form that several vendors share. Their numbers are wrong. */
export function linkedResults(links: readonly string[]): unknown[] {
  return links.map((link, index) => ({ position: 41 + index, title: `Result ${index}`, link, snippet: 'Words' }));
}

/** `panel` in the same form. */
export const panelWith =
  (images: 'images' | 'header_images') =>
  (page: Record<string, unknown>): Record<string, unknown> => ({
    ...page,
    knowledge_graph: {
      title: 'Acme',
      website: panelLinks.website,
      source: { name: 'Wiki', link: panelLinks.source },
      profiles: [{ name: 'Social', link: panelLinks.profile }],
      [images]: [{ image: 'https://photos.example/1.png', source: panelLinks.picture, link: panelLinks.picture }],
    },
  });

export interface SourceSubject {
  /** Name in the registry. */
  readonly source: string;
  /** One place of the vendor's list, with this website, if its pages are a map's: `page` lists these. */
  place?(website?: string): Record<string, unknown>;
  /** What marks a place as paid; absent if the vendor's documentation does not say. */
  readonly paid?: Record<string, unknown>;
  /** Options other than `baseUrl` and `allowLoopback`. */
  options(keys: readonly string[]): Record<string, unknown>;
  /** False for a source without keys: the tests of keys are skipped. */
  readonly hasKeys: boolean;
  /** Whether its pages are free, so that no failure is ever charged. */
  readonly isFree?: boolean;
  /** The option with the key, if it is not `apiKey`. */
  readonly keyOption?: string;
  /** A page in the vendor's format that lists these URLs; its own numbers should be wrong. */
  page(asked: Pick<PageRequest, 'keyword' | 'page'>, links: readonly string[]): Record<string, unknown>;
  /** Fields of `page` that show a panel with `panelLinks`, as far as the vendor passes them on. Absent: it has none. */
  panel?(page: Record<string, unknown>): Record<string, unknown>;
  /** False if the vendor does not state it: its empty page is doubtful. Default: it does. */
  readonly provesEmpty?: boolean;
  /** The vendor's answer if nothing was found. */
  empty(asked: Pick<PageRequest, 'keyword'>): Reply;
  /** A page without results and without a reason. */
  silent(asked: Pick<PageRequest, 'keyword'>): Record<string, unknown>;
  /** A page for another query than the requested one; absent if the vendor does not return the query. */
  corrected?(asked: Pick<PageRequest, 'keyword'>, searched: string, links: readonly string[]): Record<string, unknown>;
  readonly throttled: Reply;
  /** Absent if there are no keys. */
  readonly outOfCredits?: Reply;
  readonly badKey?: Reply;
  readonly serverError: Reply;
  /** The vendor's error in a 200; absent if it has none. */
  readonly errorInside?: Reply;
  asked(request: SeenRequest): AskedOfVendor;
  /** Country and language of a search for GB in `pt-BR`, in the vendor's format. */
  readonly abroad: Pick<AskedOfVendor, 'country' | 'language'>;
  readonly probe?: {
    readonly path: string;
    readonly reply: Reply;
    /** Null if the vendor does not report it. */
    readonly creditsLeft: number | null;
    readonly plan?: string;
  };
  readonly samples: readonly Sample[];
}

/** When an answer was recorded: a live request with an old answer is refused. */
const timesOfAnswers: ReadonlySet<string> = new Set(['created_at', 'datetime', 'timestamp']);

/** A recorded answer of the folder `samples`, without its time; its PROVENANCE.md names the source. */
export function sample(file: string): Record<string, unknown> {
  const text = readFileSync(new URL(`samples/${file}`, import.meta.url), 'utf8');
  return JSON.parse(text, (name, value) => (timesOfAnswers.has(name) ? undefined : value)) as Record<string, unknown>;
}

/** The page that `start` (0, 10, 20, ...) stands for. */
export function pageOfStart(start: string | null): number {
  return start === null ? 1 : Number(start) / 10 + 1;
}
