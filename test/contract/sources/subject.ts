// What the contract suite must know of a source to hold it to the contract: the vendor's own forms, written from its documentation.
import { readFileSync } from 'node:fs';
import type { PageRequest } from '../../../src/service/index.ts';
import type { Reply, SeenRequest } from './vendor-server.ts';

/** What a request to the vendor says, read back from it. */
interface AskedOfVendor {
  readonly keyword: string;
  readonly country?: string;
  readonly language?: string;
  readonly device?: 'desktop' | 'mobile';
  readonly page: number;
  /** Empty where the vendor needs none. */
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

export interface SourceSubject {
  /** Name in the registry. */
  readonly source: string;
  /** Options beside `baseUrl` and `allowLoopback`. */
  options(keys: readonly string[]): Record<string, unknown>;
  /** False for a source without keys: what is about keys is left out. */
  readonly hasKeys: boolean;
  /** Whether its pages cost nothing, so that no failure is ever charged. */
  readonly isFree?: boolean;
  /** The option that holds a key, where it is another than `apiKey`. */
  readonly keyOption?: string;
  /** A page in the vendor's form that lists these addresses; its own numbers should be useless ones. */
  page(asked: Pick<PageRequest, 'keyword' | 'page'>, links: readonly string[]): Record<string, unknown>;
  /** False where the vendor has no word for it: its empty page is read with a doubt. Default: it has one. */
  readonly provesEmpty?: boolean;
  /** The vendor's way to say that nothing was found, or what it sends then. */
  empty(asked: Pick<PageRequest, 'keyword'>): Reply;
  /** A page that lists nothing and does not say why. */
  silent(asked: Pick<PageRequest, 'keyword'>): Record<string, unknown>;
  /** A page for another query than the one asked; absent where the vendor never tells. */
  corrected?(asked: Pick<PageRequest, 'keyword'>, searched: string, links: readonly string[]): Record<string, unknown>;
  readonly throttled: Reply;
  /** Absent where there are no keys. */
  readonly outOfCredits?: Reply;
  readonly badKey?: Reply;
  readonly serverError: Reply;
  /** The vendor's error in a 200; absent where it has none. */
  readonly errorInside?: Reply;
  asked(request: SeenRequest): AskedOfVendor;
  /** Country and language of a search for GB in `pt-BR`, as the vendor takes them. */
  readonly abroad: Pick<AskedOfVendor, 'country' | 'language'>;
  readonly probe?: {
    readonly path: string;
    readonly reply: Reply;
    /** Null where the vendor does not tell. */
    readonly creditsLeft: number | null;
    readonly plan?: string;
  };
  readonly samples: readonly Sample[];
}

/** A recorded answer of the folder `samples`; where it came from is told in its PROVENANCE.md. */
export function sample(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`samples/${file}`, import.meta.url), 'utf8')) as Record<string, unknown>;
}

/** The page that `start` (0, 10, 20, ...) stands for. */
export function pageOfStart(start: string | null): number {
  return start === null ? 1 : Number(start) / 10 + 1;
}
