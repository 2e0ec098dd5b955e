// A clock that a test sets wrong: it knows how much time really passed, and dates of answers confirm or contradict it.
import type { IncomingHttpHeaders } from 'node:http';
import { WitnessedClock } from '../../src/service/index.ts';
import { JobClock } from './job-clock.ts';

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
