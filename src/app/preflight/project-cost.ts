// The worst-case cost of the projects of a config, and whether a service costs money.
import type { ResolvedConfig, ServiceConfig } from '../../../config/resolve.ts';
import { answerSourceOf } from '../../../config/rules/service-rules.ts';
import { type ProjectCost, projectCost } from '../../../jobs/project-cost.ts';
import { answerKindOf, metricsCostMoney, sourceKindOf } from '../../service/index.ts';

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
