// History as `view` and `mcp` serve it.

import type { JobContext } from '../../../jobs/context.ts';
import { StoredHistory } from '../../../jobs/read/history-reader.ts';
import type { HistoryReader } from '../../read/contract.ts';
import { sourceKindOf } from '../../service/index.ts';
import type { DollarRange } from '../../tracker/page-price.ts';
import { isPart, type ReaderScope, ScopedReader } from '../../workspace/scoped-reader.ts';
import type { App } from '../app.ts';
import { pagePrices } from '../opening/list-prices.ts';
import { servicesForSale } from '../opening/services.ts';

/** History as the read API gives it, with what its pages cost. */
export async function pricedReader(app: App): Promise<StoredHistory> {
  return historyReader(app, await pagePrices(app.config), await servicesForSale(app.config));
}

/** The same without prices. */
export function historyReader(
  { config, context }: App,
  pagePrices?: ReadonlyMap<string, DollarRange>,
  services: JobContext['services'] = context.services,
): StoredHistory {
  const { ctrCurve, compare, toleranceMs } = config.reports;
  return new StoredHistory(
    { ...context, services },
    {
      ctrCurve,
      comparison: compare,
      toleranceMs,
      notes: config.notes,
      formerProjects: config.formerly.projects,
      viewsOf: (project) => config.views.get(project) ?? [],
      pagePrices,
      isSimulated: (name) => {
        const service = config.services.get(name);
        return service?.mode === 'embedded' && sourceKindOf(service.source) !== 'live';
      },
    },
  );
}

/** History for the scope of a reader; null: `everything`, perhaps also of other databases. */
export function readerFor(
  history: StoredHistory,
  everything: HistoryReader = history,
): (scope: ReaderScope | null) => HistoryReader {
  return (scope) => {
    if (scope === null) return everything;
    const project = history.projectNamed(scope.project);
    const seen = isPart(scope) ? history.part(scope) : history;
    return new ScopedReader(seen, { ...scope, project }, (name) => history.isNameOf(name, project));
  };
}
