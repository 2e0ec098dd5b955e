// Types of what the service core needs from its host: time and callers. account-store.ts is the port of accounts.
import type { IncomingHttpHeaders } from 'node:http';
import type { CompetitionLevel, Intent } from './keyword-data.ts';

/** Time as an argument: `now` in UTC milliseconds, `sleep` that ends early with the signal's reason. */
export interface Clock {
  /** Whether a program plays the time: then it may begin in the past again and again. */
  readonly isSimulated?: boolean;
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Called with the headers of each answer of another machine, whose dates say whether this clock is right. Absent:
   * nothing is learned.
   */
  witness?(headers: IncomingHttpHeaders): void;
  /** The newest answer that had a date; a new object for each answer. */
  readonly newestAnswer?: { readonly answeredAt: number } | null;
  /**
   * How far it is ahead of what the newest answer says, in milliseconds; negative: behind. Null within an hour, and
   * before any answer.
   */
  readonly skewMs?: number | null;
  /**
   * How far it has leapt against the monotonic clock since it was last believed; negative: back. Null within five
   * minutes.
   */
  readonly leapMs?: number | null;
  /** Whether the newest answer agrees with it, and it has not leapt since. */
  readonly isConfirmed?: boolean;
  /** Believes the clock as it stands after a leap, which nothing confirms. */
  acceptLeap?(): void;
}

/** The two operations of the specification, as its paths name them. */
export type OperationName = 'serp' | 'keyword-data';

/** A trusted host in this process, metered on `account` where it names one. */
export interface TrustedCaller {
  readonly kind: 'trusted';
  readonly account?: string;
}

/** Someone who must prove who they are, checked exactly as over HTTP. A header that was not sent is undefined. */
export interface CredentialsCaller {
  readonly kind: 'credentials';
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** IPv4 or IPv6 address from which the request came. */
  readonly address: string;
}

export type Caller = TrustedCaller | CredentialsCaller;

/** What an operation costs, in the two currencies of the specification: integers. */
export interface Price {
  readonly serpCredits: number;
  readonly microUsd: number;
}

/** One keyword of a local dataset, as its import left it. What the file did not say is null. */
export interface DatasetKeyword {
  readonly keyword: string;
  readonly searchVolume: number | null;
  readonly cpcMicroUsd: number | null;
  /** Top-of-page bids, where the file had them in place of a cost a click. */
  readonly bidLowMicroUsd: number | null;
  readonly bidHighMicroUsd: number | null;
  /** 0 to 100. */
  readonly competition: number | null;
  readonly competitionLevel: CompetitionLevel | null;
  readonly intent: Intent | null;
}

export interface DatasetQuestion {
  /** As `keywordKey` writes it. */
  readonly key: string;
  readonly country: string;
  /** The first of which the dataset has anything in that country is meant. */
  readonly languages: readonly string[];
  /** Most related keywords. */
  readonly relatedMax: number;
}

/** A local dataset of keyword metrics. Answers come at once; a failure of its file throws Error. */
export interface KeywordDataset {
  /** Related keywords have words in common with the asked one; those that fit best, with the volume that they have. */
  lookup(question: DatasetQuestion): {
    readonly asked: DatasetKeyword | null;
    readonly related: readonly DatasetKeyword[];
  };
  /** What is in it; `importedAt`, of the latest import, is in UTC milliseconds, and null where there was none. */
  contents(): {
    readonly markets: readonly { readonly country: string; readonly language: string; readonly keywords: number }[];
    readonly importedAt: number | null;
  };
  close(): void;
}

/** Where local datasets are kept: the host's part, because the core knows no database. */
export interface KeywordDatasets {
  /** Throws Error where the file is no dataset. */
  open(file: string): KeywordDataset;
}
