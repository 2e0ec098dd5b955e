// Serves one embedded service of the config over HTTP.

import type { Log } from '../../../jobs/context.ts';
import {
  type AnsweredRequest,
  canonicalRule,
  errorText,
  type RunningServer,
  ServiceError,
  startServer,
} from '../../service/index.ts';
import { minuteMs } from '../../tracker/schedule/time-units.ts';
import type { App } from '../app.ts';
import { isLoopback } from '../opening/loopback.ts';
import { serviceNamed } from '../opening/named-projects.ts';
import { openEmbedded } from '../opening/sources.ts';
import { rejectUnset, UsageError } from '../opening/usage-error.ts';

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

export interface ServeOptions {
  /** Name of an embedded service of the config. Default: `default`. */
  readonly service?: string;
  /** Default: 127.0.0.1, this machine only. */
  readonly host?: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** For each API user. Default: 600. */
  readonly requestsPerMinute?: number;
  /** Serves the account dashboard, too. Default: false. */
  readonly dashboard?: boolean;
}

/**
 * Callers pay from their own accounts. Close the server before the app. Throws ServiceSetupError, ListenError and
 * UsageError.
 */
export async function serve({ config, context, servicesHost }: App, options: ServeOptions): Promise<RunningServer> {
  const { log, store } = context;
  const name = serviceNamed(config, options.service ?? 'default');
  store.accounts.waitBriefly();
  rejectUnset(config);
  const service = config.services.get(name);
  if (service?.mode !== 'embedded') {
    const remedy = 'name an embedded one with --service';
    throw new UsageError(`services.${name} is remote and cannot be served: ${remedy}`);
  }
  const { host = '127.0.0.1', port, requestsPerMinute: count } = options;
  const trustedProxies = (options.trustedProxies ?? []).map(proxyRule);
  const requestRate = count === undefined ? {} : { requestRate: { count, windowMs: minuteMs } };
  const opened = await openEmbedded(name, service, { ...servicesHost, ...requestRate });
  try {
    const onAnswer = (line: AnsweredRequest) => logAnswer(log, line);
    if (!isLoopback(host)) {
      const message = 'passwords are not encrypted: put an HTTPS proxy in front, and name it with --trusted-proxy';
      log.warn({ host }, message);
    }
    const dashboard = options.dashboard === true ? { dashboard: {} } : {};
    const address = { host, port, trustedProxies };
    const server = await startServer({ ...servicesHost, service: opened, ...address, ...dashboard, onAnswer });
    return {
      url: server.url,
      async close() {
        await server.close();
        await opened.close();
      },
    };
  } catch (error) {
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
    throw new UsageError(`--trusted-proxy: ${errorText(error)}`);
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
