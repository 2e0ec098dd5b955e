// The services of a run, each with its own breaker and its own halt: what stops one leaves the others at work. Which check is next is left to others.
import type { Currency } from '../db/ledger.ts';
import type { PriceDispute } from '../db/price-disputes.ts';
import { type Admission, Breaker } from './breaker.ts';
import type { JobContext, Log } from './context.ts';
import { amountOf } from './money.ts';
import type { PageOutcome } from './queue.ts';
import type { Failure } from './retry.ts';

/** A run that waits for a service says this often that it lives. */
export const heartbeatEveryMs = 5000;

/** Why nothing more is bought from a service in a run; what was planned there is put off. */
export interface ServiceStop {
  readonly service: string;
  /** `halted`: it refused us, and asking again helps nobody. `broken`: it failed too often in a row. */
  readonly kind: 'halted' | 'broken';
  /** Of the refusal; null where it gave none. */
  readonly code: string | null;
  readonly reason: string;
  readonly remedy: string;
}

/** A service that nothing is asked of for a while, though the run goes on with it. */
export interface ServiceWait {
  readonly service: string;
  /** UTC milliseconds. */
  readonly until: number;
  /** `asked`: the provider wants it. `failing`: it failed too often in a row, and is tried again then. */
  readonly why: 'asked' | 'failing';
}

/** Shorter waits are breaths between requests, and no news. */
const waitToldMsMin = 5000;

export function haltOf(service: string, failure: Failure): ServiceStop {
  const { code, message, hint } = failure;
  return { service, kind: 'halted', code, reason: `${code}: ${message}`, remedy: hint };
}

/** For a service whose stated price exceeds the budget. */
export function stopForPrice({ service, currency, agreed, stated, exceeded }: PriceDispute): ServiceStop {
  const of = (amount: number) => amountOf(currency, amount);
  const reason = `PRICE_DISPUTED: the provider states ${of(stated)} where ${of(agreed)} was agreed, ${of(exceeded)} beyond the budget`;
  const remedy =
    'Ask the provider for its price, then raise the budget or use another service; `rankledger audit` lists the purchases.';
  return { service, kind: 'halted', code: 'PRICE_DISPUTED', reason, remedy };
}

export function breakOf(service: string, reason: string): ServiceStop {
  const remedy = 'It goes first next time; see whether the provider has trouble.';
  return { service, kind: 'broken', code: null, reason, remedy };
}

export function haltsOf(stops: readonly ServiceStop[]): ServiceStop[] {
  return stops.filter(({ kind }) => kind === 'halted');
}

/** In words, the services that were given up for failing too often. */
export function brokenServices(stops: readonly ServiceStop[]): string[] {
  return stops.filter(({ kind }) => kind === 'broken').map(({ reason }) => reason);
}

/** One service of a run. */
export class ServiceLine {
  readonly name: string;
  /** Null for one that simulates: it costs nothing, and says the same however often it is asked. */
  readonly breaker: Breaker | null;
  /** Its checks under way. */
  checks = 0;
  /** Its checks begin nothing new: the run is stopped, or the service has refused us. */
  readonly signal: AbortSignal;
  readonly #left = new AbortController();
  #halted: ServiceStop | null = null;
  #toldUntil = 0;
  /** Until when the provider wants to be left alone, as far as that is news. */
  #askedUntil = 0;
  /** Sources behind the service that refuse us, each in words. */
  readonly #passedOver = new Map<string, string>();

  constructor(name: string, breaker: Breaker | null, runStop: AbortSignal) {
    this.name = name;
    this.breaker = breaker;
    this.signal = AbortSignal.any([runStop, this.#left.signal]);
  }

  get stop(): ServiceStop | null {
    if (this.#halted !== null) return this.#halted;
    const givenUp = this.breaker?.givenUp ?? null;
    return givenUp === null ? null : breakOf(this.name, givenUp);
  }

  /** Said as soon as a halt is known and before it is recorded: what waits for its turn must not leave. */
  leave(): void {
    this.#left.abort();
  }

  halt(failure: Failure): void {
    this.refuse(haltOf(this.name, failure));
  }

  /** Nothing more is bought there in this run. */
  refuse(stop: ServiceStop): void {
    this.leave();
    this.#halted ??= stop;
  }

  /** Tells the log once of each pause, and of the end of them. */
  tell({ log, clock }: JobContext, runId: number): void {
    if (this.breaker === null || this.breaker.pausedUntil === this.#toldUntil) return;
    tellPause(log, runId, this.name, this.breaker, clock.now());
    this.#toldUntil = this.breaker.pausedUntil;
  }

  /** Hears for how long the provider wants to be left alone. Tells the log when that begins. */
  heard({ log, clock }: Pick<JobContext, 'log' | 'clock'>, runId: number, failure: Failure): void {
    const now = clock.now();
    const wait = askedWait(this.name, failure, now);
    if (wait === null) return;
    if (this.#askedUntil <= now) tellAsked(log, runId, wait);
    this.#askedUntil = Math.max(this.#askedUntil, wait.until);
  }

  /** What it is waited for at this moment; null where it may be asked, or never will be again. */
  wait(now: number): ServiceWait | null {
    if (this.stop !== null) return null;
    const failingMs = this.breaker?.pauseMs(now) ?? 0;
    const askedMs = this.#askedUntil - now;
    if (Math.max(failingMs, askedMs) <= 0) return null;
    return failingMs >= askedMs
      ? { service: this.name, until: now + failingMs, why: 'failing' }
      : { service: this.name, until: this.#askedUntil, why: 'asked' };
  }

  /** Tells the log once of each source behind the service that a page was not bought from because it refuses us. */
  passOver({ log }: JobContext, runId: number, outcome: PageOutcome): void {
    const refused = (outcome.ok ? outcome.answer.passedOver : outcome.failure.passedOver) ?? [];
    for (const { source, code, message, hint } of refused) {
      const key = `${source} ${code}`;
      if (this.#passedOver.has(key)) continue;
      const facts = { runId, service: this.name, source, errorCode: code, reason: message, hint };
      log.warn(facts, 'a source is passed over until somebody sees to it');
      this.#passedOver.set(key, `${this.name}: ${source} is passed over (${code}: ${message}) ${hint}`);
    }
  }

  /** What the run has done without. */
  get remarks(): readonly string[] {
    return [...this.#passedOver.values()];
  }

  /** How many more of its checks may begin. */
  room(now: number): number {
    if (this.signal.aborted) return 0;
    return this.breaker === null ? Number.POSITIVE_INFINITY : this.breaker.room(now) - this.checks;
  }
}

export class ServiceLines {
  readonly #context: JobContext;
  readonly #runStop: AbortSignal;
  readonly #lines = new Map<string, ServiceLine>();
  #waitsTold = '';

  constructor(context: JobContext, runStop: AbortSignal) {
    this.#context = context;
    this.#runStop = runStop;
  }

  /** The line of a service that the config has. */
  of(name: string): ServiceLine {
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = new ServiceLine(name, breakerOf(this.#context, name), this.#runStop);
      this.#lines.set(name, line);
    }
    return line;
  }

  /** The same where something was asked of it already. */
  known(name: string): ServiceLine | undefined {
    return this.#lines.get(name);
  }

  /** Nothing new is begun at any of them. */
  leave(): void {
    for (const line of this.#lines.values()) line.leave();
  }

  /** Names of services from which no check may begin at this moment. */
  full(now: number): string[] {
    return [...this.#lines.values()].filter((line) => line.room(now) <= 0).map((line) => line.name);
  }

  /** The services that are waited for; null where they are those of the look before. */
  newWaits(now: number): readonly ServiceWait[] | null {
    const waits = [...this.#lines.values()].flatMap((line) => line.wait(now) ?? []);
    const inShort = waits.map(({ service, until, why }) => `${service} ${why} ${Math.round(until / 1000)}`).join();
    if (inShort === this.#waitsTold) return null;
    this.#waitsTold = inShort;
    return waits;
  }

  stops(): ServiceStop[] {
    return [...this.#lines.values()].flatMap((line) => line.stop ?? []);
  }

  remarks(): string[] {
    return [...this.#lines.values()].flatMap((line) => line.remarks);
  }

  /** Milliseconds until a service that has not failed is trusted with more; null where none will be by waiting alone. */
  patienceMs(now: number): number | null {
    const waits = [...this.#lines.values()].flatMap((line) =>
      line.signal.aborted || line.room(now) > 0 ? [] : (line.breaker?.patienceMs(now) ?? []),
    );
    // one that is trusted and has no room all the same is left for good: waiting for it would be a busy loop
    const first = Math.min(...waits.filter((ms) => ms > 0));
    return Number.isFinite(first) ? first : null;
  }

  /** Milliseconds until the first service that pauses may be asked again; null where none pauses. */
  pauseMs(now: number): number | null {
    const pauses = [...this.#lines.values()].flatMap((line) =>
      line.stop === null ? (line.breaker?.pauseMs(now) ?? []) : [],
    );
    const first = Math.min(...pauses.filter((ms) => ms > 0));
    return Number.isFinite(first) ? first : null;
  }
}

/**
 * The breaker of a service for what is paid in that currency; null for one that simulates. Keyword metrics of a source of their own have a past of their
 * own as well: pages that fail say nothing of them.
 */
export function breakerOf(
  { store, services }: JobContext,
  name: string,
  currency: Currency = 'serp_credit',
): Breaker | null {
  const service = services.get(name);
  const apart = service?.metrics;
  const kind = currency === 'micro_usd' && apart !== undefined ? apart.kind : service?.kind;
  if (kind !== 'live') return null;
  return new Breaker(name, store.tries.failuresInARow(name, apart === undefined ? null : currency));
}

/** The wait that a failure asks of whatever would be sent next; null where that is none to speak of. */
export function askedWait(service: string, { retryAfterMs }: Failure, now: number): ServiceWait | null {
  if (retryAfterMs === null || retryAfterMs < waitToldMsMin) return null;
  return { service, until: now + retryAfterMs, why: 'asked' };
}

export function tellAsked(log: Log, runId: number, { service, until }: ServiceWait): void {
  const facts = { runId, service, until: new Date(until).toISOString() };
  log.info(facts, 'service asks to be left alone: nothing is bought there until then');
}

function tellPause(log: Log, runId: number, service: string, breaker: Breaker, now: number): void {
  const pauseMs = breaker.pauseMs(now);
  if (pauseMs === null) log.warn({ runId, service, reason: breaker.givenUp }, 'service given up for this run');
  else if (pauseMs > 0) {
    const facts = { runId, service, pauseMs, until: new Date(now + pauseMs).toISOString() };
    log.warn(facts, 'service fails: nothing is bought there for a while');
  } else log.info({ runId, service }, 'service answers again');
}

/** Waits until the breaker lets one request through; null where its service was given up. For work that has nothing else to do meanwhile. */
export async function admissionTo(
  { store, clock, log }: JobContext,
  runId: number,
  breaker: Breaker | null,
  stop: AbortSignal,
  onWait: (wait: ServiceWait) => void,
): Promise<Admission | 'interrupted' | null> {
  if (breaker === null) return { end() {} };
  for (let isTold = false; ; isTold = true) {
    const admission = breaker.admit(clock.now());
    if (admission !== null) return admission;
    if (!isTold) tellPause(log, runId, breaker.service, breaker, clock.now());
    const pauseMs = breaker.pauseMs(clock.now());
    if (pauseMs === null) return null;
    if (pauseMs > 0) onWait({ service: breaker.service, until: clock.now() + pauseMs, why: 'failing' });
    await clock.sleep(Math.min(pauseMs, heartbeatEveryMs), stop).catch(() => undefined);
    if (stop.aborted) return 'interrupted';
    store.transaction(() => store.runs.heartbeat(runId, clock.now()));
  }
}
