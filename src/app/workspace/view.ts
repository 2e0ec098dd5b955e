// Serves the workspace: the read API over history, and its page.
import { StoredHistory } from '../../../jobs/workspace/history-reader.ts';
import { errorText, loadOpenApiDocument, sourceKindOf } from '../../service/index.ts';
import type { HistoryReader } from '../../workspace/contract.ts';
import type { HistoryServer } from '../../workspace/listen.ts';
import { keepWarm } from '../../workspace/server/keep-warm.ts';
import { loadPage } from '../../workspace/server/page.ts';
import { startWorkspace } from '../../workspace/server/server.ts';
import type { App } from '../app.ts';
import { openDoor } from './readers.ts';

export interface ViewOptions {
  /** Default: 127.0.0.1, this machine only. */
  readonly host?: string;
  /** 0: a free port. */
  readonly port: number;
  /** Without the page. */
  readonly apiOnly?: boolean;
}

/** History as the read API gives it. */
export function historyReader({ config, context }: App): HistoryReader {
  const { ctrCurve, compare, toleranceMs } = config.reports;
  return new StoredHistory(context, {
    ctrCurve,
    comparison: compare,
    toleranceMs,
    notes: config.notes,
    formerProjects: config.formerly.projects,
    viewsOf: (project) => config.views.get(project) ?? [],
    isSimulated: (name) => {
      const service = config.services.get(name);
      return service?.mode === 'embedded' && sourceKindOf(service.source) !== 'live';
    },
  });
}

/**
 * Close it before the app. Throws UsageError if other machines can reach the address and there is no reader: they need
 * a reader's token.
 */
export async function view(
  app: App,
  { host = '127.0.0.1', port, apiOnly = false }: ViewOptions,
): Promise<HistoryServer> {
  const { log } = app.context;
  const door = openDoor(app, host);
  const reader = historyReader(app);
  const workspace = await startWorkspace({
    reader,
    host,
    port,
    ...door,
    ...(apiOnly ? {} : { page: loadPage() }),
    openApi: await loadOpenApiDocument(),
    onError: (error) => log.error({ error: errorText(error) }, 'request failed'),
  });
  const warmUp = keepWarm(reader, (error) => log.warn({ error: errorText(error) }, 'history could not be read ahead'));
  return {
    url: workspace.url,
    async close() {
      warmUp.stop();
      await workspace.close();
    },
  };
}
