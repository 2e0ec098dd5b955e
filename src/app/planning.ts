// What runs would buy and cost: the next one, and those of a month at worst.

import type { ResolvedConfig, ServiceConfig } from '../../config/resolve.ts';
import { answerSourceOf } from '../../config/rules/service-rules.ts';
import { type AnswerCost, answerCost } from '../../jobs/answers/answer-cost.ts';
import type { AnswerSeller } from '../../jobs/answers/refresh-answers.ts';
import { type ProjectCost, projectCost } from '../../jobs/project-cost.ts';
import { type PlannedProject, type PlanReport, planReport } from '../../jobs/query/planning.ts';
import { answerFacts, answerKindOf, metricsCostMoney, sourceKindOf } from '../service/terms.ts';
import { type DollarRange, keywordMonth } from '../tracker/page-price.ts';
import type { App } from './app.ts';
import { plannedCost, sellersOf } from './opening/list-prices.ts';
import { planRequest, type RequestOptions } from './opening/named-projects.ts';
import { pageRanges, servicesForSale } from './opening/services.ts';

export async function plan({ config, context }: App, options: RequestOptions): Promise<PricedPlan> {
  const hasPrompts = config.projects.some(({ prompts }) => prompts !== undefined);
  const priced = { ...context, services: await servicesForSale(config) };
  const report = planReport(priced, planRequest(config, options), hasPrompts ? await answerPrices(config) : new Map());
  const projects = report.projects.map(async (planned) => {
    const project = context.projects.get(planned.project);
    const { run, keywords } = planned;
    if (project === undefined || run === undefined) return { ...planned, microUsdPerKeywordMonth: null };
    const { slotsPerMonth } = projectCost(project, context.clock.now());
    const costOf = (credits: number) =>
      plannedCost(config, project.service, credits * slotsPerMonth, run.checks * slotsPerMonth);
    const [expected, worst] = [await costOf(run.creditsExpected), await costOf(run.creditsWorstCase)];
    const range = expected === null || worst === null ? null : { least: expected.least, most: worst.most };
    return { ...planned, microUsdPerKeywordMonth: slotsPerMonth === 0 ? null : keywordMonth(range, keywords) };
  });
  return { ...report, projects: await Promise.all(projects) };
}

/** With what a month of runs like the planned one costs per keyword by list prices; null: unknown, or no such run. */
export type PricedProject = PlannedProject & { readonly microUsdPerKeywordMonth: DollarRange | null };
export type PricedPlan = Omit<PlanReport, 'projects'> & { readonly projects: readonly PricedProject[] };

/** By service; those without AI answers are missing. */
async function answerPrices({ services }: ResolvedConfig): Promise<Map<string, AnswerSeller>> {
  const found = new Map<string, AnswerSeller>();
  for (const [name, service] of services) {
    const source = answerSourceOf(service);
    const facts =
      source === null
        ? undefined
        : await answerFacts(source, (service.mode === 'embedded' && service.answers?.options) || {});
    if (source === null || facts === undefined) continue;
    const prices = new Map(facts.engines.map(({ engine, microUsdMax }) => [engine, microUsdMax]));
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
export async function projectCosts(config: ResolvedConfig, now: number): Promise<ProjectCost[]> {
  const ranges = await pageRanges(config);
  return config.projects.map((project) => projectCost(project, now, ranges.get(project.service)));
}

/** Of pages at worst, by project; null: no list price is known, it is free, or nothing is due in a month. */
export async function keywordMonths(
  config: ResolvedConfig,
  costs: readonly ProjectCost[],
): Promise<Map<string, DollarRange | null>> {
  const found = new Map<string, DollarRange | null>();
  for (const [at, { id, service }] of config.projects.entries()) {
    const { creditsPerMonth = 0, searches = 0, slotsPerMonth = 0, keywords = 0 } = costs[at] ?? {};
    const range = await plannedCost(config, service, creditsPerMonth, searches * slotsPerMonth);
    found.set(id, slotsPerMonth === 0 ? null : keywordMonth(range, keywords));
  }
  return found;
}

/** Whether a service costs money: a provider, or a live source of pages, metrics or AI answers. */
export function costsMoney(config: ResolvedConfig, service: string): boolean {
  return sellersOf(config, service).some((name) => sellerCostsMoney(config.services.get(name)));
}

function sellerCostsMoney(service: ServiceConfig | undefined): boolean {
  if (service === undefined) return false;
  if (service.mode === 'remote' || sourceKindOf(service.source) === 'live') return true;
  const answers = answerSourceOf(service);
  if (answers !== null && answerKindOf(answers) === 'live') return true;
  return service.metrics !== undefined && metricsCostMoney(service.metrics.source);
}
