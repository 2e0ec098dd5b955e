// Opens the queue that a config names.
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { FetchQueue } from '../../jobs/queue.ts';
import { createEmbeddedQueue } from '../../jobs/queue-embedded.ts';
import type { SearchDataService } from '../service/index.ts';
import { UsageError } from './contract.ts';

export async function openQueue(
  { queue }: ResolvedConfig,
  services: ReadonlyMap<string, SearchDataService>,
): Promise<FetchQueue> {
  if (queue.driver !== 'embedded') throw new UsageError('queue.driver: bullmq is not in this version; use embedded');
  return createEmbeddedQueue(services, queue.concurrency);
}
