// Preflight checks of the database, the queue, each service and the folders of reports. Buys and changes nothing.

import { randomUUID } from 'node:crypto';
import { lstatSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ResolvedConfig, ServiceConfig } from '../../../config/resolve.ts';
import { answerSourceOf } from '../../../config/rules/service-rules.ts';
import { type StoreState, storeState } from '../../../db/connection/client.ts';
import { freeBytesAt } from '../../../db/connection/disk.ts';
import { openStoreForReading } from '../../../db/store.ts';
import type { RedisState } from '../../../jobs/queue/bullmq/redis.ts';
import { SearchDataClient } from '../../service/client/client.ts';
import {
  type AnswerFacts,
  answerFacts,
  errorText,
  type MetricsSource,
  ProcessMemory,
  type SerpSource,
  ServiceError,
  type SourceProbe,
  systemClock,
} from '../../service/index.ts';
import { plural } from '../../tracker/figures.ts';
import { type ListPrice, metricsPrice, pagePrice, priceOfPlan, sellersOf } from '../opening/list-prices.ts';
import { guardHistory } from '../opening/loss.ts';
import { queuedServices } from '../opening/queue.ts';
import { closeSource, makeSource } from '../opening/sources.ts';

interface OnlineRequest {
  /** For each check; they run in parallel. Default: 10 seconds. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

interface OnlineReport {
  /** Database, queue, reports, and services in the order of the config. */
  readonly trials: readonly PreflightCheck[];
  /** Whether this version can read the database: it has its schema, or does not exist yet. */
  readonly isReadable: boolean;
}

const timeoutMsDefault = 10_000;
/** Enough for a run of any size to start; a full disk stops its purchases. */
const freeBytesLow = 100_000_000;

/** Runs all checks. Rejects with the signal's reason, and with UsageError for a service that the queue cannot take. */
export async function checkOnline(config: ResolvedConfig, request: OnlineRequest): Promise<OnlineReport> {
  const { timeoutMs = timeoutMsDefault, signal, onProgress } = request;
  const limits = { timeoutMs, signal };
  if (config.queue.driver === 'bullmq') queuedServices(config);
  // SQLite blocks this thread: check the database before the checks with a time limit
  let isReadable = false;
  const database = await databaseCheck(config, limits, (state) => {
    isReadable = state.schema === null || state.schema === state.schemaKnown;
  });
  const { databaseFile, projects } = config;
  const services = new Map([...config.services].filter(([name]) => !config.best.has(name)));
  const answering = new Set(
    projects.flatMap(({ prompts, service }) => (prompts === undefined ? [] : sellersOf(config, service).slice(0, 1))),
  );
  const checks = [
    Promise.resolve(database),
    queueCheck(config, limits),
    reportsCheck(config, limits),
    ...serviceChecks({ services, answering, databaseFile }, limits),
  ];
  let done = 0;
  const reported = checks.map(async (check) => {
    const result = await check;
    onProgress(++done, checks.length);
    return result;
  });
  return { trials: await Promise.all(reported), isReadable };
}

function databaseCheck(
  config: ResolvedConfig,
  limits: PreflightLimits,
  onState: (state: StoreState) => void,
): Promise<PreflightCheck> {
  return runPreflightCheck({ what: 'database', service: null, source: null }, limits, async () => {
    const file = config.databaseFile;
    guardHistory(config);
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

/** Writes and removes an empty file in each folder of reports that is there. */
function reportsCheck({ reports, projects }: ResolvedConfig, limits: PreflightLimits): Promise<PreflightCheck> {
  return runPreflightCheck({ what: 'reports', service: null, source: null }, limits, async () => {
    const { directory } = reports;
    const unwritable = (folder: string): PreflightProblem[] => {
      const reason = folderComplaint(folder);
      const message = `No report can be written to ${folder}: ${reason}.`;
      const remedy = 'Give this user write permission there, or set `reports.dir` to another folder.';
      return reason === null ? [] : [{ code: 'REPORTS_UNWRITABLE', message, remedy }];
    };
    const ofAll = unwritable(directory);
    const problems = ofAll.length > 0 ? ofAll : projects.flatMap(({ id }) => unwritable(join(directory, id)));
    const [first] = problems;
    if (first !== undefined) return { says: first.message, state: 'failed', problems };
    const freeBytes = freeBytesAt(existingParent(directory));
    const room = `${formatBytes(freeBytes)} are free on their disk.`;
    const warnings = freeBytes < freeBytesLow ? [`The disk of ${directory} has ${formatBytes(freeBytes)} left.`] : [];
    return { says: `They can be written. ${room}`, warnings };
  });
}

/** Why no file can be created in a folder, which may not exist yet; null: one can. */
function folderComplaint(folder: string): string | null {
  const parent = existingParent(folder);
  const probe = join(parent, `.writing-${randomUUID()}`);
  try {
    const facts = statSync(parent, { throwIfNoEntry: false });
    if (facts === undefined) return `${parent} is a link that leads to nothing`;
    if (!facts.isDirectory()) return `${parent} is a file`;
    writeFileSync(probe, '', { flag: 'wx' });
    rmSync(probe);
    return null;
  } catch (error) {
    return errorText(error);
  }
}

/** The path itself if something stands there, else the nearest folder above it. */
function existingParent(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined || dirname(path) === path) return path;
  return existingParent(dirname(path));
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

type Embedded = Extract<ServiceConfig, { mode: 'embedded' }>;
type Options = Readonly<Record<string, unknown>>;

interface ServicesToTry {
  readonly services: ReadonlyMap<string, ServiceConfig>;
  /** Services that projects ask for AI answers. */
  readonly answering: ReadonlySet<string>;
  /** Absolute. */
  readonly databaseFile: string;
}

/** Checks all services in parallel. */
function serviceChecks(
  { services, answering, databaseFile }: ServicesToTry,
  limits: PreflightLimits,
): Promise<PreflightCheck>[] {
  return [...services].flatMap(([name, service]) => {
    if (service.mode === 'remote') return [remoteCheck(name, service, limits)];
    const { account, metrics } = service;
    return [
      pagesCheck(name, service, limits),
      ...(metrics === undefined ? [] : [metricsCheck(name, service, metrics.source, limits)]),
      ...(!answering.has(name) || answerSourceOf(service) === null ? [] : [answersCheck(name, service, limits)]),
      ...(account === undefined ? [] : [accountCheck(name, account, databaseFile, limits)]),
    ];
  });
}

function remoteCheck(
  service: string,
  { baseUrl, user, password, microUsdPerCredit }: Extract<ServiceConfig, { mode: 'remote' }>,
  limits: PreflightLimits,
): Promise<PreflightCheck> {
  const subject = { what: 'pages-and-keyword-data', service, source: 'remote' } as const;
  return runPreflightCheck(subject, limits, async (signal) => {
    const client = new SearchDataClient({
      baseUrl,
      user: user.reveal(),
      password: password.reveal(),
      clock: systemClock,
      retries: { attemptsMax: 1 },
    });
    try {
      const price = priceOfPlan(microUsdPerCredit, null);
      return { ...toPreflightResult(await client.probe(signal)), unit: null, price };
    } finally {
      await client.close();
    }
  });
}

function pagesCheck(service: string, config: Embedded, limits: PreflightLimits): Promise<PreflightCheck> {
  const { source, options, microUsdPerCredit } = config;
  return runPreflightCheck({ what: 'pages', service, source }, limits, async (signal) => {
    const made = await makeSource(config, { clock: systemClock, memory: new ProcessMemory(systemClock) });
    try {
      if (made.serp === undefined) return { says: 'It has no results pages.' };
      const answer = await probeSource(made.serp, signal);
      const parts = await checkParts(service, config, answer.probe);
      if (parts.length > 0) return { ...answer.rest, ...combineParts(parts), parts };
      return { ...answer.rest, price: priceOfPlan(microUsdPerCredit, await pagePrice(source, options)) };
    } finally {
      await closeSource(made);
    }
  });
}

function metricsCheck(
  service: string,
  config: Embedded,
  source: string,
  limits: PreflightLimits,
): Promise<PreflightCheck> {
  return runPreflightCheck({ what: 'keyword-data', service, source }, limits, async (signal) => {
    const made = await makeSource(config, { clock: systemClock, memory: new ProcessMemory(systemClock) });
    try {
      if (made.metrics === undefined) return { says: 'It has no keyword data.' };
      const { rest } = await probeSource(made.metrics, signal);
      return { ...rest, price: await metricsPrice(source, config.metrics?.options ?? {}) };
    } finally {
      await closeSource(made);
    }
  });
}

/** Whether the source of AI answers can be made. No vendor has a free request for a test. */
function answersCheck(service: string, config: Embedded, limits: PreflightLimits): Promise<PreflightCheck> {
  const source = answerSourceOf(config) ?? '';
  return runPreflightCheck({ what: 'answers', service, source }, limits, async () => {
    const made = await makeSource(config, { clock: systemClock, memory: new ProcessMemory(systemClock) });
    try {
      const facts = await answerFacts(source, config.answers?.options ?? {});
      const price = facts === undefined ? null : answerPrice(facts);
      return made.answers?.kind === 'live'
        ? { says: notAsked, state: 'not-asked', price }
        : { says: 'It answers locally, for play money.', price };
    } finally {
      await closeSource(made);
    }
  });
}

/** The balance of the account that our own runs charge. */
function accountCheck(
  service: string,
  account: string,
  databaseFile: string,
  limits: PreflightLimits,
): Promise<PreflightCheck> {
  return runPreflightCheck({ what: 'account', service, source: account }, limits, async () => {
    const create = `Create it: rankledger account create ${account} --serp-credits 1000 --usd 10`;
    const missing = { code: 'ACCOUNT_MISSING', message: `There is no account "${account}".`, remedy: create };
    const found = await findAccount(account, databaseFile);
    if (found === undefined) return { says: missing.message, state: 'failed', problems: [missing] };
    const { serpCredits, microUsd } = found;
    const says = `${serpCredits} ${plural(serpCredits, 'credit')} and ${microUsd / 1_000_000} USD are left.`;
    const left = { says, creditsLeft: serpCredits, unit: 'credit' } as const;
    if (serpCredits > 0) return left;
    const message = `The account "${account}" has no credits left.`;
    const remedy = `Top it up: rankledger account credit ${account} --serp-credits 1000`;
    return { ...left, state: 'refused', problems: [{ code: 'INSUFFICIENT_CREDITS', message, remedy }] };
  });
}

/** The list price of an answer, of the engine that costs most. */
function answerPrice({ engines }: AnswerFacts): ListPrice | null {
  const [oldest] = engines.map(({ asOf }) => asOf).sort();
  if (oldest === undefined) return null;
  const first = Math.max(...engines.map(({ microUsdMax }) => microUsdMax));
  return { unit: 'micro_usd', first, further: 0, together: null, unitMicroUsd: { least: 1, most: 1 }, asOf: oldest };
}

async function findAccount(account: string, databaseFile: string) {
  const store = openStoreForReading(databaseFile);
  try {
    return await store.accounts.findAccount(account);
  } finally {
    store.close();
  }
}

const notAsked = 'It has no free request for a test: the first paid request shows whether it answers.';

async function probeSource(
  half: SerpSource | MetricsSource,
  signal: AbortSignal,
): Promise<{ readonly rest: PreflightResult; readonly probe: SourceProbe | undefined }> {
  const probe = await half.probe?.({ signal, at: systemClock.now() });
  if (probe !== undefined) return { rest: toPreflightResult(probe), probe };
  if (half.kind !== 'live') return { rest: { says: 'It answers locally, for free.' }, probe };
  return { rest: { state: 'not-asked', says: notAsked }, probe };
}

/** Each source of a chain, with the options that the config gives it. */
async function checkParts(
  service: string,
  { options, microUsdPerCredit }: Embedded,
  probe: SourceProbe | undefined,
): Promise<PreflightCheck[]> {
  const written = Array.isArray(options['sources']) ? (options['sources'] as readonly Options[]) : [];
  return await Promise.all(
    (probe?.parts ?? []).map(async (part, at) => {
      const subject = { what: 'pages', service, source: part.source } as const;
      const listed = await pagePrice(String(written[at]?.['source'] ?? part.source), written[at] ?? {});
      return preflightCheck(subject, { ...toPreflightResult(part), price: priceOfPlan(microUsdPerCredit, listed) });
    }),
  );
}

/** A chain works as long as one of its sources does. */
function combineParts(parts: readonly PreflightCheck[]): PreflightResult {
  const good = parts.filter(({ state }) => state === 'ok' || state === 'not-asked').length;
  const problems = parts.flatMap((part) => part.problems);
  const says = `${good} of ${parts.length} sources are ready.`;
  return { says, state: good > 0 ? 'ok' : summariseState(problems), problems };
}

/**
 * `refused`: it answers, but would refuse a run because of credentials, credits or an address. `failed`: it does not
 * answer, or cannot be used.
 */
export type PreflightState = 'ok' | 'not-asked' | 'refused' | 'failed';

interface PreflightProblem {
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
}

/** The subject of a check. */
interface PreflightSubject {
  readonly what:
    | 'database'
    | 'queue'
    | 'reports'
    | 'pages'
    | 'keyword-data'
    | 'pages-and-keyword-data'
    | 'answers'
    | 'account';
  /** Name of the service in the config; null for other subjects. */
  readonly service: string | null;
  /** Name of the source behind it, or of the account; null where there is none. */
  readonly source: string | null;
}

export interface PreflightCheck extends PreflightSubject {
  readonly state: PreflightState;
  /** A sentence for people. */
  readonly says: string;
  readonly problems: readonly PreflightProblem[];
  /** Warnings: it works now, but may soon fail. */
  readonly warnings: readonly string[];
  /** Credits left, in the unit of the source; null if unknown. */
  readonly creditsLeft: number | null;
  readonly unit: SourceProbe['unit'] | null;
  readonly plan: string | null;
  /** Null if its price is unknown or it is free. */
  readonly price: ListPrice | null;
  /** Of a chain, each source of it. */
  readonly parts: readonly PreflightCheck[];
}

/** The result of a check that did not fail. */
type PreflightResult = Partial<Omit<PreflightCheck, keyof PreflightSubject>> & { readonly says: string };

/** `timeoutMs`: for each check. `signal`: cancels all of them. */
interface PreflightLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs the check. Errors are part of the result; only the signal of the limits rejects, with its reason. */
async function runPreflightCheck(
  subject: PreflightSubject,
  { timeoutMs, signal }: PreflightLimits,
  work: (signal: AbortSignal) => Promise<PreflightResult>,
): Promise<PreflightCheck> {
  const deadline = new AbortController();
  const stop = (): void => deadline.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => deadline.abort(tooLong(timeoutMs)), timeoutMs);
  try {
    return preflightCheck(subject, await orAborted(work(deadline.signal), deadline.signal));
  } catch (error) {
    signal.throwIfAborted();
    const problem = toProblem(error);
    return preflightCheck(subject, { says: problem.message, state: summariseState([problem]), problems: [problem] });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function preflightCheck(subject: PreflightSubject, result: PreflightResult): PreflightCheck {
  return {
    ...subject,
    state: 'ok',
    problems: [],
    warnings: [],
    creditsLeft: null,
    unit: null,
    plan: null,
    price: null,
    parts: [],
    ...result,
  };
}

/** Turns the answer of a source to its probe into a finding. */
function toPreflightResult(probe: SourceProbe): PreflightResult {
  const { plan = null } = probe;
  const problems = (probe.problems ?? []).map(toProblem);
  const isUnclear = probe.answers === false && problems.length === 0;
  return {
    says: probe.message,
    state: isUnclear ? 'failed' : probe.answers === null ? 'not-asked' : summariseState(problems),
    problems,
    creditsLeft: probe.creditsLeft,
    unit: probe.unit,
    plan,
  };
}

/** How long cancelled work may take to return its result. */
const graceMs = 500;

const refusals: ReadonlySet<string> = new Set([
  'INVALID_API_KEY',
  'INVALID_CREDENTIALS',
  'CREDENTIALS_EXPIRED',
  'INSUFFICIENT_CREDITS',
  'IP_NOT_WHITELISTED',
]);

/** A refusal outranks a failure: it needs an operator. */
function summariseState(problems: readonly PreflightProblem[]): PreflightState {
  if (problems.some(({ code }) => refusals.has(code))) return 'refused';
  return problems.length > 0 ? 'failed' : 'ok';
}

function toProblem(error: unknown): PreflightProblem {
  if (!(error instanceof Error)) return { code: 'UNEXPECTED', message: String(error), remedy: null };
  const { code, hint } = error as { readonly code?: unknown; readonly hint?: unknown };
  return {
    code: typeof code === 'string' ? code : 'UNEXPECTED',
    message: error.message,
    remedy: typeof hint === 'string' ? hint : null,
  };
}

function tooLong(timeoutMs: number): ServiceError {
  return new ServiceError('TIMEOUT', `There was no answer within ${timeoutMs / 1000} s.`, {
    charged: 'no',
    hint: 'Check its address and the network, or raise --timeout.',
  });
}

/** Work may still return its result shortly after its time is over. Work that ignores the signal is abandoned. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      grace = setTimeout(() => reject(signal.reason), graceMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(grace);
      signal.removeEventListener('abort', giveUp);
    });
  });
}
