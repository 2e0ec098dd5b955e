// Buys the samples of AI answers that a period lacks: each once, whichever projects and runs want it.
import type { PromptSearch } from '../../db/history/answers.ts';
import { type AnswerEngine, type AnswerService, answerEngines, type FetchedAnswer } from '../../src/service/terms.ts';
import { periodStart } from '../../src/tracker/answers/answers.ts';
import type { Project } from '../../src/tracker/project.ts';
import { localDate } from '../../src/tracker/schedule/local-time.ts';
import { findService, type JobContext, type StopSignals, shownMoment } from '../context.ts';
import { Breaker } from '../purchase/breaker.ts';
import { DollarRequest, type DollarResult } from '../purchase/dollar-request.ts';
import { answerKey } from '../purchase/money.ts';
import type { ServiceWait } from '../purchase/service-states.ts';

/** One sample to buy. */
interface AnswerNeed {
  readonly search: PromptSearch;
  /** First local date. */
  readonly period: string;
  /** From 1. */
  readonly sample: number;
  /** The projects that want it. */
  readonly wantedBy: readonly string[];
}

interface RefreshedAnswers {
  readonly interrupted: boolean;
  /** A line for each reason for which answers are missing. */
  readonly problems: readonly string[];
}

/** What is to be known of a service's answers before it is open. */
export type AnswerSeller = Pick<AnswerService, 'kind' | 'priceMicroUsd'>;

/** The samples that these projects lack at `moment`. Reads only. */
export function missingAnswers(
  context: JobContext,
  projects: readonly Project[],
  moment: number,
  sellerOf: (service: string) => AnswerSeller | undefined = (service) => context.services.get(service)?.answers,
): AnswerNeed[] {
  const needs = new Map<string, AnswerNeed>();
  for (const { id, prompts, service: name, timezone } of projects) {
    const answers = prompts === undefined ? undefined : sellerOf(name);
    if (prompts === undefined || answers === undefined) continue;
    // a live source answers for the current period, however late the slot
    const period = periodStart(localDate(shownMoment(context, answers, moment), timezone), prompts.every);
    for (const { prompt, country, language } of prompts.list) {
      for (const engine of prompts.engines) {
        const search = { prompt, engine, service: name, country, language };
        const known = context.store.answers.samples(search, period);
        for (let sample = 1; sample <= prompts.samples; sample++) {
          if (known.has(sample)) continue;
          const key = answerKey(search, period, sample);
          const wantedBy = new Set([...(needs.get(key)?.wantedBy ?? []), id]);
          needs.set(key, { search, period, sample, wantedBy: [...wantedBy] });
        }
      }
    }
  }
  // samples of all prompts take turns: what a budget has no room for is spread over them
  return [...needs.values()].sort((a, b) => a.sample - b.sample);
}

/**
 * Buys what a run needs, several at once. A missing answer is a problem that is reported; it is bought with a later run
 * of the same period, and is in no share until then.
 */
export async function refreshAnswers(
  context: JobContext,
  runId: number,
  needs: readonly AnswerNeed[],
  signals: StopSignals,
  onProgress: (done: number, total: number, waits: readonly ServiceWait[]) => void,
): Promise<RefreshedAnswers> {
  if (needs.length === 0) return { interrupted: false, problems: [] };
  const moment = context.store.runs.run(runId)?.moment ?? context.clock.now();
  const problems = new MissingAnswers();
  let done = 0;
  let interrupted = false;
  const report = (waits: readonly ServiceWait[] = []): void => onProgress(done, needs.length, waits);
  const buyFrom = async (name: string, ofService: readonly AnswerNeed[]): Promise<void> => {
    const answers = findService(context, name).answers;
    if (answers === undefined) return;
    const breaker = breakerOf(context, name, answers);
    const queue = ofService.values();
    let stop: string | null = null;
    const work = async (): Promise<void> => {
      for (const need of queue) {
        if (signals.stop.aborted) {
          interrupted = true;
          return;
        }
        if (stop !== null) problems.add(need, stop);
        else {
          const result = await buyOne(context, { runId, moment, answers, breaker, need }, signals, (wait) =>
            report([wait]),
          );
          if (result.kind === 'interrupted') {
            interrupted = true;
            return;
          }
          if (result.kind === 'failed') problems.add(need, result.reason);
          const stopped = result.kind === 'stopped' || result.kind === 'answered' ? result.stop : null;
          if (stopped !== null) stop = `${stopped.reason}. ${stopped.remedy}`;
          if (result.kind === 'stopped' && stop !== null) problems.add(need, stop);
        }
        done += 1;
        report();
      }
    };
    await Promise.all(Array.from({ length: Math.min(answers.concurrency, ofService.length) }, work));
  };
  report();
  const byService = Map.groupBy(needs, ({ search }) => search.service);
  await Promise.all([...byService].map(([name, ofService]) => buyFrom(name, ofService)));
  return { interrupted, problems: problems.lines() };
}

interface Order {
  readonly runId: number;
  readonly moment: number;
  readonly answers: AnswerService;
  readonly breaker: Breaker | null;
  readonly need: AnswerNeed;
}

async function buyOne(
  context: JobContext,
  { runId, moment, answers, breaker, need }: Order,
  signals: StopSignals,
  onWait: (wait: ServiceWait) => void,
): Promise<DollarResult> {
  const { search, period, sample, wantedBy } = need;
  const { prompt, service, country, language } = search;
  const engine = answerEngines.find((known) => known === search.engine) as AnswerEngine; // as the config's schema says
  const requestKey = answerKey(search, period, sample);
  const price = answers.priceMicroUsd(engine);
  const request = new DollarRequest<FetchedAnswer>(context, {
    runId,
    service,
    requestKey,
    wantedBy: new Map(wantedBy.map((project) => [project, 1])),
    price,
    moment,
    isSimulated: answers.kind !== 'live',
    breaker,
    within: 'for this period',
    send: (signal) =>
      answers.ask(
        { engine, prompt, country, language, sample },
        { signal, idempotencyKey: requestKey, at: shownMoment(context, answers, moment) },
      ),
    priceOf: ({ microUsdStated = 0 }) =>
      // a source that states its price is believed, also where it is lower
      ({ charged: microUsdStated > 0 ? Math.min(price, microUsdStated) : price, stated: microUsdStated }),
    record(answer, purchaseId) {
      const { store } = context;
      store.pages.keepBody(purchaseId, answer.body, true);
      const { text, citations, observedAt, model = null } = answer;
      const source = `${store.firstServiceName(service)}/${answers.source}`;
      store.answers.insert(search, { period, sample, observedAt, source, model, text, citations }, purchaseId);
    },
  });
  return await request.carryOut(signals, onWait, false);
}

/** Answers have their own breaker in each run; its past is that of all purchases in dollars. */
function breakerOf({ store }: JobContext, name: string, { kind }: AnswerService): Breaker | null {
  if (kind !== 'live') return null;
  return new Breaker(name, store.purchaseAttempts.failuresInARow(name, 'micro_usd'));
}

/** Counts missing answers by reason. */
class MissingAnswers {
  readonly #byReason = new Map<string, { readonly first: AnswerNeed; count: number }>();

  add(need: AnswerNeed, reason: string): void {
    const known = this.#byReason.get(reason);
    if (known === undefined) this.#byReason.set(reason, { first: need, count: 1 });
    else known.count += 1;
  }

  lines(): string[] {
    return [...this.#byReason].map(([reason, { first, count }]) => {
      const { prompt, engine, country, language } = first.search;
      const others = count === 1 ? '' : ` and ${count - 1} more`;
      return `AI answers to "${prompt}" (${engine}, ${country}, ${language})${others}: ${reason}`;
    });
  }
}
