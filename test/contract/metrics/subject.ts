// What the contract suite must know of a source of keyword metrics: the vendor's own forms, written from its documentation.
import type { Reply, Script, SeenRequest } from '../sources/vendor-server.ts';

/** What the scripted vendor knows of a keyword; null where it says nothing. */
export interface Known {
  readonly keyword: string;
  readonly volume: number | null;
  readonly cpc: number | null;
  readonly competition: number | null;
}

/** What a request for one keyword says, read back from it. */
interface AskedOfVendor {
  readonly keyword: string;
  readonly country: string;
  /** Absent where the vendor knows none. */
  readonly language?: string;
  readonly key: string;
}

export interface MetricsSubject {
  /** Name in the registry of sources of metrics. */
  readonly source: string;
  /** Options beside `allowLoopback` and what limits the rate. */
  options(keys: readonly string[], url: string): Record<string, unknown>;
  /** Whether several keys may be given. */
  readonly hasSeveralKeys: boolean;
  /** Texts of the options, and of what the vendor sends, that nobody may see, besides the key. */
  readonly secrets: readonly string[];
  /** Answers what has to be asked before any metrics; undefined for a call that asks for metrics. */
  setUp?(request: SeenRequest): Reply | undefined;
  /** A vendor that knows these keywords: the first is the asked one, the others are related to it. */
  sells(known: readonly Known[]): Script;
  /** Calls that ask for metrics, where related keywords are wanted. */
  readonly callsWithRelated: number;
  /** The vendor's way to say that nothing is known. */
  readonly nothing: Script;
  /** With a pause of seven seconds. */
  readonly throttled: Reply;
  readonly badKey: Reply;
  /** Absent where nothing is charged. */
  readonly outOfCredits?: Reply;
  readonly serverError: Reply;
  /** The vendor's error in a 200; absent where it has none. */
  readonly errorInside?: Reply;
  /** What a call for one keyword asks. */
  asked(request: SeenRequest): AskedOfVendor;
  /** Country and language of a request for GB in `pt-BR`, as the vendor takes them. */
  readonly abroad: Pick<AskedOfVendor, 'country' | 'language'>;
  /** A market that the vendor does not have, if there is any that can be known. */
  readonly lacks?: { readonly country?: string; readonly language?: string };
  readonly probe: { readonly path: string; readonly reply: Reply; readonly creditsLeft: number | null };
}
