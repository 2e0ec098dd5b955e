// Types that the service core needs from its host: time and callers. account-store.ts is the port of accounts.
import type { IncomingHttpHeaders } from 'node:http';
import type { CompetitionLevel, Intent } from './results/keyword-data.ts';

/** Time as an argument: `now` in UTC milliseconds, `sleep` that ends early with the signal's reason. */
export interface Clock {
  /** Whether time is simulated: it may then start in the past repeatedly. */
  readonly isSimulated?: boolean;
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Called with the headers of each answer from another machine: their dates show whether this clock is right. Absent:
   * they are not checked.
   */
  witness?(headers: IncomingHttpHeaders): void;
  /** The newest answer that had a date; a new object for each answer. */
  readonly newestAnswer?: { readonly answeredAt: number } | null;
  /**
   * How far it is ahead of the newest answer, in milliseconds; negative: behind. Null if the difference is less than an
   * hour, and before any answer.
   */
  readonly skewMs?: number | null;
  /**
   * How far it has jumped against the monotonic clock since it was last confirmed; negative: back. Null if less than
   * five minutes.
   */
  readonly jumpMs?: number | null;
  /** Whether the newest answer agrees with it, and it has not jumped since. */
  readonly isConfirmed?: boolean;
  /** Accepts the clock as it is after a jump, although nothing confirms it. */
  acceptLeap?(): void;
}

/** The two operations of the specification, as its paths name them. */
export type OperationName = 'serp' | 'keyword-data';

/** A trusted host in this process, charged to `account` if it names one. */
interface TrustedCaller {
  readonly kind: 'trusted';
  readonly account?: string;
}

/** An untrusted caller, checked exactly as over HTTP. A header that was not sent is undefined. */
export interface CredentialsCaller {
  readonly kind: 'credentials';
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** IPv4 or IPv6 address from which the request came. */
  readonly address: string;
}

export type Caller = TrustedCaller | CredentialsCaller;

/** The cost of an operation, in the two currencies of the specification: integers. */
export interface Price {
  readonly serpCredits: number;
  readonly microUsd: number;
}

/** One keyword of a local dataset, as imported. Values that the file did not contain are null. */
export interface DatasetKeyword {
  readonly keyword: string;
  readonly searchVolume: number | null;
  readonly cpcMicroUsd: number | null;
  /** Top-of-page bids, if the file had them instead of a cost per click. */
  readonly bidLowMicroUsd: number | null;
  readonly bidHighMicroUsd: number | null;
  /** 0 to 100. */
  readonly competition: number | null;
  readonly competitionLevel: CompetitionLevel | null;
  readonly intent: Intent | null;
}

export interface DatasetQuestion {
  /** In the form of `keywordKey`. */
  readonly key: string;
  readonly country: string;
  /** The first language with data in that country counts. */
  readonly languages: readonly string[];
  /** Maximum number of related keywords. */
  readonly relatedMax: number;
}

/** A local dataset of keyword metrics. It answers synchronously; a failure of its file throws Error. */
export interface KeywordDataset {
  /** Related keywords share words with the requested one; the best matches come first, weighted by volume. */
  lookup(question: DatasetQuestion): {
    readonly asked: DatasetKeyword | null;
    readonly related: readonly DatasetKeyword[];
  };
  /** The dataset's contents; `importedAt` is the latest import in UTC milliseconds, or null if there was none. */
  contents(): {
    readonly markets: readonly { readonly country: string; readonly language: string; readonly keywords: number }[];
    readonly importedAt: number | null;
  };
  close(): void;
}

/** The port of local datasets: the host implements it, because the core knows no database. */
export interface KeywordDatasets {
  /** Throws Error if the file is not a dataset. */
  open(file: string): KeywordDataset;
}
