// All limits of one request. The specification leaves them open; decisions.md sets those that a caller can meet.

/** Limits of the service and of its client. The unit is last in each name. */
export const limits = {
  /** Pages from `start_page` to `end_page` of one request (decisions.md). */
  pagesPerRequestMax: 10,
  /** The last page that an engine can have: a thousand results at ten a page. */
  lastPage: 100,
  /** Characters of a keyword after trimming (decisions.md). */
  keywordCharsMax: 400,
  /** Results of one keyword data request (decisions.md); the default is the specification's. */
  keywordResultsMax: 1000,
  keywordResultsDefault: 100,
  /** A request body larger than this is refused (decisions.md). */
  requestBodyBytesMax: 64 * 1024,
  /** An answer larger than this, after decompression, is not read further: it is no results page. */
  responseBytesMax: 16 * 1024 * 1024,
  /** What is kept of an answer that was too large to read: enough to see what it was. */
  responseExcerptChars: 64 * 1024,
  /** JSON of a provider that is nested deeper, has a longer list, more values or a longer string is not parsed. */
  answerDepthMax: 64,
  answerItemsMax: 10_000,
  answerValuesMax: 500_000,
  answerStringCharsMax: 256 * 1024,
  /** How long one request may take where its caller does not say. */
  requestTimeoutMs: 60_000,
  /** How often one API user may call where the host does not say: 600 at once, and 10 a second from then on. */
  requestRate: { count: 600, windowMs: 60_000 },
  /**
   * How often one subscriber may ask for what needs no credentials: health, documentation, paths that are not there.
   */
  pageRate: { count: 600, windowMs: 60_000 },
  /** How long a connection may take to open, within the request's own time. */
  connectTimeoutMs: 10_000,
  /** A longer pause stated by a provider is cut to this. */
  retryAfterMsMax: 3_600_000,
  /** The pause after a 429 that names none. */
  rateLimitPauseMs: 1_000,
  /** What is kept of a provider's own error message. */
  errorMessageCharsMax: 300,
  /** Failed logins in the audit trail: what is kept of a claimed username and of an address. */
  failureUsernameCharsMax: 64,
  failureAddressCharsMax: 45,
  /** Rows that a process writes in a minute, in all and of one address; failures beyond them are counted together. */
  failureRowsPerMinuteMax: 1000,
  failureRowsPerAddressMax: 30,
  /** Rows of one transaction: what others ask goes on between two of them. */
  failureRowsPerWriteMax: 100,
  /** Failures are collected for so long before they are written. */
  failureWriteDelayMs: 1_000,
  /** Older rows go, and the oldest beyond so many. */
  failuresKeptMs: 90 * 86_400_000,
  failureRowsMax: 100_000,
  /** Longest name of an account or API user. */
  accountNameCharsMax: 64,
  /** A dashboard session ends when it was not used for so long, and after so long in any case. */
  dashboardIdleMs: 3_600_000,
  dashboardSessionMs: 12 * 3_600_000,
  /** How much a use must extend a session for it to be written. */
  dashboardTouchMs: 60_000,
  /** API users that an account may create on the dashboard: usable at once, and ever. Names are never reused. */
  dashboardUsersMax: 100,
  dashboardUsersEverMax: 1_000,
  /** What is kept of a path in a log line. */
  loggedPathCharsMax: 256,
  /** Requests in flight to one provider where the config does not say. */
  concurrencyDefault: 10,
  /** Pages of a simulated source that are made at once for API users. */
  simulatedPagesInFlight: 4,
  /** Pages of a simulated source that are kept for the customers who ask next; about 60 KB each. */
  rememberedPagesMax: 200,
  /**
   * What a client of the server may take: to send its headers, its whole request, its next request; and to take its
   * answer.
   */
  headersTimeoutMs: 5_000,
  bodyTimeoutMs: 10_000,
  keepAliveTimeoutMs: 30_000,
  idleSocketTimeoutMs: 120_000,
  /** How often connections are held against these times. */
  connectionsCheckMs: 1_000,
  /** How long a stopping server lets requests in flight finish. */
  stopGraceMs: 30_000,
  /** Recorded pages larger than this are refused unread. */
  recordingBytesMax: 16 * 1024 * 1024,
} as const;
