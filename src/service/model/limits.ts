// All limits of one request. The specification leaves them open, so they are ours.

import { dayMs, hourMs } from './time/clock.ts';

/** Limits of the service and of its client. The unit is last in each name. */
export const limits = {
  /** Pages from `start_page` to `end_page` of one request. */
  pagesPerRequestMax: 10,
  /** The last page that an engine can have: a thousand results at ten a page. */
  lastPage: 100,
  /** Characters of a keyword after trimming. */
  keywordCharsMax: 400,
  /** Words of a keyword that search engines read: they may ignore further ones. */
  keywordWordsRead: 32,
  /** Results of one keyword data request; the default is the specification's. */
  keywordResultsMax: 1000,
  keywordResultsDefault: 100,
  /** A request body larger than this is refused. */
  requestBodyBytesMax: 64 * 1024,
  /** An answer larger than this, after decompression, is not read further: no results page is that large. */
  responseBytesMax: 16 * 1024 * 1024,
  /** How much of a too large answer is kept: enough to recognise it. */
  responseExcerptChars: 64 * 1024,
  /** JSON of a provider is not parsed if it is nested deeper, or has a longer list, more values or a longer string. */
  answerDepthMax: 64,
  answerItemsMax: 10_000,
  answerValuesMax: 500_000,
  answerStringCharsMax: 256 * 1024,
  /** Time limit of a request if its caller sets none. */
  requestTimeoutMs: 60_000,
  /** Rate limit of an API user if the host sets none: 600 requests at once, then 10 per second. */
  requestRate: { count: 600, windowMs: 60_000 },
  /** Rate limit of one subscriber for paths without credentials: health, documentation, unknown paths. */
  pageRate: { count: 600, windowMs: 60_000 },
  /** Time limit for opening a connection, within the time limit of the request. */
  connectTimeoutMs: 10_000,
  /** A longer pause that a provider states is cut to this. */
  retryAfterMsMax: hourMs,
  /** The pause after a 429 that states none. */
  rateLimitPauseMs: 1_000,
  /** How much of a provider's error message is kept. */
  errorMessageCharsMax: 300,
  /** Failed logins in the audit trail: how much of a claimed username and of an address is kept. */
  failureUsernameCharsMax: 64,
  failureAddressCharsMax: 45,
  /** Rows that a process writes per minute, in total and per address; failures beyond them are counted together. */
  failureRowsPerMinuteMax: 1000,
  failureRowsPerAddressMax: 30,
  /** Rows per transaction, so that other requests can run in between. */
  failureRowsPerWriteMax: 100,
  /** How long failures are collected before they are written. */
  failureWriteDelayMs: 1_000,
  /** Older rows are deleted, and the oldest ones beyond this number. */
  failuresKeptMs: 90 * dayMs,
  failureRowsMax: 100_000,
  /** Maximum length of the name of an account or API user. */
  accountNameCharsMax: 64,
  /** A dashboard session ends after this time without use, and after this time in any case. */
  dashboardIdleMs: hourMs,
  dashboardSessionMs: 12 * hourMs,
  /** By how much a use must extend a session to be written. */
  dashboardTouchMs: 60_000,
  /** API users that an account may create on the dashboard: not revoked, and in total. Names are never reused. */
  dashboardUsersMax: 100,
  dashboardUsersEverMax: 1_000,
  /** How much of a path is kept in a log line. */
  loggedPathCharsMax: 256,
  /** Requests in flight to one provider if the config does not say. */
  concurrencyDefault: 10,
  /** Pages of a simulated source that are rendered at once for API users, and for one of several who ask. */
  simulatedPagesInFlight: 4,
  simulatedPagesOfOne: 1,
  /**
   * Time limits for clients of the server: to send headers, the whole request and the next request; and to read the
   * answer.
   */
  headersTimeoutMs: 5_000,
  bodyTimeoutMs: 10_000,
  keepAliveTimeoutMs: 30_000,
  idleSocketTimeoutMs: 120_000,
  /** How often connections are checked against these limits. */
  connectionsCheckMs: 1_000,
  /** How long a stopping server waits for requests in flight. */
  stopGraceMs: 30_000,
  /** Recorded pages larger than this are rejected unread. */
  recordingBytesMax: 16 * 1024 * 1024,
} as const;
