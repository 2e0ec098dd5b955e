// What the next run would buy, cost and defer.
import { type PlanReport, planReport } from '../../../jobs/query/planning.ts';
import type { App } from '../app.ts';
import { answerPrices } from '../opening/answer-prices.ts';
import { planRequest, type RequestOptions } from '../opening/named-projects.ts';

export async function plan({ config, context }: App, options: RequestOptions): Promise<PlanReport> {
  const hasPrompts = config.projects.some(({ prompts }) => prompts !== undefined);
  return planReport(context, planRequest(config, options), hasPrompts ? await answerPrices(config) : new Map());
}
