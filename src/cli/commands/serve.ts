// `serve`: the Search Data Service of this config over HTTP, until a signal ends it.

import { once } from 'node:events';
import type { Command } from '@commander-js/extra-typings';
import type { Log } from '../../../jobs/context.ts';
import type { App } from '../../app/app.ts';
import type { requestMetrics } from '../../app/metrics.ts';
import { rejectUnset } from '../../app/opening/failures.ts';
import { isLoopback } from '../../app/opening/machine.ts';
import { serviceNamed } from '../../app/opening/named-projects.ts';
import { openEmbedded } from '../../app/opening/sources.ts';
import {
  type AnsweredRequest,
  canonicalRule,
  errorText,
  type RunningServer,
  ServiceError,
  startServer,
} from '../../service/index.ts';
import { minuteMs } from '../../tracker/schedule/time-units.ts';
import type { HistoryServer } from '../../workspace/listen.ts';
import type { CommandDefinition, FlagsOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { collected, metricsOption, portNumber, wholeNumber } from '../parsed-command.ts';
import { usageError } from '../text/failure.ts';

const rateMax = 1_000_000;

const describe = (command: Command) =>
  command
    .option('--port <n>', 'port; 0 picks a free port', portNumber, 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--service <name>', 'embedded service of the config to serve', 'default')
    .option(
      '--trusted-proxy <address>',
      'address or network whose X-Forwarded-For is trusted; may be given several times',
      collected,
    )
    .option('--rate <n>', 'requests a minute of each API user (default: 600)', wholeNumber(1, rateMax))
    .option('--dashboard', 'serve the account dashboard at /account')
    .option(...metricsOption);

type Flags = FlagsOf<typeof describe>;

export const command: CommandDefinition = {
  about: `Serves POST /v1/serp and POST /v1/keyword-data to the API users of this config's accounts, and /docs, /openapi.json and /healthz to anyone.
SIGTERM or SIGINT (Ctrl-C) shuts it down: requests in flight finish, and the exit code is 0. It speaks plain HTTP, so passwords are not
encrypted: before it listens on a network, put an HTTPS proxy in front of it.`,
  examples: [
    { command: 'serve', does: 'the service named default, on http://127.0.0.1:8080' },
    { command: 'serve --port 0 --json', does: 'on a free port; the first line is {"url": ...}' },
    {
      command: 'serve --host 0.0.0.0 --trusted-proxy 10.0.0.0/8',
      does: 'on all interfaces, behind proxies of that network',
    },
    { command: 'serve --dashboard', does: 'with the account dashboard; see account invite' },
    { command: 'serve --metrics 9466', does: 'with /metrics for Prometheus on a separate port' },
  ],
  readsConfig: true,
  isLongRunning: true,
  describe,
  async run({ flags, json, out, signal, withApp }) {
    const options = flags(describe);
    await withApp(async (app) => {
      const server = await serve(app, options);
      try {
        if (json) out.line(JSON.stringify({ url: server.url, metrics: server.metrics }));
        else out.line(`Serving "${options.service}" at ${server.url}, documented at ${server.url}/docs`);
        if (!json && options.dashboard === true) out.line(`Account dashboard: ${server.url}/account`);
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        await server.close();
      }
    });
    return exitCodes.done;
  },
};

/** Why a server cannot listen, by the system's code. */
const listenFailures: ReadonlyMap<string, readonly [words: string, hint: string]> = new Map([
  ['EADDRINUSE', ['another program uses it', 'Choose another port; --port 0 picks a free port.']],
  ['EACCES', ['this user has no permission for it', 'Choose a port from 1024 up.']],
  [
    'EADDRNOTAVAIL',
    ['this machine does not have that address', 'Choose one of this machine, or 0.0.0.0 for all of them.'],
  ],
  ['ENOTFOUND', ['there is no such host', 'Give an address of this machine, or 0.0.0.0 for all of them.']],
]);

/** The address is in use, or does not belong to this machine. */
class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly hint: string;

  constructor(message: string, hint: string, cause: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

/** Callers pay from their own accounts. Throws ServiceSetupError, ListenError and usage errors. */
async function serve(
  app: App,
  { service: asked, host, port, trustedProxy = [], rate, dashboard, metrics }: Flags,
): Promise<RunningServer & { readonly metrics: string | undefined }> {
  const { config, context, servicesHost } = app;
  const { log, store } = context;
  const name = serviceNamed(config, asked);
  const { accounts } = store;
  accounts.waitBriefly();
  rejectUnset(config);
  const service = config.services.get(name);
  if (service?.mode !== 'embedded')
    throw usageError(`services.${name} is remote and cannot be served: name an embedded one with --service`);
  const trustedProxies = trustedProxy.map(proxyRule);
  const opened = await openEmbedded(name, service, {
    ...servicesHost,
    accounts,
    requestRate: rate === undefined ? undefined : { count: rate, windowMs: minuteMs },
  });
  const answers: Parameters<typeof requestMetrics>[1] = {};
  let metricsServer: HistoryServer | undefined;
  try {
    if (metrics !== undefined) {
      const { requestMetrics, serveMetrics } = await import('../../app/metrics.ts');
      const { metricsDoor } = await import('../../app/workspace/door.ts');
      metricsServer = await serveMetrics(metrics, log, requestMetrics(store, answers), metricsDoor(app));
    }
    if (!isLoopback(host)) {
      const message = 'passwords are not encrypted: put an HTTPS proxy in front, and name it with --trusted-proxy';
      log.warn({ host }, message);
    }
    const server = await startServer({
      ...servicesHost,
      accounts,
      service: opened,
      host,
      port,
      trustedProxies,
      dashboard: dashboard === true ? {} : undefined,
      onAnswer(line) {
        logAnswer(log, line);
        answers.onAnswer?.(line);
      },
    });
    return {
      url: server.url,
      metrics: metricsServer?.url,
      async close() {
        await server.close();
        await metricsServer?.close();
        await opened.close();
      },
    };
  } catch (error) {
    await metricsServer?.close();
    await opened.close();
    const [words, hint] = listenFailures.get(String((error as NodeJS.ErrnoException).code)) ?? [];
    if (words === undefined) throw error;
    throw new ListenError(`Port ${port} of ${host} cannot be used: ${words}.`, String(hint), error);
  }
}

function proxyRule(written: string): string {
  try {
    return canonicalRule(written);
  } catch (error) {
    throw usageError(`--trusted-proxy: ${errorText(error)}`);
  }
}

/** Logs only messages: the facts of an error may hold a whole page. */
function logAnswer(log: Log, { error, ...line }: AnsweredRequest): void {
  const isGone = error instanceof ServiceError && error.code === 'ABORTED';
  // nothing was sent, and nothing failed
  if (isGone) log.info({ ...line, status: undefined, code: undefined }, 'client hung up');
  else if (line.status < 500) log.info(line, 'answered');
  else log.error({ ...line, error: messageChain(error) }, 'failed');
}

/** The messages of an error and of all its causes. */
function messageChain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} <- ${messageChain(error.cause)}`;
}
