// Defines a vendor of AI answers and makes its source. Each vendor is one adapter file with this shape.
import type * as z from 'zod';
import { ServiceError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { answerGoods } from '../../model/search-limits.ts';
import type {
  AiAnswer,
  AnswerCitation,
  AnswerEngine,
  AnswerFacts,
  AnswerModule,
  AnswerRequest,
  AnswerSource,
  FetchedAnswer,
  SourceContext,
  SourceDependencies,
} from '../../model/source.ts';
import { type Fields, ShapeError } from '../../net/fields.ts';
import type { VendorAnswer, VendorCall, VendorClient } from './client.ts';
import { type ClientForm, openVendorClient, type VendorOptions } from './define.ts';
import { resolveDestination } from './elements.ts';
import { refuseUnsold } from './market.ts';
import { metricsFailure } from './metrics.ts';
import { wordsAt } from './values.ts';

/** A vendor of AI answers as its file writes it. */
export interface AnswersForm<Options extends VendorOptions> extends ClientForm<Options> {
  readonly facts: AnswerFacts;
  readonly options: z.ZodType<Options>;
  /** The call for an answer within the limits of the facts. */
  call(request: AnswerRequest): VendorCall;
  /** The next call of a vendor that makes its customers wait; undefined: the answer is here. */
  collect?(answer: VendorAnswer): VendorCall | undefined;
  /** Throws ShapeError for an answer of another shape, ServiceError for a failure that it holds. */
  read(root: Fields, engine: AnswerEngine): AiAnswer;
  /** Cost in micro-USD; absent if the vendor states none. */
  stated?(root: Fields): number | undefined;
  /** The facts with these options. Absent: `facts`. */
  factsFor?(options: Options): AnswerFacts;
  /** A queue in which some answers are made for less, where the options ask for it. */
  queue?(options: Options, dependencies: SourceDependencies): AnswerQueue | undefined;
}

/** Answers of these engines take minutes, and those that were ordered are found again. */
interface AnswerQueue {
  readonly engines: readonly AnswerEngine[];
  /** How many answers may be waited for at once. */
  readonly concurrency: number;
  readonly requestTimeoutMs: number;
  /** Throws ServiceError. `observedAt`: when the answer was made, UTC milliseconds. */
  fetch(request: AnswerRequest, context: SourceContext): Promise<ReceivedAnswer & { readonly observedAt: number }>;
  close(): Promise<void>;
}

type ReceivedAnswer = Pick<VendorAnswer, 'root' | 'body'>;

/** How often an answer is asked for that is being made. */
const collectEveryMs = 5_000;
/** HTTP 202: accepted, not done. */
const stillWorking = 202;

export function defineAnswers<Options extends VendorOptions>(form: AnswersForm<Options>): AnswerModule {
  return {
    facts: form.facts,
    options: form.options,
    factsFor: (options) => form.factsFor?.(form.options.parse(options)) ?? form.facts,
    create: (options, dependencies) => new AnswerVendor(form, form.options.parse(options), dependencies),
  };
}

class AnswerVendor<Options extends VendorOptions> implements AnswerSource {
  readonly name: string;
  readonly kind = 'live';
  readonly engines: readonly AnswerEngine[];
  readonly concurrency: number;
  readonly requestTimeoutMs?: number;
  readonly #form: AnswersForm<Options>;
  readonly #facts: AnswerFacts;
  readonly #queue: AnswerQueue | undefined;
  readonly #clock: Clock;
  readonly #client: VendorClient;

  constructor(form: AnswersForm<Options>, options: Options, dependencies: SourceDependencies) {
    this.name = form.name;
    this.engines = form.facts.engines.map(({ engine }) => engine);
    this.#queue = form.queue?.(options, dependencies);
    this.concurrency = this.#queue?.concurrency ?? options.concurrency ?? form.facts.rate.concurrency;
    if (this.#queue !== undefined) this.requestTimeoutMs = this.#queue.requestTimeoutMs;
    this.#form = form;
    this.#facts = form.factsFor?.(options) ?? form.facts;
    this.#clock = dependencies.clock;
    this.#client = openVendorClient(form, options, dependencies);
  }

  priceMicroUsd(engine: AnswerEngine): number {
    const facts = this.#facts.engines.find((each) => each.engine === engine);
    if (facts === undefined) throw new Error(`${this.name} has no answers of ${engine}`);
    return facts.microUsdMax;
  }

  async fetchAnswer(request: AnswerRequest, context: SourceContext): Promise<FetchedAnswer> {
    const { name } = this.#form;
    const { engine, prompt: keyword, country, language } = request;
    const limits = this.#facts.engines.find((each) => each.engine === engine) ?? {};
    refuseUnsold(name, limits, { keyword, country, language }, answerGoods(engine));
    const owned = { name, facts: { prices: this.#facts.engines } };
    let received: ReceivedAnswer | undefined;
    try {
      if (this.#queue?.engines.includes(request.engine) === true) {
        const queued = await this.#queue.fetch(request, context);
        received = queued;
        const { root, body, observedAt } = queued;
        return { ...this.#form.read(root, request.engine), body, observedAt };
      }
      const ordered = await this.#client.send(this.#form.call(request), context.signal);
      received = ordered;
      received = await this.#collected(ordered, context.signal);
      const { root, body } = received;
      const stated = this.#form.stated?.(root);
      const price = stated === undefined ? {} : { microUsdStated: stated };
      return { ...this.#form.read(root, request.engine), ...price, body, observedAt: this.#clock.now() };
    } catch (error) {
      const failure = metricsFailure(error, owned, received !== undefined);
      throw error instanceof ShapeError && failure instanceof ServiceError && received !== undefined
        ? failure.with({ body: received.body })
        : failure;
    }
  }

  /** Waits for an answer that is being made, until the signal, with the key that ordered it. */
  async #collected(ordered: VendorAnswer, signal: AbortSignal): Promise<VendorAnswer> {
    const call = this.#form.collect?.(ordered);
    if (call === undefined) return ordered;
    for (;;) {
      await this.#clock.sleep(collectEveryMs, signal);
      const answer = await this.#client.ask(call, ordered.key, signal);
      if (answer.status !== stillWorking) return answer;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#queue?.close()]);
  }
}

/** The pages of a list of sources, in its order. An engine's marks for a passage of text are no part of a page. */
export function citationsIn(items: readonly Fields[]): AnswerCitation[] {
  return items.flatMap((item) => {
    const url = resolveDestination(wordsAt(item, 'url', 'link', 'href'))?.replace(/#:~:.*$/s, '');
    return url === undefined ? [] : [{ url, title: wordsAt(item, 'title') ?? null }];
  });
}
