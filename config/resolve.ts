// Written -> used: paths made absolute, durations and dollars made integers, markets filled in. It reads nothing and checks nothing.
import { dirname, resolve as resolvePath } from 'node:path';
import { type Comparison, parseComparison } from '../src/tracker/baseline.ts';
import { type Note, normalNote } from '../src/tracker/note.ts';
import type { Budget, Project, TrackedKeyword } from '../src/tracker/project.ts';
import { type AlertsConfig, resolveAlerts } from './alerts.ts';
import type { BrokenEntries } from './broken-entries.ts';
import type { Draft, DraftProject } from './draft.ts';
import { durationMs } from './duration.ts';
import { servicesOf, targetOf } from './rule.ts';
import type { WrittenService } from './schema.ts';
import { hideOptions, Secret } from './secret.ts';
import { microUsdOf } from './usd.ts';

/** A service as used. Secrets show themselves only to `reveal()`, and options from the environment only to whoever reads them. */
export type ServiceConfig =
  | {
      readonly mode: 'embedded';
      readonly source: string;
      /** For the source; `dir` is absolute. */
      readonly options: Readonly<Record<string, unknown>>;
      /** Where keyword metrics come from, if not from the source of pages; `dir` and `file` of its options are absolute. */
      readonly metrics?: { readonly source: string; readonly options: Readonly<Record<string, unknown>> };
      readonly account?: string;
      /** How often a page is bought once more whose answer is of no use. Absent: as its source's facts say. */
      readonly retryUnreadable?: number;
    }
  | {
      readonly mode: 'remote';
      /** Without a slash at its end and without /v1. */
      readonly baseUrl: string;
      readonly user: Secret;
      readonly password: Secret;
      readonly concurrency: number;
      readonly requestsPerSecond: number;
      readonly timeoutMs: number;
      /** It sells an idempotency key once within 24 hours. */
      readonly keepsKeys: boolean;
      /** How often a page is bought once more whose answer is of no use. Absent: once. */
      readonly retryUnreadable?: number;
    };

export type QueueConfig =
  | { readonly driver: 'embedded'; readonly concurrency: number }
  | {
      readonly driver: 'bullmq';
      readonly redisUrl: Secret;
      /** Null: messages travel unsigned. */
      readonly signingKey: Secret | null;
      readonly concurrency: number;
    };

/** Signs of life for a monitor; empty: none are given. */
export interface HeartbeatConfig {
  /** Absolute. */
  readonly file?: string;
  readonly url?: Secret;
}

export interface ReportsConfig {
  /** Absolute. */
  readonly directory: string;
  readonly csv: { readonly bom: boolean; readonly delimiter: ',' | ';' | '\t'; readonly safe: boolean };
  readonly html: boolean;
  readonly xlsx: boolean;
  readonly ctrCurve: string;
  readonly compare: Comparison;
  /** Absent: reckoned from how far back the baseline lies. */
  readonly toleranceMs?: number;
  /** Ends with `/`; absent: they are not published. */
  readonly url?: string;
  readonly agency: boolean;
  readonly agencyDays: number;
}

/** The config as used, frozen. */
export interface ResolvedConfig {
  /** Absolute. */
  readonly file: string;
  /** Absolute; written paths are relative to it. */
  readonly directory: string;
  /** IANA; of budget days and of projects that name none. */
  readonly timezone: string;
  /** Absolute. */
  readonly databaseFile: string;
  /** Who may read the files that rankledger makes. */
  readonly fileAccess: 'owner' | 'group' | 'everyone';
  readonly reports: ReportsConfig;
  readonly services: ReadonlyMap<string, ServiceConfig>;
  readonly budget: Budget;
  readonly queue: QueueConfig;
  readonly retention: { readonly rawPagesMs: number };
  readonly heartbeat: HeartbeatConfig;
  readonly alerts: AlertsConfig;
  readonly notes: readonly Note[];
  readonly projects: readonly Project[];
  /** For people, with file and line. */
  readonly warnings: readonly string[];
  /**
   * Variables that asking services, the queue, channels or a monitor needs and the environment lacks, told like problems. Their places hold the names in place of
   * values: where there are any, none of these may be asked. Empty in a config that was loaded for asking.
   */
  readonly unset: readonly string[];
  /** What was left out: see `leavesOutBroken` of LoadOptions. */
  readonly broken: BrokenEntries;
}

/** What resolving needs beside the draft. */
export interface ResolveInput {
  /** Absolute. */
  readonly file: string;
  readonly draft: Draft;
  /** For each project in order, its keywords. */
  readonly keywords: readonly (readonly TrackedKeyword[])[];
  readonly warnings: readonly string[];
  readonly unset: readonly string[];
  readonly broken: BrokenEntries;
  /** Whether the option of a service, or of a part of it, came from the environment. */
  readonly isHidden: (service: string, ...option: readonly string[]) => boolean;
}

/** The config as used. The draft must be whole and checked: a broken one gives nonsense or throws. */
export function resolveConfig(input: ResolveInput): ResolvedConfig {
  const { file, draft } = input;
  const directory = dirname(file);
  const { timezone, database, fileAccess, reports, budget, queue, retention, heartbeat, notes } = draft.written;
  const { dir, csv, compare, tolerance, url, ...restOfReports } = reports;
  return {
    file,
    directory,
    timezone,
    databaseFile: resolvePath(directory, database),
    fileAccess,
    reports: {
      directory: resolvePath(directory, dir),
      csv: { ...csv, delimiter: csv.delimiter === 'tab' ? '\t' : csv.delimiter },
      ...restOfReports,
      compare: parseComparison(compare) ?? { kind: 'previous' },
      ...(url === undefined ? {} : { url: `${url.replace(/\/+$/, '')}/` }),
      ...(tolerance === undefined ? {} : { toleranceMs: durationMs(tolerance) }),
    },
    services: new Map(
      [...servicesOf(draft)].flatMap(([name, service]) =>
        service === null
          ? []
          : [[name, resolveService(service, directory, (...option) => input.isHidden(name, ...option))]],
      ),
    ),
    budget: resolveBudget(budget),
    queue: resolveQueue(queue),
    retention: { rawPagesMs: durationMs(retention.rawPages) },
    heartbeat: {
      ...(heartbeat?.file === undefined ? {} : { file: resolvePath(directory, heartbeat.file) }),
      ...(heartbeat?.url === undefined ? {} : { url: new Secret(heartbeat.url) }),
    },
    alerts: resolveAlerts(draft.written.alerts, draft.projects, directory),
    notes: notes.map(({ date, text, project }) => ({ date, text: normalNote(text), project: project ?? null })),
    projects: draft.projects.map((project, at) => resolveProject(project, timezone, input.keywords[at] ?? [])),
    warnings: input.warnings,
    unset: input.unset,
    broken: input.broken,
  };
}

function resolveService(
  service: WrittenService,
  directory: string,
  isHidden: (...option: readonly string[]) => boolean,
): ServiceConfig {
  if (service.mode === 'remote') {
    const { baseUrl, user, password, retryUnreadable, ...rest } = service;
    const policy = retryUnreadable === undefined ? {} : { retryUnreadable };
    return {
      ...rest,
      ...policy,
      baseUrl: baseUrl.replace(/\/+$/, ''),
      user: new Secret(user),
      password: new Secret(password),
    };
  }
  const { mode, source, account, metrics, retryUnreadable, ...written } = service;
  const options = resolveOptions(written, ['dir'], directory, isHidden);
  return {
    mode,
    source,
    options,
    ...(account === undefined ? {} : { account }),
    ...(retryUnreadable === undefined ? {} : { retryUnreadable }),
    ...(metrics === undefined ? {} : { metrics: resolveMetrics(metrics, directory, isHidden) }),
  };
}

function resolveMetrics(
  { source, ...written }: NonNullable<Extract<WrittenService, { mode: 'embedded' }>['metrics']>,
  directory: string,
  isHidden: (...option: readonly string[]) => boolean,
) {
  const isHiddenThere = (option: string): boolean => isHidden('metrics', option);
  return { source, options: resolveOptions(written, ['dir', 'file'], directory, isHiddenThere) };
}

/** Options of a source as it takes them: the `paths` among them absolute, those from the environment hidden. */
function resolveOptions(
  written: Readonly<Record<string, unknown>>,
  paths: readonly string[],
  directory: string,
  isHidden: (option: string) => boolean,
): Record<string, unknown> {
  const options: Record<string, unknown> = Object.assign(Object.create(null), written);
  for (const name of paths) {
    const path = written[name];
    if (typeof path === 'string') options[name] = resolvePath(directory, path);
  }
  return hideOptions(options, new Set(Object.keys(written).filter((option) => isHidden(option))));
}

type Amounts = { readonly [Window in 'perRun' | 'perDay' | 'perMonth']?: number | undefined };

function resolveBudget(budget: Draft['written']['budget']): Budget {
  const defined = (amounts: Amounts, convert: (amount: number) => number | undefined): Budget['serpCredits'] =>
    Object.fromEntries(
      Object.entries(amounts).flatMap(([window, amount]) => (amount === undefined ? [] : [[window, convert(amount)]])),
    );
  return {
    serpCredits: defined(budget?.serpCredits ?? {}, (credits) => credits),
    microUsd: defined(budget?.keywordDataUsd ?? {}, microUsdOf),
  };
}

function resolveQueue({ driver, redisUrl, signingKey, concurrency }: Draft['written']['queue']): QueueConfig {
  if (driver !== 'bullmq') return { driver, concurrency };
  const key = signingKey === undefined ? null : new Secret(signingKey);
  return { driver, redisUrl: new Secret(redisUrl ?? ''), signingKey: key, concurrency };
}

function resolveProject({ written }: DraftProject, timezone: string, keywords: readonly TrackedKeyword[]): Project {
  const { brandTerms, schedule, deep, volumes } = written;
  return {
    id: written.id,
    service: written.service,
    targets: written.targets.map(targetOf),
    competitors: written.competitors.map(targetOf),
    ...(brandTerms === undefined ? {} : { brandTerms }),
    ...(schedule === undefined ? {} : { schedule }),
    timezone: written.timezone ?? timezone,
    catchUp: written.catchUp,
    overlap: written.overlap,
    jitterSeconds: written.jitterSeconds,
    paging: written.paging,
    ...(deep === undefined ? {} : { deep: { depth: deep.depth, everyMs: durationMs(deep.every) } }),
    freshForMs: written.freshFor === undefined ? 0 : durationMs(written.freshFor),
    keywords,
    ...(volumes === undefined ? {} : { volumes }),
  };
}
