// Rules for services, AI answers, the queue, reports and the budget.

import {
  answerKindOf,
  answerSourceNames,
  metricsCostMoney,
  metricsKindOf,
  metricsSourceNames,
  type SearchEngine,
  sourceKindOf,
  sourceNames,
} from '../../src/service/terms.ts';
import { ctrCurveNames, measuredCurve } from '../../src/tracker/changes/visibility.ts';
import { reportTables } from '../../src/tracker/report-tables.ts';
import { eachService, enginesOf, type RuleInput, soundProjects, writtenServices } from '../document/draft.ts';
import { type ConfigIssue, literalSecret, meantHint, nearestWord, type Path } from '../document/problems.ts';
import type { WrittenService } from '../schema/schema.ts';

export function* secretsFromEnvironment({ draft, substitutionOf }: RuleInput): Generator<ConfigIssue> {
  for (const [name, service] of eachService(draft)) {
    const secrets = service.mode === 'remote' ? [['password']] : findSecrets(service, []);
    for (const secret of secrets) {
      const path = ['services', name, ...secret];
      const filling = substitutionOf(path);
      const key = secret.findLast((step) => typeof step === 'string');
      if (filling !== 'whole' && filling !== 'missing') yield literalSecret(path, String(key));
    }
    if (service.mode === 'remote' && holdsPassword(service.baseUrl)) {
      const path = ['services', name, 'baseUrl'];
      yield { path, message: 'contains a user or password', hint: 'use the keys user and password' };
    }
  }
  const { redisUrl, signingKey } = draft.written.queue;
  const isLiteral = (key: string): boolean => substitutionOf(['queue', key]) === undefined;
  if (signingKey !== undefined && isLiteral('signingKey'))
    yield literalSecret(['queue', 'signingKey'], 'signingKey', 'QUEUE_SIGNING_KEY');
  if (redisUrl !== undefined && holdsPassword(redisUrl) && isLiteral('redisUrl'))
    yield literalSecret(['queue', 'redisUrl'], 'redisUrl', 'REDIS_URL');
}

/**
 * The paths of secrets among the options of a source. A key may be a list of keys, and a source may have other sources
 * behind it. `around`: the ancestors of the value, because an alias may make a list contain itself.
 */
function* findSecrets(
  value: unknown,
  path: readonly (string | number)[],
  around: readonly unknown[] = [],
): Generator<readonly (string | number)[]> {
  if (typeof value !== 'object' || value === null) {
    if (isSecretOption(String(path.findLast((step) => typeof step === 'string') ?? ''))) yield path;
  } else if (!around.includes(value)) {
    const steps: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [step, item] of steps) yield* findSecrets(item, [...path, step], [...around, value]);
  }
}

export function isSecretOption(key: string): boolean {
  return /password|secret|token|api_?-?key/i.test(key);
}

function holdsPassword(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.password !== '' || (parsed.username !== '' && parsed.protocol.startsWith('http')));
}

export function* serviceAddress({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const [name, service] of eachService(draft)) {
    if (service.mode !== 'remote') continue;
    const path = ['services', name, 'baseUrl'];
    const url = URL.parse(service.baseUrl);
    if (url === null || !/^https?:$/.test(url.protocol))
      yield { path, message: 'is not an http or https URL', hint: 'such as https://api.example.com' };
    else if (url.search !== '' || url.hash !== '')
      yield { path, message: 'must end with the path: remove the part after ? or #' };
    else if (/\/v1\/?$/.test(url.pathname))
      yield { path, message: 'ends with /v1, which rankledger appends', hint: 'remove /v1' };
  }
}

/** A service of `mode: best` buys from others, which all sell real pages, or all simulated ones. */
export function* bestServicesExist({ draft }: RuleInput): Generator<ConfigIssue> {
  const services = writtenServices(draft);
  for (const [name, { of }] of draft.best) {
    const known = [...services.keys()].filter((each) => !draft.best.has(each));
    const isReal = (each: string): boolean | null => {
      const service = services.get(each);
      return service == null ? null : pagesCost(service);
    };
    for (const [at, each] of of.entries()) {
      const path = ['services', name, 'of', at];
      if (draft.best.has(each)) yield { path, message: `"${each}" is of mode best itself`, hint: 'name its services' };
      else if (!services.has(each))
        yield { path, message: `there is no service "${each}"`, hint: meantHint(each, known) };
      else if (of.indexOf(each) < at) yield { path, message: `"${each}" is written twice` };
      else if (isReal(each) !== null && isReal(of[0] ?? '') !== null && isReal(each) !== isReal(of[0] ?? ''))
        yield { path, message: `"${each}" and "${of[0]}" mix real and simulated pages` };
      else {
        const engines = [...new Set(of.slice(0, at + 1).flatMap((part) => enginesOf(draft, part)))];
        if (enginesOf(draft, each).length > 0) yield* mixedEngines(path, engines);
      }
    }
  }
}

/** Two engines never agree, and ranks of one say nothing about the other. */
export function* chainsHaveOneEngine({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const [name] of eachService(draft)) yield* mixedEngines(['services', name, 'sources'], enginesOf(draft, name));
}

function* mixedEngines(path: Path, [first, ...others]: readonly SearchEngine[]): Generator<ConfigIssue> {
  if (others.length === 0) return;
  const message = `mixes pages of ${first} and ${others.join(' and ')}`;
  yield { path, message, hint: 'write a service for each search engine' };
}

export function* sourceExists({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const [name, service] of eachService(draft)) {
    if (service.mode !== 'embedded') continue;
    const { source, metrics } = service;
    const path = ['services', name, 'source'];
    if (!sourceNames.includes(source) && metricsSourceNames.includes(source)) {
      const hint = 'name a source of pages here, and this one as metrics: { source: ... }';
      yield { path, message: `"${source}" has keyword metrics only, and no results pages`, hint };
    } else if (!sourceNames.includes(source)) {
      yield { path, ...unknownSource(source) };
    }
    if (metrics !== undefined) yield* metricsAreKnown(name, source, metrics.source);
  }
}

/**
 * The metrics source must sell metrics. Invented metrics are rejected beside real pages, because reports could not
 * distinguish them.
 */
function* metricsAreKnown(service: string, source: string, metrics: string): Generator<ConfigIssue> {
  const path = ['services', service, 'metrics', 'source'];
  if (!metricsSourceNames.includes(metrics)) {
    const message = sourceNames.includes(metrics)
      ? `"${metrics}" has results pages only, and no keyword metrics`
      : `there is no source "${metrics}" of keyword metrics`;
    yield { path, message, hint: meantHint(metrics, metricsSourceNames) };
  } else if (sourceKindOf(source) === 'live' && metricsKindOf(metrics) !== 'live') {
    const message = `"${metrics}" has simulated metrics, and the pages of "${source}" are real: reports would mix them`;
    yield { path, message, hint: 'remove metrics, or name a live source of metrics' };
  }
}

/** The issue of an unknown page source. */
export function unknownSource(source: string): Pick<ConfigIssue, 'message' | 'hint'> {
  return { message: `there is no source "${source}"`, hint: meantHint(source, sourceNames) };
}

export function* queueFitsDriver({ draft }: RuleInput): Generator<ConfigIssue> {
  if (draft.invalidKeys.has('queue')) return;
  const { driver, redisUrl, signingKey } = draft.written.queue;
  const unused = { message: 'has no effect with the embedded driver', hint: 'write driver: bullmq, or remove it' };
  const path = ['queue', 'redisUrl'];
  if (driver === 'bullmq' && redisUrl === undefined)
    yield { path, message: 'is missing: bullmq needs Redis', hint: `write redisUrl: \${REDIS_URL}` };
  if (driver === 'embedded' && redisUrl !== undefined) yield { path, ...unused };
  if (driver === 'embedded' && signingKey !== undefined) yield { path: ['queue', 'signingKey'], ...unused };
  if (redisUrl !== undefined && driver === 'bullmq' && !/^rediss?:$/.test(URL.parse(redisUrl)?.protocol ?? '')) {
    yield { path, message: 'is not a redis:// or rediss:// URL' };
  }
}

export function* ctrCurveExists({ draft }: RuleInput): Generator<ConfigIssue> {
  const { ctrCurve } = draft.written.reports;
  const known = [...ctrCurveNames, measuredCurve];
  if (draft.invalidKeys.has('reports') || known.includes(ctrCurve)) return;
  const message = `there is no click-through curve "${ctrCurve}"`;
  yield { path: ['reports', 'ctrCurve'], message, hint: meantHint(ctrCurve, known) };
}

export function* reportTablesExist({ draft }: RuleInput): Generator<ConfigIssue> {
  const { tables } = draft.written.reports;
  if (draft.invalidKeys.has('reports') || tables === 'all') return;
  for (const [at, name] of tables.entries()) {
    if (reportTables.some((known) => known === name)) continue;
    const meant = nearestWord(name, reportTables);
    yield {
      path: ['reports', 'tables', at],
      message: `there is no table "${name}"`,
      hint: meant === undefined ? `known: all, or a list of ${reportTables.join(', ')}` : `did you mean ${meant}?`,
    };
  }
}

export function* passwordsTravelEncrypted({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const [name, service] of eachService(draft)) {
    const url = service.mode === 'remote' ? URL.parse(service.baseUrl) : null;
    if (url?.protocol !== 'http:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) continue;
    yield {
      path: ['services', name, 'baseUrl'],
      message: 'is not encrypted: others on the network can read user and password',
      hint: 'use https',
    };
  }
}

export function* capsAreOrdered({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const unit of ['serpCredits', 'keywordDataUsd'] as const) {
    const caps = draft.written.budget?.[unit];
    const windows = ['perRun', 'perDay', 'perMonth'] as const;
    for (const [at, shorter] of windows.entries()) {
      const longer = windows.slice(at + 1).find((window) => (caps?.[window] ?? Infinity) < (caps?.[shorter] ?? 0));
      if (longer === undefined) continue;
      yield {
        path: ['budget', unit, shorter],
        message: `is more than ${longer} allows (${caps?.[longer]}), and is never reached`,
      };
    }
  }
}

/** The worst case of a check is reserved before it begins. A cap of 0 is meant to buy nothing. */
export function* capsHoldAnyCheck({ draft }: RuleInput): Generator<ConfigIssue> {
  if (draft.invalidKeys.has('budget')) return;
  const caps = draft.written.budget?.serpCredits ?? {};
  const pagesOf = (written: { depth: number; deep?: { depth: number } | undefined }): number =>
    Math.max(written.depth, written.deep?.depth ?? 0);
  const deepest = soundProjects(draft, 'depth').toSorted((a, b) => pagesOf(b.written) - pagesOf(a.written))[0];
  if (deepest === undefined) return;
  const pages = pagesOf(deepest.written);
  for (const window of ['perRun', 'perDay', 'perMonth'] as const) {
    const cap = caps[window] ?? 0;
    if (cap === 0 || cap >= pages) continue;
    yield {
      path: ['budget', 'serpCredits', window],
      message: `is less than the ${pages} pages of a check of project "${deepest.written.id}": such a check is never made`,
      hint: `at least ${pages}, or a smaller depth`,
    };
  }
}

/** What may cost money, by the key of a project that asks for it. */
const spendings = [
  {
    key: 'service',
    unit: 'serpCredits',
    what: 'the service',
    hint: 'such as serpCredits: { perDay: 1000 }',
    costs: pagesCost,
  },
  {
    key: 'volumes',
    unit: 'keywordDataUsd',
    what: 'the service',
    hint: 'such as keywordDataUsd: { perMonth: 10.00 }',
    costs: metricsCost,
  },
  {
    key: 'prompts',
    unit: 'keywordDataUsd',
    what: 'AI answers of the service',
    hint: 'such as keywordDataUsd: { perMonth: 10.00 }',
    costs: answersCost,
  },
] as const;

export function* spendingIsCapped({ draft }: RuleInput): Generator<ConfigIssue> {
  if (draft.invalidKeys.has('budget')) return;
  const services = writtenServices(draft);
  const { budget } = draft.written;
  for (const { key, unit, what, hint, costs } of spendings) {
    if (Object.values(budget?.[unit] ?? {}).some((cap) => cap !== undefined)) continue;
    const first = soundProjects(draft, 'service').find(({ written }) => {
      const service = services.get(written.service);
      return written[key] !== undefined && service != null && costs(service);
    });
    if (first === undefined) continue;
    const message = `${what} "${first.written.service}" may cost money, and budget.${unit} has no limit`;
    yield { path: budget === undefined ? ['projects', first.index, key] : ['budget'], message, hint };
  }
}

function pagesCost(service: WrittenService): boolean {
  return service.mode === 'remote' || sourceKindOf(service.source) === 'live';
}

function metricsCost(service: WrittenService): boolean {
  if (service.mode !== 'embedded' || service.metrics === undefined) return pagesCost(service);
  return metricsCostMoney(service.metrics.source);
}

function answersCost(service: WrittenService): boolean {
  const source = answerSourceOf(service);
  return source !== null && answerKindOf(source) === 'live';
}

/** A project that wants metrics must use a service that sells them: otherwise every run would fail to get any. */
export function* volumesAreSold({ draft }: RuleInput): Generator<ConfigIssue> {
  const services = writtenServices(draft);
  for (const { index, written } of soundProjects(draft, 'service', 'volumes')) {
    const service = services.get(written.service);
    if (written.volumes === undefined || service?.mode !== 'embedded' || service.metrics !== undefined) continue;
    if (!sourceNames.includes(service.source) || metricsSourceNames.includes(service.source)) continue;
    yield {
      path: ['projects', index, 'volumes'],
      message: `the source "${service.source}" of the service "${written.service}" has no keyword metrics`,
      hint: 'name a source of metrics in the service: metrics: { source: ... }',
    };
  }
}

/**
 * Whether only services, the queue, channels or a monitor need the value. Service names label stored data, and local
 * paths are not secret.
 */
export function requiresSecrets(path: Path): boolean {
  const [section, key] = path;
  if (section === 'services') return !['mode', 'source', 'dir', 'file'].includes(String(path.at(-1)));
  if (section === 'projects') return path[2] === 'searchConsole' && path[3] === 'credentials';
  if (section === 'alerts') return key === 'channels';
  return (
    (section === 'queue' && (key === 'redisUrl' || key === 'signingKey')) || (section === 'heartbeat' && key === 'url')
  );
}

/** The source must have answers. Invented answers are rejected beside real pages, like invented metrics. */
export function* answersAreKnown({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const [name, service] of eachService(draft)) {
    if (service.mode !== 'embedded' || service.answers === undefined) continue;
    const { source } = service.answers;
    const path = ['services', name, 'answers', 'source'];
    const kind = answerKindOf(source);
    if (kind === undefined) {
      const hint = meantHint(source, answerSourceNames);
      yield { path, message: `there is no source "${source}" of AI answers`, hint };
    } else if (kind !== 'live' && sourceKindOf(service.source) === 'live') {
      const message = `"${source}" has simulated answers, and the pages of "${service.source}" are real: reports would mix them`;
      yield { path, message, hint: 'name a live source of answers' };
    }
  }
}

/** A project with prompts must use a service that has answers. */
export function* promptsCanBeAsked({ draft }: RuleInput): Generator<ConfigIssue> {
  const services = writtenServices(draft);
  for (const { index, written } of soundProjects(draft, 'service', 'prompts')) {
    const service = services.get(written.service);
    if (written.prompts === undefined || service === undefined || service === null) continue;
    if (service.mode === 'embedded' && service.account !== undefined) {
      const message = `the service "${written.service}" charges the account "${service.account}", and AI answers are not charged to accounts`;
      const hint =
        'ask the prompts in a project with an embedded service without account: they are paid from the budget';
      yield { path: ['projects', index, 'prompts'], message, hint };
      continue;
    }
    if (answerSourceOf(service) !== null) continue;
    const message = `the service "${written.service}" has no AI answers`;
    const hint =
      service.mode === 'remote'
        ? 'providers of the specification have none: use an embedded service with answers: { source: ... }'
        : 'name a source of answers in the service: answers: { source: ... }';
    yield { path: ['projects', index, 'prompts'], message, hint };
  }
}

type AnsweringService =
  | { readonly mode: 'remote' }
  | { readonly mode: 'embedded'; readonly source: string; readonly answers?: { readonly source: string } | undefined };

/** The source of a service's answers; null: it has none. Of the sources of pages only the sandbox brings them. */
export function answerSourceOf(service: AnsweringService): string | null {
  if (service.mode === 'remote') return null;
  return service.answers?.source ?? (sourceKindOf(service.source) === 'sandbox' ? service.source : null);
}
