// What the next run would buy, cost and defer.
import { type PlanReport, planReport } from '../../../jobs/query/planning.ts';
import type { App } from '../app.ts';
import { planRequest, type RequestOptions } from '../opening/named-projects.ts';

export function plan({ config, context }: App, options: RequestOptions): PlanReport {
  return planReport(context, planRequest(config, options));
}
