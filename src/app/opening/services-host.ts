// What this process lends the services that it runs itself.
import type { AccountStore, Clock, SearchDataService, SourceMemory } from '../../service/index.ts';

export interface ServicesHost {
  readonly clock: Clock;
  /** Absent in workers: they serve no service that has an account. */
  readonly accounts?: AccountStore;
  /** What the source of a service remembers across restarts; absent if this process has no database for it. */
  readonly memoryOf?: (service: string) => SourceMemory;
  /** Wraps each service, such as with a rate limiter. */
  readonly wrap?: (name: string, service: SearchDataService) => SearchDataService;
}
