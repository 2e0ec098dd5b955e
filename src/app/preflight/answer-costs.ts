// What the AI answers of projects cost in a month, by the prices of their sources.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { type AnswerCost, answerCost } from '../../../jobs/answers/answer-cost.ts';
import type { AnswerFacts } from '../../service/index.ts';
import { answerPrices } from '../opening/answer-prices.ts';
import type { PreflightPrice } from './preflight-check.ts';
import type { ProjectCost } from './project-cost.ts';

export type { AnswerCost };

/** By project; those without prompts are missing. */
export async function answerCosts(
  config: ResolvedConfig,
  costs: readonly ProjectCost[],
): Promise<Map<string, AnswerCost>> {
  const found = new Map<string, AnswerCost>();
  if (config.projects.every(({ prompts }) => prompts === undefined)) return found;
  const prices = await answerPrices(config);
  for (const [at, project] of config.projects.entries()) {
    const seller = prices.get(project.service);
    const cost = answerCost(project, costs[at]?.slotsPerMonth ?? 0, (engine) => seller?.priceMicroUsd(engine) ?? 0);
    if (cost !== null) found.set(project.id, cost);
  }
  return found;
}

/** The list price of an answer, of the engine that costs most. */
export function answerPrice({ engines }: AnswerFacts): PreflightPrice | null {
  const [oldest] = engines.map(({ asOf }) => asOf).sort();
  if (oldest === undefined) return null;
  const first = Math.max(...engines.map(({ microUsdMax }) => microUsdMax));
  return { unit: 'micro_usd', first, further: 0, together: null, unitMicroUsd: { least: 1, most: 1 }, asOf: oldest };
}
