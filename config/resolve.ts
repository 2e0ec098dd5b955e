// Resolves the written config: absolute paths, integer durations and dollars, complete markets. Pure.

import { dirname, resolve as resolvePath } from 'node:path';
import type { SavedView } from '../src/read/records.ts';
import { savedQuery } from '../src/read/saved-view.ts';
import { usualEngine } from '../src/service/terms.ts';
import type { AlertRule } from '../src/tracker/changes/alerts.ts';
import type { Note } from '../src/tracker/changes/note.ts';
import type { Budget, Project, TrackedKeyword, TrackedPrompts } from '../src/tracker/project.ts';
import { normalText } from '../src/tracker/searches.ts';
import {
  type BrokenEntries,
  eachService,
  engineOf,
  type PartialConfig,
  type PartialProject,
  sellersOf,
  toTarget,
} from './document/draft.ts';
import { resolveGrid } from './keyword-files/grid.ts';
import type { KeywordDefaults } from './keyword-files/keyword-list.ts';
import { type Logos, type ReportsConfig, resolveReports, trimSlashes } from './resolve-reports.ts';
import type { WrittenChannel } from './schema/alerts-schema.ts';
import { countryCode, languageCode, normalKeyword } from './schema/complaints.ts';
import type { WrittenPrompts, WrittenSearchConsole, WrittenService } from './schema/schema.ts';
import { durationMs, toMicroUsd } from './schema/schema-parts.ts';

/** A source with its options, among which `dir` and `file` are absolute. */
interface SourceConfig {
  readonly source: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A resolved service. Secrets are printed only by `reveal()`; options from the environment are not enumerable. */
export type ServiceConfig =
  | ({
      readonly mode: 'embedded';
      /** The source of keyword metrics, if not the source of pages. */
      readonly metrics?: SourceConfig;
      /** The source of AI answers, like `metrics`. */
      readonly answers?: SourceConfig;
      readonly account?: string;
      /** Of a SERP credit; absent: its list price. */
      readonly microUsdPerCredit?: number;
      /** How often an unreadable page is bought again. Absent: the default of its source. */
      readonly retryUnreadable?: number;
    } & SourceConfig)
  | {
      readonly mode: 'remote';
      /** Without trailing slash and without /v1. */
      readonly baseUrl: string;
      readonly user: Secret;
      readonly password: Secret;
      readonly concurrency: number;
      readonly requestsPerSecond: number;
      readonly timeoutMs: number;
      /** It honours idempotency keys for 24 hours. */
      readonly keepsKeys: boolean;
      /** It honours `location` in requests. */
      readonly takesLocations: boolean;
      /** Of a SERP credit; absent: unknown. */
      readonly microUsdPerCredit?: number;
      /** How often an unreadable page is bought again. Absent: once. */
      readonly retryUnreadable?: number;
    };

/** A service that buys each search from the cheapest of these that is believed. */
interface BestService {
  /** The first is believed until others have proved to agree with it. */
  readonly of: readonly string[];
  /** 0 to 1. */
  readonly agreement: number;
}

export type QueueConfig =
  | { readonly driver: 'embedded'; readonly concurrency: number }
  | {
      readonly driver: 'bullmq';
      readonly redisUrl: Secret;
      /** Null: messages are not signed. */
      readonly signingKey: Secret | null;
      readonly concurrency: number;
    };

/** Heartbeat for a monitor; empty: off. */
export interface HeartbeatConfig {
  /** Absolute. */
  readonly file?: string;
  readonly url?: Secret;
}

/** Where the keywords of a project are written. */
export interface KeywordSource {
  /** Absolute; absent: all its keywords are in the config. */
  readonly file?: string;
  readonly defaults: KeywordDefaults;
}

/** By an earlier name, the name that a project or a service has now; and of each renamed service its first name. */
interface FormerNames {
  readonly projects: ReadonlyMap<string, string>;
  readonly services: ReadonlyMap<string, string>;
  readonly firstServiceNames: ReadonlyMap<string, string>;
}

/** The resolved config, frozen. */
export interface ResolvedConfig {
  /** Absolute. */
  readonly file: string;
  /** Absolute; written paths are relative to it. */
  readonly directory: string;
  /** IANA; for budget days, and the default of projects. */
  readonly timezone: string;
  /** Absolute. */
  readonly databaseFile: string;
  /** Who may read the files that rankledger writes. */
  readonly fileAccess: 'owner' | 'group' | 'everyone';
  readonly reports: ReportsConfig;
  /** A service of `best` has the config of the first service that it buys from. */
  readonly services: ReadonlyMap<string, ServiceConfig>;
  readonly best: ReadonlyMap<string, BestService>;
  /** By service, the search engine whose pages projects track through it, where it is another than Google. */
  readonly engines: ReadonlyMap<string, string>;
  readonly budget: Budget;
  readonly queue: QueueConfig;
  /** `reportsMs` absent: reports stay. */
  readonly retention: { readonly rawPagesMs: number; readonly reportsMs?: number };
  readonly heartbeat: HeartbeatConfig;
  /** Where traces of runs go, from OTEL_EXPORTER_OTLP_ENDPOINT; absent: nowhere. */
  readonly tracesTo?: string;
  /** Of objects that exports write, from AWS_ENDPOINT_URL; absent: that of Amazon. */
  readonly s3Endpoint?: string;
  readonly alerts: AlertsConfig;
  readonly notes: readonly Note[];
  readonly projects: readonly Project[];
  /** Earlier names: `formerly` of projects and services. */
  readonly formerly: FormerNames;
  /** Saved views by project. */
  readonly views: ReadonlyMap<string, readonly SavedView[]>;
  /** Of the projects that have it. */
  readonly searchConsoles: ReadonlyMap<string, SearchConsoleConfig>;
  /** By project: where its keyword file is, and what keywords take from the project. */
  readonly keywordSources: ReadonlyMap<string, KeywordSource>;
  /** Warnings with file and line. */
  readonly warnings: readonly string[];
  /**
   * Unset variables that only services, the queue, channels or a monitor need, as problem texts. Their values are
   * placeholders, so callers must not contact any of these. Empty unless the config was loaded `offline`.
   */
  readonly unset: readonly string[];
  /** Services with unset variables. */
  readonly unsetServices: ReadonlySet<string>;
  /** The skipped parts: see `leavesOutBroken` of LoadOptions. */
  readonly broken: BrokenEntries;
}

/** What loading passes to the result as it is. */
type LoadFacts = Pick<
  ResolvedConfig,
  'file' | 'tracesTo' | 's3Endpoint' | 'warnings' | 'unset' | 'unsetServices' | 'broken'
>;

/** Resolves a complete and valid draft; of any other draft the result has no meaning. */
export function resolveConfig(
  facts: LoadFacts,
  draft: PartialConfig,
  /** The keywords of each project, in order. */
  keywords: readonly (readonly TrackedKeyword[])[],
  logos: Logos,
  /** Whether an option of a service, or of a part of it, came from the environment. */
  isHidden: (service: string, ...option: readonly string[]) => boolean,
): ResolvedConfig {
  const directory = dirname(facts.file);
  const { timezone, database, fileAccess, budget, queue, retention, heartbeat, notes } = draft.written;
  return {
    ...facts,
    directory,
    timezone,
    databaseFile: resolvePath(directory, database),
    fileAccess,
    reports: resolveReports(draft, directory, logos),
    services: resolveServices(draft, directory, isHidden),
    best: new Map([...draft.best].map(([name, { of, agreement }]) => [name, { of, agreement }])),
    engines: new Map(
      draft.projects.flatMap(({ written }) => {
        const engine = engineOf(draft, written);
        return engine === usualEngine ? [] : sellersOf(draft, written.service).map((name) => [name, engine] as const);
      }),
    ),
    budget: resolveBudget(budget),
    queue: resolveQueue(queue),
    retention: {
      rawPagesMs: durationMs(retention.rawPages),
      reportsMs: retention.reports === undefined ? undefined : durationMs(retention.reports),
    },
    heartbeat: {
      file: heartbeat?.file === undefined ? undefined : resolvePath(directory, heartbeat.file),
      url: secretOf(heartbeat?.url),
    },
    alerts: resolveAlerts(draft, directory),
    notes: notes.map(({ date, text, project }) => ({ date, text: normalText(text), project: project ?? null })),
    projects: draft.projects.map((project, at) => resolveProject(draft, project, keywords[at] ?? [])),
    formerly: resolveFormerNames(draft),
    views: new Map(
      draft.projects.map(({ written: { id, views } }) => [
        id,
        views.map(({ name, query }) => ({ name: name.trim(), query: savedQuery(query) })),
      ]),
    ),
    searchConsoles: new Map(
      draft.projects.flatMap(({ written: { id, searchConsole } }) =>
        searchConsole === undefined ? [] : [[id, resolveSearchConsole(searchConsole, directory)]],
      ),
    ),
    keywordSources: new Map(
      draft.projects.map(({ written }) => {
        const { market, tags, depth, keywordsFile } = written;
        const file = keywordsFile === undefined ? undefined : resolvePath(directory, keywordsFile);
        const place = { country: countryCode(market.country), language: languageCode(market.language) };
        return [written.id, { file, defaults: { ...market, ...place, tags, depth } }];
      }),
    ),
  };
}

function resolveFormerNames(draft: PartialConfig): FormerNames {
  const services = [...eachService(draft), ...draft.best].map(([name, { formerly = [] }]) => ({ name, formerly }));
  const projects = draft.projects.map(({ written: { id, formerly = [] } }) => ({ name: id, formerly }));
  const byFormer = (named: typeof services) =>
    new Map(named.flatMap(({ name, formerly }) => formerly.map((former) => [former, name] as const)));
  return {
    projects: byFormer(projects),
    services: byFormer(services),
    firstServiceNames: new Map(
      services.flatMap(({ name, formerly: [first] }) => (first === undefined ? [] : [[name, first]])),
    ),
  };
}

function resolveServices(
  draft: PartialConfig,
  directory: string,
  isHidden: (service: string, ...option: readonly string[]) => boolean,
): ResolvedConfig['services'] {
  const services = new Map(
    [...eachService(draft)].map(([name, service]) => [
      name,
      resolveService(service, directory, (...option) => isHidden(name, ...option)),
    ]),
  );
  for (const [name, { of }] of draft.best) {
    const first = services.get(of[0] ?? '');
    if (first !== undefined) services.set(name, first);
  }
  return services;
}

function resolveService(
  service: WrittenService,
  directory: string,
  isHidden: (...option: readonly string[]) => boolean,
): ServiceConfig {
  if (service.mode === 'remote') {
    const { baseUrl, user, password, formerly: _, usdPerThousand, ...rest } = service;
    const secrets = { user: new Secret(user), password: new Secret(password) };
    return { ...rest, ...secrets, baseUrl: trimSlashes(baseUrl), microUsdPerCredit: microUsdOf(usdPerThousand) };
  }
  const { mode, source, account, metrics, answers, retryUnreadable, formerly: _, usdPerThousand, ...written } = service;
  const partOf = (name: 'metrics' | 'answers', part: typeof metrics): SourceConfig | undefined => {
    if (part === undefined) return undefined;
    const { source: partSource, ...options } = part;
    const isHiddenThere = (option: string): boolean => isHidden(name, option);
    return { source: partSource, options: resolveOptions(options, ['dir', 'file'], directory, isHiddenThere) };
  };
  return {
    mode,
    source,
    options: resolveOptions(written, ['dir'], directory, isHidden),
    account,
    retryUnreadable,
    microUsdPerCredit: microUsdOf(usdPerThousand),
    metrics: partOf('metrics', metrics),
    answers: partOf('answers', answers),
  };
}

const microUsdOf = (usdPerThousand: number | undefined): number | undefined =>
  usdPerThousand === undefined ? undefined : usdPerThousand * 1000;

/** Options for a source: `paths` made absolute, those from the environment hidden. */
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

function resolveBudget(budget: PartialConfig['written']['budget']): Budget {
  const dollars = Object.entries(budget?.keywordDataUsd ?? {});
  return {
    serpCredits: budget?.serpCredits ?? {},
    microUsd: Object.fromEntries(dollars.map(([window, amount = 0]) => [window, toMicroUsd(amount)])),
  };
}

function resolveQueue({ driver, redisUrl, signingKey, concurrency }: PartialConfig['written']['queue']): QueueConfig {
  if (driver !== 'bullmq') return { driver, concurrency };
  return { driver, redisUrl: new Secret(redisUrl ?? ''), signingKey: secretOf(signingKey) ?? null, concurrency };
}

function resolveProject(
  draft: PartialConfig,
  { written }: PartialProject,
  keywords: readonly TrackedKeyword[],
): Project {
  const { timezone } = draft.written;
  const engine = engineOf(draft, written);
  const { id, service, brandTerms, schedule, catchUp, overlap, retryFailed, jitterSeconds, volumes } = written;
  const { cadence, paging, deep, freshFor, market, prompts } = written;
  const isAdaptive = { cadence: cadence === 'adaptive', paging: paging === 'adaptive' };
  return {
    id,
    service,
    engine: engine === usualEngine ? undefined : engine,
    targets: written.targets.map(toTarget),
    competitors: written.competitors.map(toTarget),
    brandTerms,
    schedule,
    timezone: written.timezone ?? timezone,
    catchUp,
    overlap,
    retryFailed,
    jitterSeconds,
    paging: paging === 'adaptive' ? 'until-found' : paging,
    adaptive:
      isAdaptive.cadence || isAdaptive.paging
        ? { ...isAdaptive, atLeastEveryMs: durationMs(written.atLeastEvery) }
        : undefined,
    confirm: written.confirm ? { share: Number.parseInt(written.confirmShare, 10) / 100 } : undefined,
    deep: deep === undefined ? undefined : { depth: deep.depth, everyMs: durationMs(deep.every) },
    freshForMs: freshFor === undefined ? 0 : durationMs(freshFor),
    keywords,
    grid: market.grid === undefined ? undefined : resolveGrid(market.grid),
    volumes,
    prompts: prompts === undefined ? undefined : resolvePrompts(prompts, market),
  };
}

/** Each prompt once per market. */
function resolvePrompts(
  written: WrittenPrompts,
  market: { readonly country: string; readonly language: string },
): TrackedPrompts {
  const { engines, samples, every, texts } = written;
  const list = texts.map((entry) => {
    const own = typeof entry === 'string' ? { prompt: entry } : entry;
    return {
      prompt: normalKeyword(own.prompt),
      country: countryCode(own.country ?? market.country),
      language: languageCode(own.language ?? market.language),
    };
  });
  const once = new Map(list.map((each) => [Object.values(each).join('\0'), each]));
  return { engines: [...new Set(engines)], samples, every, list: [...once.values()] };
}

/** Access to the clicks of a project. */
export interface SearchConsoleConfig {
  readonly property: string;
  /** `keyFile` is absolute. */
  readonly credentials:
    | { readonly keyFile: string }
    | { readonly clientId: Secret; readonly clientSecret: Secret; readonly refreshToken: Secret };
  readonly baseUrl?: string;
}

function resolveSearchConsole(
  { property, credentials, baseUrl }: WrittenSearchConsole,
  directory: string,
): SearchConsoleConfig {
  return {
    property,
    credentials:
      'keyFile' in credentials
        ? { keyFile: resolvePath(directory, credentials.keyFile) }
        : {
            clientId: new Secret(credentials.clientId),
            clientSecret: new Secret(credentials.clientSecret),
            refreshToken: new Secret(credentials.refreshToken),
          },
    baseUrl: baseUrl === undefined ? undefined : trimSlashes(baseUrl),
  };
}

export type ChannelConfig =
  | {
      readonly type: 'webhook';
      readonly url: Secret;
      readonly format: 'json' | 'slack';
      readonly authorization?: Secret;
      readonly secret?: Secret;
    }
  | {
      readonly type: 'email';
      readonly smtp: Secret;
      readonly from: string;
      readonly to: readonly string[];
      readonly attach: boolean;
    }
  /** `path` is absolute. */
  | { readonly type: 'file'; readonly path: string };

interface AlertsConfig {
  readonly channels: ReadonlyMap<string, ChannelConfig>;
  /** For projects without their own rules. */
  readonly rules: readonly AlertRule[];
  readonly ownRules: ReadonlyMap<string, readonly AlertRule[]>;
}

/** The alert rules of a project: its own ones, or the common ones that do not name other projects. */
export function alertRulesOf({ ownRules, rules }: AlertsConfig, project: string): readonly AlertRule[] {
  return (ownRules.get(project) ?? rules).filter(
    ({ projects }) => projects === undefined || projects.includes(project),
  );
}

/** The schema's types allow undefined in optional keys, but its output never has it. */
function resolveAlerts({ written, projects }: PartialConfig, directory: string): AlertsConfig {
  const channels = Object.entries(written.alerts?.channels ?? {});
  return {
    channels: new Map(channels.map(([name, channel]) => [name, resolveChannel(channel, directory)])),
    rules: (written.alerts?.rules ?? []) as readonly AlertRule[],
    ownRules: new Map(
      projects.flatMap(({ written: { id, alerts } }) =>
        alerts === undefined ? [] : [[id, alerts as readonly AlertRule[]]],
      ),
    ),
  };
}

function resolveChannel(channel: WrittenChannel, directory: string): ChannelConfig {
  switch (channel.type) {
    case 'webhook': {
      const { type, url, format, authorization, secret } = channel;
      return {
        type,
        url: new Secret(url),
        format,
        authorization: secretOf(authorization),
        secret: secretOf(secret),
      };
    }
    case 'email':
      return { ...channel, smtp: new Secret(channel.smtp) };
    case 'file':
      return { type: channel.type, path: resolvePath(directory, channel.path) };
  }
}

/** `inspect.custom` of node:util, without its getters, all of which an import would run. */
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const placeholder = '[secret]';

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The plain value. Pass it only to the code that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return placeholder;
  }

  toJSON(): string {
    return placeholder;
  }

  [inspectCustom](): string {
    return placeholder;
  }
}

function secretOf(value: string | undefined): Secret | undefined {
  return value === undefined ? undefined : new Secret(value);
}

/**
 * Hides the named options from JSON and inspection. Reading an option still returns its plain value, so that a source
 * can be created from it.
 */
function hideOptions(options: Record<string, unknown>, hidden: ReadonlySet<string>): Record<string, unknown> {
  if (hidden.size === 0) return options;
  const shown = (): Record<string, unknown> =>
    Object.fromEntries(Object.entries(options).map(([key, value]) => [key, hidden.has(key) ? placeholder : value]));
  Object.defineProperty(options, 'toJSON', { value: shown, enumerable: false });
  Object.defineProperty(options, inspectCustom, { value: shown, enumerable: false });
  return options;
}
