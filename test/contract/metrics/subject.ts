// The test data of one source of keyword metrics, written from the vendor's documentation.
import type { Reply, Script, SeenRequest } from '../sources/vendor-server.ts';

/** What the scripted vendor knows about a keyword; null if it knows nothing. */
export interface Known {
  readonly keyword: string;
  readonly volume: number | null;
  readonly cpc: number | null;
  readonly competition: number | null;
}

/** The parameters of a request for one keyword. */
interface AskedOfVendor {
  readonly keyword: string;
  readonly country: string;
  /** Absent if the vendor knows none. */
  readonly language?: string;
  readonly key: string;
}

export interface MetricsSubject {
  /** Name in the registry of metrics sources. */
  readonly source: string;
  /** Options other than `allowLoopback` and the rate limits. */
  options(keys: readonly string[], url: string): Record<string, unknown>;
  /** Whether several keys are allowed. */
  readonly hasSeveralKeys: boolean;
  /** Secret texts, other than the key, in the options and in answers of the vendor. */
  readonly secrets: readonly string[];
  /** Answers the calls that precede metrics; undefined for a call for metrics. */
  setUp?(request: SeenRequest): Reply | undefined;
  /** A vendor that knows these keywords: the first is the requested one, the others are related to it. */
  sells(known: readonly Known[]): Script;
  /** Number of calls for metrics if related keywords are requested. */
  readonly callsWithRelated: number;
  /** The vendor's answer if it knows nothing. */
  readonly nothing: Script;
  /** With a pause of seven seconds. */
  readonly throttled: Reply;
  readonly badKey: Reply;
  /** Absent if nothing is charged. */
  readonly outOfCredits?: Reply;
  readonly serverError: Reply;
  /** The vendor's error in a 200; absent if it has none. */
  readonly errorInside?: Reply;
  /** The parameters of a call for one keyword. */
  asked(request: SeenRequest): AskedOfVendor;
  /** Country and language of a request for GB in `pt-BR`, in the vendor's format. */
  readonly abroad: Pick<AskedOfVendor, 'country' | 'language'>;
  /** A market that the vendor does not have, if known. */
  readonly lacks?: { readonly country?: string; readonly language?: string };
  readonly probe: { readonly path: string; readonly reply: Reply; readonly creditsLeft: number | null };
}
