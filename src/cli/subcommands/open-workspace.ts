// What `view` and `start` share: the workspace on an address of this machine, and the browser that opens it.
import { spawn } from 'node:child_process';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { App } from '../../app/app.ts';
import type { AddOptions } from '../../app/import/add-keywords.ts';
import type { EditorHost, openEdits } from '../../app/workspace/editor.ts';
import { openCommonDoor, portfolioHistory } from '../../app/workspace/portfolio.ts';
import { sideThread } from '../../app/workspace/side-thread.ts';
import { readerFor } from '../../app/workspace/workspace.ts';
import { errorText } from '../../service/index.ts';
import type { HistoryServer } from '../../workspace/listen.ts';
import { keepWarm } from '../../workspace/server/keep-warm.ts';
import { loadPage } from '../../workspace/server/page.ts';
import { startWorkspace } from '../../workspace/server/server.ts';

/** What writes; it is loaded with --edit only. */
export interface Editing {
  readonly openEdits: typeof openEdits;
  readonly host: EditorHost;
}

/**
 * Close it before the app. Throws UsageError if other machines can reach the address and there is no reader: they need
 * a reader's token.
 */
export async function view(
  app: App,
  {
    host = '127.0.0.1',
    port,
    apiOnly = false,
    editing,
    others = [],
  }: {
    readonly host?: string;
    readonly port: number;
    readonly apiOnly?: boolean;
    readonly editing?: Editing;
    readonly others?: readonly App[];
  },
): Promise<HistoryServer> {
  const { log } = app.context;
  const apps = [app, ...others] as const;
  const door = await openCommonDoor(apps, host);
  const { own, all } = await portfolioHistory(apps);
  const side = sideThread(apps, own, door.limitExpressions);
  const plan = side && ((config: ResolvedConfig, options: AddOptions) => side.planAddition({ config, options }));
  const edits = editing?.openEdits(app, own, editing.host, { ...door, plan });
  const workspace = await startWorkspace({
    readerFor: readerFor(own, all),
    host,
    port,
    ...door,
    page: apiOnly ? undefined : loadPage(),
    edits,
    aside:
      side &&
      (({ scope, asked: { pathname, query, accept, client } }, signal) =>
        side.answer({ scope, client, work: { kind: 'read', pathname, search: `${query}`, accept } }, signal)),
    onError: (error) => log.error({ error: errorText(error) }, 'request failed'),
  });
  const warmUp = keepWarm(all, (error) => log.warn({ error: errorText(error) }, 'history could not be read ahead'));
  return {
    url: workspace.url,
    async close() {
      warmUp.stop();
      await workspace.close();
      await side?.close();
      await edits?.settled();
    },
  };
}

/** A system that has not failed by then is opening the page: some wait until the browser is closed. */
const failsWithinMs = 3_000;

/** The program that opens addresses on a system, with its first arguments. */
export function browserCommand(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
}

/** Whether the system took the address. `env`: default is that of the process. */
export async function openBrowser(url: string, env?: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const [program, ...args] = browserCommand(process.platform);
  return await new Promise<boolean>((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, windowsHide: true, env });
    const timer = setTimeout(() => end(true), failsWithinMs);
    const end = (isOpened: boolean): void => {
      clearTimeout(timer);
      child.unref();
      resolve(isOpened);
    };
    child.on('error', () => end(false));
    child.on('exit', (code) => end(code === 0));
  });
}
