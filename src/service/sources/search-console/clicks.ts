// What Search Console answers: clicks, impressions and average positions. Types only.

/** A service account, or a user who gave access. */
export type SearchConsoleCredentials =
  | { readonly clientEmail: string; readonly privateKey: string; readonly keyId?: string }
  | { readonly clientId: string; readonly clientSecret: string; readonly refreshToken: string };

export interface SearchConsoleOptions {
  /** `sc-domain:acme.com`, or the URL of a URL-prefix property. */
  readonly property: string;
  readonly credentials: SearchConsoleCredentials;
  /** Another URL of the API and its token server. */
  readonly baseUrl?: string;
}

/** Totals of a day in Pacific time, hidden queries included. */
export interface PropertyDay {
  readonly date: string;
  /** False: its numbers still change. */
  readonly isFinal: boolean;
  readonly clicks: number;
  readonly impressions: number;
}

/** A results page counts once, at its best position. */
export interface PropertyRow {
  readonly query: string;
  /** ISO 3166-1 alpha-3, lower case; `zzz`: unknown. */
  readonly country: string;
  /** `desktop`, `mobile` or `tablet`. */
  readonly device: string;
  readonly clicks: number;
  readonly impressions: number;
  /** Average over the impressions, from 1. */
  readonly averagePosition: number;
}

/** A results page counts for each page of the property that it shows. */
export interface PageRow extends PropertyRow {
  readonly page: string;
}

export interface SearchConsole {
  /** Days with data, oldest first; dates inclusive. Throws ServiceError. */
  days(from: string, to: string, signal: AbortSignal): Promise<PropertyDay[]>;
  /** All rows of a day that the API gives, by query. Throws ServiceError. */
  queries(date: string, signal: AbortSignal): Promise<PropertyRow[]>;
  /** The same by query and page. */
  pages(date: string, signal: AbortSignal): Promise<PageRow[]>;
  close(): Promise<void>;
}
