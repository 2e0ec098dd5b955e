// Preflight checks of the database, the queue and each service. Buys and changes nothing.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { type StoreState, storeState } from '../../../db/connection/client.ts';
import type { RedisState } from '../../../jobs/queue/bullmq/redis.ts';
import { type Clock, systemClock } from '../../service/index.ts';
import { queuedServices } from '../opening/queue.ts';
import {
  type PreflightCheck,
  type PreflightLimits,
  type PreflightProblem,
  type PreflightResult,
  runPreflightCheck,
} from './preflight-check.ts';
import { serviceChecks } from './service-checks.ts';

export interface OnlineRequest {
  /** For each check; they run in parallel. Default: 10 seconds. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface OnlineReport {
  /** Database, queue and services, in the order of the config. */
  readonly trials: readonly PreflightCheck[];
  /** Whether this version can read the database: it has its schema, or does not exist yet. */
  readonly isReadable: boolean;
}

const timeoutMsDefault = 10_000;
/** Enough for a run of any size to start; a full disk stops its purchases. */
const freeBytesLow = 100_000_000;

/** Runs all checks. Rejects with the signal's reason, and with UsageError for a service that the queue cannot take. */
export async function checkOnline(config: ResolvedConfig, request: OnlineRequest = {}): Promise<OnlineReport> {
  const { timeoutMs = timeoutMsDefault, clock = systemClock, onProgress } = request;
  const limits = { timeoutMs, signal: request.signal ?? new AbortController().signal };
  if (config.queue.driver === 'bullmq') queuedServices(config);
  // SQLite blocks this thread: check the database before the checks with a time limit
  let isReadable = false;
  const database = await databaseCheck(config.databaseFile, limits, (state) => {
    isReadable = state.schema === null || state.schema === state.schemaKnown;
  });
  const { services, databaseFile, projects } = config;
  const answering = new Set(projects.flatMap(({ prompts, service }) => (prompts === undefined ? [] : [service])));
  const checks = [
    Promise.resolve(database),
    queueCheck(config, limits),
    ...serviceChecks({ services, answering, databaseFile, clock }, limits),
  ];
  let done = 0;
  const reported = checks.map(async (check) => {
    const result = await check;
    onProgress?.(++done, checks.length);
    return result;
  });
  return { trials: await Promise.all(reported), isReadable };
}

function databaseCheck(
  file: string,
  limits: PreflightLimits,
  onState: (state: StoreState) => void,
): Promise<PreflightCheck> {
  return runPreflightCheck({ what: 'database', service: null, source: null }, limits, async () => {
    const state = storeState(file);
    onState(state);
    const { schema, schemaKnown, bytes, freeBytes } = state;
    const room = `${formatBytes(freeBytes)} are free on its disk.`;
    const warnings = freeBytes < freeBytesLow ? [`The disk of ${file} has ${formatBytes(freeBytes)} left.`] : [];
    if (schema === null) return { says: `It does not exist yet: the first run creates it. ${room}`, warnings };
    const age = schema === schemaKnown ? '' : `, which will be migrated to ${schemaKnown}`;
    return { says: `It can be written: ${formatBytes(bytes)}, schema ${schema}${age}. ${room}`, warnings };
  });
}

function queueCheck(config: ResolvedConfig, limits: PreflightLimits): Promise<PreflightCheck> {
  const { queue } = config;
  return runPreflightCheck({ what: 'queue', service: null, source: queue.driver }, limits, async (signal) => {
    if (queue.driver === 'embedded') return { says: 'It runs in this process.' };
    const { redisState } = await import('../../../jobs/queue/bullmq/redis.ts');
    const queued = queuedServices(config);
    const state = await redisState(
      queue.redisUrl.reveal(),
      signal,
      queued.map((service) => service.queue),
    );
    return redisFinding(
      state,
      queued.filter((service) => state.unserved.includes(service.queue)).map(({ name }) => name),
    );
  });
}

/** `unserved`: services that no worker serves. */
function redisFinding(state: RedisState, unserved: readonly string[]): PreflightResult {
  const { address, version, maxmemoryPolicy: policy, maxmemoryBytes, usedBytes, persistence, workers } = state;
  const of = maxmemoryBytes ? ` of ${formatBytes(maxmemoryBytes)}` : '';
  const kept = {
    log: 'it persists every write (appendonly, appendfsync always)',
    unsynced: 'it persists writes without syncing each one (appendonly)',
    snapshots: 'it persists snapshots only',
    none: 'it persists nothing',
  };
  const facts = [
    `Redis${version === null ? '' : ` ${version}`} at ${address} answers`,
    ...(usedBytes === null ? [] : [`${formatBytes(usedBytes)}${of} used`]),
    `maxmemory-policy ${policy ?? 'is unknown'}`,
    ...(persistence === null ? [] : [kept[persistence]]),
    workers === 1 ? '1 worker' : `${workers} workers`,
  ];
  const problems: PreflightProblem[] = [];
  if (policy !== null && policy !== 'noeviction') {
    problems.push({
      code: 'REDIS_EVICTS',
      message: `Redis may evict work to free memory: its maxmemory-policy is ${policy}.`,
      remedy: 'Set it to noeviction: `redis-cli config set maxmemory-policy noeviction`, and the same in redis.conf.',
    });
  }
  const warnings: string[] = [];
  if (persistence === 'none' || persistence === 'snapshots')
    warnings.push('After a restart of Redis, requests in flight count as spent: set appendonly yes.');
  if (persistence === 'unsynced')
    warnings.push('After a restart of Redis, requests in flight count as spent: set appendfsync always.');
  if (workers === 0) warnings.push('No worker is running: start one with `rankledger worker`.');
  else if (unserved.length > 0)
    warnings.push(
      `No worker serves ${unserved.join(', ')} with the settings of this config: its requests would wait. Start a worker with the same settings.`,
    );
  return { says: `${facts.join(', ')}.`, state: problems.length > 0 ? 'failed' : 'ok', problems, warnings };
}

function formatBytes(bytes: number): string {
  if (bytes >= 1e10) return `${Math.round(bytes / 1e9)} GB`;
  return `${bytes > 0 && bytes < 1e6 ? '1' : Math.round(bytes / 1e6)} MB`;
}
