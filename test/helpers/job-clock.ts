// Clocks for whole runs: short sleeps (backoff, Retry-After, spacing) take no time, timeouts wait for the test.
import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, systemClock, WitnessedClock } from '../../src/service/index.ts';

/** Sleeps this long or longer are timeouts, which only `expire` ends. Above every backoff, below the clients' limit. */
const limitMsMin = 45_000;

export class JobClock implements Clock {
  /** The length of each short sleep. */
  readonly slept: number[] = [];
  #now: number;
  #limits = new Set<() => void>();

  constructor(start = Date.UTC(2026, 0, 15, 6)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  set(at: number): void {
    this.#now = at;
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      if (ms < limitMsMin) {
        this.slept.push(ms);
        this.#now += Math.ceil(ms);
        setImmediate(resolve);
        return;
      }
      const expire = () => {
        this.#limits.delete(expire);
        signal?.removeEventListener('abort', stop);
        this.#now += ms;
        resolve();
      };
      const stop = () => {
        this.#limits.delete(expire);
        reject(signal?.reason);
      };
      this.#limits.add(expire);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Ends every running timeout. */
  expire(): void {
    for (const expire of [...this.#limits]) expire();
  }
}

/** A clock that a test sets wrong. It knows how much time passed; dates of answers confirm or contradict it. */
export class JumpClock extends JobClock {
  #jumpedMs = 0;
  #witnessed = this.#fresh();

  /** Moves only the wall clock. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
    this.advance(ms);
  }

  /** What a right clock would show. */
  trueTime(): number {
    return this.now() - this.#jumpedMs;
  }

  /** Lets time pass until a right clock shows this. */
  passUntil(at: number): void {
    this.advance(at - this.trueTime());
  }

  /** An answer of a provider whose clock is right. */
  answer(): void {
    this.witness({ date: new Date(this.trueTime()).toUTCString() });
  }

  /** A process that starts now knows of no jump and of no answer. */
  restart(): void {
    this.#witnessed = this.#fresh();
  }

  witness(headers: IncomingHttpHeaders): void {
    this.#witnessed.witness(headers);
  }

  acceptLeap(): void {
    this.#witnessed.acceptLeap();
  }

  get newestAnswer() {
    return this.#witnessed.newestAnswer;
  }

  get skewMs() {
    return this.#witnessed.skewMs;
  }

  get jumpMs() {
    return this.#witnessed.jumpMs;
  }

  get isConfirmed() {
    return this.#witnessed.isConfirmed;
  }

  #fresh(): WitnessedClock {
    return new WitnessedClock({ now: () => this.now(), sleep: (ms, signal) => this.sleep(ms, signal) }, () =>
      this.trueTime(),
    );
  }
}

/** The clock of the machine, for worlds whose time must be real because Redis has its own. */
export class MachineClock extends JobClock {
  override now(): number {
    return systemClock.now();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }
}
