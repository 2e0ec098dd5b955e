// Checks the services of a config without buying anything. A failing service does not hide the others.
import type { ServiceConfig } from '../../../config/resolve.ts';
import { answerSourceOf } from '../../../config/rules/service-rules.ts';
import { openStoreForReading } from '../../../db/store.ts';
import {
  type Clock,
  describeAnswerSource,
  describeMetricsSource,
  describeSource,
  type MetricsSource,
  ProcessMemory,
  SearchDataClient,
  type SerpSource,
  type SourceProbe,
} from '../../service/index.ts';
import { closeSource, makeSource } from '../opening/sources.ts';
import { answerPrice } from './answer-costs.ts';
import {
  type PreflightCheck,
  type PreflightLimits,
  type PreflightPrice,
  type PreflightResult,
  preflightCheck,
  runPreflightCheck,
  summariseState,
  toPreflightResult,
} from './preflight-check.ts';

type Embedded = Extract<ServiceConfig, { mode: 'embedded' }>;
type Options = Readonly<Record<string, unknown>>;

export interface ServicesToTry {
  readonly services: ReadonlyMap<string, ServiceConfig>;
  /** Services that projects ask for AI answers. */
  readonly answering: ReadonlySet<string>;
  /** Absolute. */
  readonly databaseFile: string;
  readonly clock: Clock;
}

/** Checks all services in parallel. */
export function serviceChecks(
  { services, answering, databaseFile, clock }: ServicesToTry,
  limits: PreflightLimits,
): Promise<PreflightCheck>[] {
  return [...services].flatMap(([name, service]) => {
    if (service.mode === 'remote') return [remoteCheck(name, service, clock, limits)];
    const { account, metrics } = service;
    return [
      pagesCheck(name, service, clock, limits),
      ...(metrics === undefined ? [] : [metricsCheck(name, service, metrics.source, clock, limits)]),
      ...(!answering.has(name) || answerSourceOf(service) === null ? [] : [answersCheck(name, service, clock, limits)]),
      ...(account === undefined ? [] : [accountCheck(name, account, databaseFile, limits)]),
    ];
  });
}

function remoteCheck(
  service: string,
  { baseUrl, user, password }: Extract<ServiceConfig, { mode: 'remote' }>,
  clock: Clock,
  limits: PreflightLimits,
): Promise<PreflightCheck> {
  const subject = { what: 'pages-and-keyword-data', service, source: 'remote' } as const;
  return runPreflightCheck(subject, limits, async (signal) => {
    const client = new SearchDataClient({
      baseUrl,
      user: user.reveal(),
      password: password.reveal(),
      clock,
      retries: { attemptsMax: 1 },
    });
    try {
      return { ...toPreflightResult(await client.probe(signal)), unit: null };
    } finally {
      await client.close();
    }
  });
}

function pagesCheck(service: string, config: Embedded, clock: Clock, limits: PreflightLimits): Promise<PreflightCheck> {
  const { source, options } = config;
  return runPreflightCheck({ what: 'pages', service, source }, limits, async (signal) => {
    const made = await makeSource(config, { clock, memory: new ProcessMemory(clock) });
    try {
      if (made.serp === undefined) return { says: 'It has no results pages.' };
      const answer = await probeSource(made.serp, signal, clock);
      const parts = await checkParts(service, options, answer.probe);
      if (parts.length > 0) return { ...answer.rest, ...combineParts(parts), parts };
      return { ...answer.rest, price: await pagePrice(source, options) };
    } finally {
      await closeSource(made);
    }
  });
}

function metricsCheck(
  service: string,
  config: Embedded,
  source: string,
  clock: Clock,
  limits: PreflightLimits,
): Promise<PreflightCheck> {
  return runPreflightCheck({ what: 'keyword-data', service, source }, limits, async (signal) => {
    const made = await makeSource(config, { clock, memory: new ProcessMemory(clock) });
    try {
      if (made.metrics === undefined) return { says: 'It has no keyword data.' };
      const { rest } = await probeSource(made.metrics, signal, clock);
      return { ...rest, price: await metricsPrice(source, config.metrics?.options ?? {}) };
    } finally {
      await closeSource(made);
    }
  });
}

/** Whether the source of AI answers can be made. No vendor has a free request for a test. */
function answersCheck(
  service: string,
  config: Embedded,
  clock: Clock,
  limits: PreflightLimits,
): Promise<PreflightCheck> {
  const source = answerSourceOf(config) ?? '';
  return runPreflightCheck({ what: 'answers', service, source }, limits, async () => {
    const made = await makeSource(config, { clock, memory: new ProcessMemory(clock) });
    try {
      const described = await describeAnswerSource(source);
      const price = described === undefined ? null : answerPrice(described.facts);
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
    const says = `${serpCredits} credits and ${microUsd / 1_000_000} USD are left.`;
    const left = { says, creditsLeft: serpCredits, unit: 'credit' } as const;
    if (serpCredits > 0) return left;
    const message = `The account "${account}" has no credits left.`;
    const remedy = `Top it up: rankledger account credit ${account} --serp-credits 1000`;
    return { ...left, state: 'refused', problems: [{ code: 'INSUFFICIENT_CREDITS', message, remedy }] };
  });
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
  clock: Clock,
): Promise<{ readonly rest: PreflightResult; readonly probe: SourceProbe | undefined }> {
  const probe = await half.probe?.({ signal, at: clock.now() });
  if (probe !== undefined) return { rest: toPreflightResult(probe), probe };
  if (half.kind !== 'live') return { rest: { says: 'It answers locally, for free.' }, probe };
  return { rest: { state: 'not-asked', says: notAsked }, probe };
}

/** Each source of a chain, with the options that the config gives it. */
async function checkParts(
  service: string,
  options: Options,
  probe: SourceProbe | undefined,
): Promise<PreflightCheck[]> {
  const written = Array.isArray(options['sources']) ? (options['sources'] as readonly Options[]) : [];
  return await Promise.all(
    (probe?.parts ?? []).map(async (part, at) => {
      const subject = { what: 'pages', service, source: part.source } as const;
      const price = await pagePrice(String(written[at]?.['source'] ?? part.source), written[at] ?? {});
      return preflightCheck(subject, { ...toPreflightResult(part), price });
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

/** The list price of pages; null: unknown, or free. */
export async function pagePrice(source: string, options: Options): Promise<PreflightPrice | null> {
  const described = await describeSource(source);
  const price = chosen(described?.facts.prices ?? [], options);
  if (price === undefined) return null;
  const { unit, firstPage, furtherPage, unitMicroUsd, asOf } = price;
  return { unit, first: firstPage, further: furtherPage, together: null, unitMicroUsd, asOf };
}

async function metricsPrice(source: string, options: Options): Promise<PreflightPrice | null> {
  const described = await describeMetricsSource(source);
  const price = chosen(described?.facts.prices ?? [], options);
  if (price === undefined) return null;
  const { unit, perRequest, perWanted, perRelated, unitMicroUsd, asOf } = price;
  return { unit, first: perRequest, further: perRelated, together: perWanted, unitMicroUsd, asOf };
}

/**
 * The price of the mode that the options choose: the mode whose option matches, the most specific one first; else the
 * first mode that no option rules out.
 */
function chosen<Price extends { readonly mode?: string }>(
  prices: readonly Price[],
  options: Options,
): Price | undefined {
  const words = (price: Price) =>
    (price.mode ?? '').split(',').flatMap((pair) => {
      const [key = '', value = ''] = pair.split(':').map((part) => part.trim());
      return key === '' ? [] : [{ key, value }];
    });
  const said = (price: Price) => words(price).filter(({ key, value }) => String(options[key]) === value).length;
  const open = prices.filter((price) =>
    words(price).every(({ key, value }) => options[key] === undefined || String(options[key]) === value),
  );
  const full = open.filter((price) => said(price) === words(price).length);
  return full.toSorted((one, other) => said(other) - said(one))[0] ?? open[0];
}
