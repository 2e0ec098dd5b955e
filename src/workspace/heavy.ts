// Answers that take long: while several clients ask, they are made beside the event loop, so that others do not wait.
import { InvalidQuery } from '../read/contract.ts';
import type { Endpoint } from '../read/endpoint.ts';
import type { Refusal } from './readers.ts';
import { Turns } from './turns.ts';

/** Makes answers in another thread. Rejects with RefusedAside. */
export type AnswerAside<Question, Answer> = (question: Question, signal: AbortSignal) => Promise<Answer>;

/** The other thread refuses the question. */
export class RefusedAside extends InvalidQuery {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Paths that read many dates, stored pages, or the causes of all rows. */
const heavyPaths: ReadonlySet<string> = new Set(
  ['rankings', 'why', 'causes', 'keywords/{id}/causes', 'attribution', 'competitors', 'discovered']
    .concat(['cannibalization', 'cannibalization/pages'])
    .map((path) => `/v1/projects/{project}/${path}`),
);
const heavyTools: ReadonlySet<string> = new Set(['explain_change', 'competitors', 'cannibalization', 'other_domains']);

interface Asking {
  readonly accept: string;
  readonly query: URLSearchParams;
}

/** Of lists, as files with all rows. */
export function isHeavyRead({ path, kind }: Pick<Endpoint, 'path' | 'kind'>, { accept, query }: Asking): boolean {
  const isFile = kind === 'list' && (query.get('limit') === 'all' || query.has('format') || !/json|\*|^$/.test(accept));
  return isFile || heavyPaths.has(path);
}

export function isHeavyTool(name: string): boolean {
  return heavyTools.has(name);
}

/** A client that asked within this time may ask again: others are not to make it wait. */
const activeMs = 60_000;
/** An answer that took less of the processor, as one that is kept, is made at once again. */
const cheapMs = 30;
/** Of a client that has so many questions waiting, more are answered aside. A page of the workspace asks fewer. */
const backlogMax = 12;
const measuredMax = 1_000;

/** Decides where answers are made. */
export class FairAnswers<Question, Answer> {
  readonly #aside: AnswerAside<Question, Answer> | undefined;
  readonly #here = new Turns();
  readonly #there = new Turns();
  /** When each client asked last. */
  readonly #seen = new Map<string, number>();
  /** Milliseconds that the answer to a question took here, the newest last. */
  readonly #measured = new Map<string, number>();

  /** `aside` undefined: all answers are made here. */
  constructor(aside: AnswerAside<Question, Answer> | undefined) {
    this.#aside = aside;
  }

  /** `make`: the answer, here. */
  async answer(
    client: string,
    { name, isHeavy, question, signal }: Asked<Question>,
    make: () => Answer,
  ): Promise<Answer> {
    const isShared = this.#isShared(client);
    const aside = this.#aside;
    const isSlow = isHeavy && (this.#measured.get(name) ?? cheapMs) >= cheapMs;
    if (aside !== undefined && isShared && (isSlow || this.#here.waiting(client) >= backlogMax))
      return await this.#there.take(client, () => aside(question, signal), signal);
    return await this.#here.take(
      client,
      () => {
        const before = process.threadCpuUsage();
        const made = make();
        const { user, system } = process.threadCpuUsage(before);
        if (isHeavy) this.#note(name, (user + system) / 1_000);
        return made;
      },
      signal,
    );
  }

  /** Whether other clients have asked lately. */
  #isShared(client: string): boolean {
    const now = performance.now();
    this.#seen.delete(client);
    this.#seen.set(client, now);
    for (const [other, at] of this.#seen) {
      if (now - at < activeMs) break;
      this.#seen.delete(other);
    }
    return this.#seen.size > 1;
  }

  #note(name: string, ms: number): void {
    this.#measured.delete(name);
    this.#measured.set(name, ms);
    for (const oldest of this.#measured.keys()) if (this.#measured.size > measuredMax) this.#measured.delete(oldest);
  }
}

interface Asked<Question> {
  /** Of the question, with the state of history, where it is heavy. */
  readonly name: string;
  readonly isHeavy: boolean;
  readonly question: Question;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
}
