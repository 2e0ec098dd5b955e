// The services of a run, each with its own circuit breaker and its own halt: one that stops leaves the others at work.
import type { Currency } from '../../db/ledger/budget-windows.ts';
import type { PriceDispute } from '../../db/ledger/reconciliations.ts';
import { limits } from '../../src/service/terms.ts';
import { formatAmount } from '../../src/tracker/figures.ts';
import type { JobContext, Log } from '../context.ts';
import type { PageOutcome } from '../queue/queue.ts';
import type { RequestFailure } from '../retry.ts';
import { type Admission, Breaker } from './breaker.ts';

/** How often a run that waits for a service writes its heartbeat. */
export const heartbeatEveryMs = 5000;

/** How often a waiting request asks the breaker for room again. */
const roomPollMs = 250;

/** Why nothing more is bought from a service in a run; its planned checks are deferred. */
export interface ServiceStop {
  readonly service: string;
  /** `halted`: it refused us, and another request would be refused as well. `broken`: it failed too often in a row. */
  readonly kind: 'halted' | 'broken';
  /** Of the refusal; null where it gave none. */
  readonly code: string | null;
  readonly reason: string;
  readonly remedy: string;
}

/** A pause of one service, after which the run goes on with it. */
export interface ServiceWait {
  readonly service: string;
  /** UTC milliseconds. */
  readonly until: number;
  /**
   * `asked`: the provider asked for it. `cut`: the provider asked for the longest wait, or for a longer one.
   * `failing`: the service failed too often in a row.
   */
  readonly why: 'asked' | 'cut' | 'failing';
}

/** Shorter waits are not reported. */
const reportedWaitMsMin = 5000;

export function haltStop(service: string, failure: RequestFailure): ServiceStop {
  const { code, message, hint } = failure;
  const reason = `${code}: ${message.replace(/\.$/, '')} (service ${service})`;
  return { service, kind: 'halted', code, reason, remedy: hint };
}

/** For a service whose stated price exceeds the budget. */
export function stopForPrice({ service, currency, agreed, stated, exceeded }: PriceDispute): ServiceStop {
  const of = (amount: number) => formatAmount(currency, amount);
  const reason = `PRICE_DISPUTED: service ${service} states ${of(stated)} instead of the agreed ${of(agreed)}, which exceeds the budget by ${of(exceeded)}`;
  const remedy = `Compare the price with the bill (\`rankledger audit\` lists the purchases). If the bill has the agreed one, settle it: \`rankledger audit --reconcile agreed --service ${service}\`. Otherwise raise the budget or use another service.`;
  return { service, kind: 'halted', code: 'PRICE_DISPUTED', reason, remedy };
}

export function breakerStop(service: string, reason: string): ServiceStop {
  const remedy = 'It is first in line next time. Check whether the provider has problems.';
  return { service, kind: 'broken', code: null, reason, remedy };
}

export function filterHalts(stops: readonly ServiceStop[]): ServiceStop[] {
  return stops.filter(({ kind }) => kind === 'halted');
}

/** In words, the services that were given up for failing too often. */
export function brokenServices(stops: readonly ServiceStop[]): string[] {
  return stops.filter(({ kind }) => kind === 'broken').map(({ reason }) => reason);
}

/** One service of a run. */
export class ServiceState {
  readonly name: string;
  /** Null for a service that simulates: it costs nothing and never recovers from a failure. */
  readonly breaker: Breaker | null;
  /** Its checks under way. */
  checks = 0;
  /** Aborted where its checks begin nothing new: the run is stopped, or the service has refused us. */
  readonly signal: AbortSignal;
  readonly #stopped = new AbortController();
  #halted: ServiceStop | null = null;
  #loggedPause = 0;
  /** The longest wait that the provider asked for and that was reported. */
  #asked: ServiceWait | null = null;
  /** A sentence for each source behind the service that refuses us. */
  readonly #passedOver = new Map<string, string>();

  constructor(name: string, breaker: Breaker | null, runStop: AbortSignal) {
    this.name = name;
    this.breaker = breaker;
    this.signal = AbortSignal.any([runStop, this.#stopped.signal]);
  }

  get stop(): ServiceStop | null {
    if (this.#halted !== null) return this.#halted;
    const givenUp = this.breaker?.givenUp ?? null;
    return givenUp === null ? null : breakerStop(this.name, givenUp);
  }

  /** Called before a halt is recorded: requests that wait for their turn must not leave. */
  stopBuying(): void {
    this.#stopped.abort();
  }

  halt(failure: RequestFailure): void {
    this.refuse(haltStop(this.name, failure));
  }

  /** Nothing more is bought there in this run. */
  refuse(stop: ServiceStop): void {
    this.stopBuying();
    this.#halted ??= stop;
  }

  /**
   * Logs what the outcome of a page says about the service: sources that refuse us, waits, and pauses of the breaker.
   */
  onPage({ log, clock }: Pick<JobContext, 'log' | 'clock'>, runId: number, outcome: PageOutcome): void {
    this.#logRefusals(log, runId, (outcome.ok ? outcome.answer : outcome.failure).passedOver ?? []);
    if (!outcome.ok) this.#noteWait(log, runId, outcome.failure, clock.now());
    if (this.breaker === null || this.breaker.pausedUntil === this.#loggedPause) return;
    logPause(log, runId, this.name, this.breaker, clock.now());
    this.#loggedPause = this.breaker.pausedUntil;
  }

  #noteWait(log: Log, runId: number, failure: RequestFailure, now: number): void {
    const wait = askedWait(this.name, failure, now);
    if (wait === null) return;
    const until = this.#asked?.until ?? 0;
    if (until <= now) logAskedWait(log, runId, wait);
    if (until < wait.until) this.#asked = wait;
  }

  /** The pause at this moment; null where there is none, or nothing more is bought there. */
  wait(now: number): ServiceWait | null {
    if (this.stop !== null) return null;
    const failingMs = this.breaker?.pauseMs(now) ?? 0;
    const askedMs = (this.#asked?.until ?? 0) - now;
    if (Math.max(failingMs, askedMs) <= 0) return null;
    return failingMs >= askedMs ? { service: this.name, until: now + failingMs, why: 'failing' } : this.#asked;
  }

  /** Logs each source behind the service once that refuses us, so that no page was bought from it. */
  #logRefusals(log: Log, runId: number, refused: NonNullable<RequestFailure['passedOver']>): void {
    for (const { source, code, message, hint } of refused) {
      const key = `${source} ${code}`;
      if (this.#passedOver.has(key)) continue;
      const facts = { runId, service: this.name, source, errorCode: code, reason: message, hint };
      log.warn(facts, 'source skipped: needs attention');
      this.#passedOver.set(key, `${this.name}: ${source} is skipped (${code}: ${message}) ${hint}`);
    }
  }

  /** The sources that the run did without. */
  get remarks(): readonly string[] {
    return [...this.#passedOver.values()];
  }

  /** How many more of its checks may begin. */
  room(now: number): number {
    if (this.signal.aborted) return 0;
    return this.breaker === null ? Number.POSITIVE_INFINITY : this.breaker.room(now) - this.checks;
  }
}

export class ServiceStates {
  readonly #context: JobContext;
  readonly #runStop: AbortSignal;
  readonly #states = new Map<string, ServiceState>();
  #reportedWaits = '';

  constructor(context: JobContext, runStop: AbortSignal) {
    this.#context = context;
    this.#runStop = runStop;
  }

  /** A service that the config has. */
  of(name: string): ServiceState {
    let state = this.#states.get(name);
    if (state === undefined) {
      const breaker = createBreaker(this.#context, name);
      if (breaker !== null) this.#context.breakers?.set(name, breaker);
      state = new ServiceState(name, breaker, this.#runStop);
      this.#states.set(name, state);
    }
    return state;
  }

  /** Whether a service is neither stopped nor paused. */
  isWorking(name: string, now: number): boolean {
    const state = this.of(name);
    return state.stop === null && state.wait(now) === null;
  }

  stopBuying(): void {
    for (const state of this.#states.values()) state.stopBuying();
  }

  /** Names of services at which no check may begin now. `claimed`: how many of each are about to begin. */
  full(now: number, claimed: ReadonlyMap<string, number>): string[] {
    const states = [...this.#states.values()];
    return states.filter((state) => state.room(now) <= (claimed.get(state.name) ?? 0)).map(({ name }) => name);
  }

  /** The services that the run waits for; null where they are the same as last time. */
  newWaits(now: number): readonly ServiceWait[] | null {
    const waits = [...this.#states.values()].flatMap((state) => state.wait(now) ?? []);
    const inShort = waits.map(({ service, until, why }) => `${service} ${why} ${Math.round(until / 1000)}`).join();
    if (inShort === this.#reportedWaits) return null;
    this.#reportedWaits = inShort;
    return waits;
  }

  stops(): ServiceStop[] {
    return [...this.#states.values()].flatMap((state) => state.stop ?? []);
  }

  remarks(): string[] {
    return [...this.#states.values()].flatMap((state) => state.remarks);
  }

  /** Milliseconds until a service without a past gets more requests at once; null where waiting changes nothing. */
  patienceMs(now: number): number | null {
    const waits = [...this.#states.values()].flatMap((state) =>
      state.signal.aborted || state.room(now) > 0 ? [] : (state.breaker?.patienceMs(now) ?? []),
    );
    // a service with patience 0 and no room is stopped for good: waiting for it would be a busy loop
    const first = Math.min(...waits.filter((ms) => ms > 0));
    return Number.isFinite(first) ? first : null;
  }

  /** Milliseconds until the first pause of a service ends; null where none pauses. */
  pauseMs(now: number): number | null {
    const pauses = [...this.#states.values()].flatMap((state) =>
      state.stop === null ? (state.breaker?.pauseMs(now) ?? []) : [],
    );
    const first = Math.min(...pauses.filter((ms) => ms > 0));
    return Number.isFinite(first) ? first : null;
  }
}

/**
 * The breaker of a service for purchases in one currency; null for a service that simulates. Keyword metrics with a
 * separate source, and AI answers, have a separate past: pages that fail say nothing about them.
 */
export function createBreaker(
  { store, services }: JobContext,
  name: string,
  currency: Currency = 'serp_credit',
): Breaker | null {
  const service = services.get(name);
  const apart = service?.metrics;
  const kind = currency === 'micro_usd' && apart !== undefined ? apart.kind : service?.kind;
  if (kind !== 'live') return null;
  const isShared = apart === undefined && service?.answers === undefined;
  return new Breaker(name, store.purchaseAttempts.failuresInARow(name, isShared ? null : currency));
}

/** The wait that a provider asked for with this failure; null where it is too short to be reported. */
export function askedWait(service: string, { retryAfterMs }: RequestFailure, now: number): ServiceWait | null {
  if (retryAfterMs === null || retryAfterMs < reportedWaitMsMin) return null;
  return { service, until: now + retryAfterMs, why: retryAfterMs < limits.retryAfterMsMax ? 'asked' : 'cut' };
}

export function logAskedWait(log: Log, runId: number, { service, until }: ServiceWait): void {
  const facts = { runId, service, until: new Date(until).toISOString() };
  log.info(facts, 'service requires a wait: purchases from it are paused');
}

function logPause(log: Log, runId: number, service: string, breaker: Breaker, now: number): void {
  const restMs = breaker.pauseMs(now);
  if (restMs === null) log.warn({ runId, service, reason: breaker.givenUp }, 'service given up for this run');
  else if (restMs > 0) {
    const facts = { runId, service, pauseMs: breaker.decidedPauseMs, until: new Date(now + restMs).toISOString() };
    log.warn(facts, 'service is failing: purchases from it are paused');
  } else log.info({ runId, service }, 'service answers again');
}

/**
 * Waits until the breaker admits one request; null where its service was given up. For callers that have nothing else
 * to do meanwhile.
 */
export async function admissionTo(
  { store, clock, log }: JobContext,
  runId: number,
  breaker: Breaker | null,
  stop: AbortSignal,
  onWait: (wait: ServiceWait) => void,
): Promise<Admission | 'interrupted' | null> {
  if (breaker === null) return { end() {} };
  for (let isLogged = false; ; isLogged = true) {
    const admission = breaker.admit(clock.now());
    if (admission !== null) return admission;
    if (!isLogged) logPause(log, runId, breaker.service, breaker, clock.now());
    const pauseMs = breaker.pauseMs(clock.now());
    if (pauseMs === null) return null;
    if (pauseMs > 0) onWait({ service: breaker.service, until: clock.now() + pauseMs, why: 'failing' });
    await clock.sleep(Math.min(pauseMs === 0 ? roomPollMs : pauseMs, heartbeatEveryMs), stop).catch(() => undefined);
    if (stop.aborted) return 'interrupted';
    store.transaction(() => store.runs.heartbeat(runId, clock.now()));
  }
}
