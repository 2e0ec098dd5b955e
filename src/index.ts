// The package: what programs that embed the service import.
import { openStore } from '../db/store.ts';
import type { AccountStore } from './service/index.ts';

export { StoreError, type StoreErrorCode } from '../db/connection/errors.ts';
export { type ClientOptions, type RetryOptions, SearchDataClient } from './service/client/client.ts';
export {
  type Account,
  AccountError,
  type AccountStore,
  Accounts,
  type Ad,
  type AiAnswer,
  type AiOverview,
  type AiOverviewText,
  type AnswerCitation,
  type AnswerEngine,
  type AnsweredPage,
  type AnswerRequest,
  type AnswerService,
  type AnswerSource,
  type ApiUserFacts,
  type Caller,
  type CallOptions,
  type CallReport,
  type Charged,
  type Clock,
  type CompetitionLevel,
  createMetricsSource,
  createSearchDataService,
  createSource,
  type Disposition,
  type ErrorCode,
  type Extension,
  eachPage,
  type FetchedAnswer,
  type FetchedPage,
  type ImageResult,
  type Intent,
  type KeywordDataAnswer,
  type KeywordDataRequestInput,
  type KeywordDataResponse,
  type KeywordMetrics,
  type KnowledgePanel,
  type LocalResult,
  type MetricsRequest,
  type MetricsSource,
  type MetricsSourceOptions,
  metricsSourceNames,
  type NavigationTab,
  type NewCredentials,
  type OrganicResult,
  type PageBody,
  type PageDoubt,
  type PageFailureReason,
  type PageFeature,
  type PageRequest,
  type PassedOver,
  type PeopleAlsoAsk,
  type Perspective,
  type Price,
  type ReadPage,
  type RelatedSearch,
  type RequestCount,
  type RunningServer,
  type SearchDataService,
  type SerpAnswer,
  type SerpPage,
  type SerpRequestInput,
  type SerpSource,
  type ServerOptions,
  ServiceError,
  type ServiceHost,
  type Source,
  type SourceContext,
  type SourceDependencies,
  type SourceKind,
  type SourceOptions,
  type SourceProbe,
  sourceNames,
  startServer,
  systemClock,
} from './service/index.ts';

/** Exact under any number of processes on one file; what a promise resolved for is on the disk. */
export interface DurableAccountStore {
  readonly accounts: AccountStore;
  close(): void;
}

/**
 * Opens accounts in an SQLite file, which is made if there is none; `:memory:` for accounts of this process. Throws
 * StoreError with a hint for a file that cannot be made or used.
 */
export function openAccountStore(file: string): DurableAccountStore {
  const store = openStore(file);
  return { accounts: store.accounts, close: () => store.close() };
}
