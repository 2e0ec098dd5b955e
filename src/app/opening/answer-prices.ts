// The price of AI answers of each service of a config, by the facts of their sources: for costs without open services.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { answerSourceOf } from '../../../config/rules/service-rules.ts';
import type { AnswerSeller } from '../../../jobs/answers/refresh-answers.ts';
import { answerKindOf, describeAnswerSource } from '../../service/index.ts';

/** By service; those without AI answers are missing. */
export async function answerPrices({ services }: ResolvedConfig): Promise<Map<string, AnswerSeller>> {
  const found = new Map<string, AnswerSeller>();
  for (const [name, service] of services) {
    const source = answerSourceOf(service);
    const described = source === null ? undefined : await describeAnswerSource(source);
    if (source === null || described === undefined) continue;
    const prices = new Map(described.facts.engines.map(({ engine, microUsdMax }) => [engine, microUsdMax]));
    found.set(name, { kind: answerKindOf(source) ?? 'live', priceMicroUsd: (engine) => prices.get(engine) ?? 0 });
  }
  return found;
}
