// What runs would buy and cost: the next one, and those of a month at worst.

import type { ResolvedConfig, ServiceConfig } from '../../config/resolve.ts';
import { answerSourceOf } from '../../config/rules/service-rules.ts';
import { type AnswerCost, answerCost } from '../../jobs/answers/answer-cost.ts';
import type { AnswerSeller } from '../../jobs/answers/refresh-answers.ts';
import { type ProjectCost, projectCost } from '../../jobs/project-cost.ts';
import { type PlanReport, planReport } from '../../jobs/query/planning.ts';
import { answerKindOf, describeAnswerSource, metricsCostMoney, sourceKindOf } from '../service/terms.ts';
import type { App } from './app.ts';
import { planRequest, type RequestOptions } from './opening/named-projects.ts';

export async function plan({ config, context }: App, options: RequestOptions): Promise<PlanReport> {
  const hasPrompts = config.projects.some(({ prompts }) => prompts !== undefined);
  return planReport(context, planRequest(config, options), hasPrompts ? await answerPrices(config) : new Map());
}

/** By service; those without AI answers are missing. */
async function answerPrices({ services }: ResolvedConfig): Promise<Map<string, AnswerSeller>> {
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

export type { ProjectCost };

/**
 * The worst case of each project. `now` in UTC milliseconds: slots are counted in the first month of 31 days that
 * follows.
 */
export function projectCosts(config: ResolvedConfig, now: number): ProjectCost[] {
  return config.projects.map((project) => projectCost(project, now));
}

/** Whether a service costs money: a provider, or a live source of pages, metrics or AI answers. */
export function costsMoney(service: ServiceConfig | undefined): boolean {
  if (service === undefined) return false;
  if (service.mode === 'remote' || sourceKindOf(service.source) === 'live') return true;
  const answers = answerSourceOf(service);
  if (answers !== null && answerKindOf(answers) === 'live') return true;
  return service.metrics !== undefined && metricsCostMoney(service.metrics.source);
}
