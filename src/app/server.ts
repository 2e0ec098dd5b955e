// Serves one service of the config over HTTP: opens it, starts its server, logs its answers, closes both. What is answered is the service's part.
import type { ResolvedConfig } from '../../config/resolve.ts';
import { type AnsweredRequest, canonicalRule, type RunningServer, startServer } from '../service/index.ts';
import { type Log, refuseUnset, type ServeOptions, UsageError } from './contract.ts';
import { openEmbedded, type ServicesHost } from './services.ts';

const minuteMs = 60_000;

/** Why a server cannot listen, by the system's code. */
const listenFailures: ReadonlyMap<string, readonly [words: string, hint: string]> = new Map([
  ['EADDRINUSE', ['another program listens there', 'Choose another port; --port 0 takes a free one.']],
  ['EACCES', ['this user may not listen there', 'Choose a port from 1024 up.']],
  ['EADDRNOTAVAIL', ['this machine does not have that address', 'Choose one of its own, or 0.0.0.0 for all of them.']],
  ['ENOTFOUND', ['there is no such host', 'Give an address of this machine, or 0.0.0.0 for all of them.']],
]);

/** The address is somebody else's, or not this machine's. */
class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly hint: string;

  constructor(message: string, hint: string, cause: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

/** Opens the service for itself: its callers pay, on whatever account the config meters our own calls. */
export async function serveService(
  config: ResolvedConfig,
  name: string,
  { log, ...services }: ServicesHost & { readonly log: Log },
  options: ServeOptions,
): Promise<RunningServer> {
  refuseUnset(config);
  const service = config.services.get(name);
  if (service?.mode !== 'embedded') {
    const remedy = 'name an embedded one with --service';
    throw new UsageError(`services.${name} is a provider's, which cannot be served again: ${remedy}`);
  }
  const { host = '127.0.0.1', port, requestsPerMinute: count } = options;
  const trustedProxies = (options.trustedProxies ?? []).map(proxyRule);
  const requestRate = count === undefined ? {} : { requestRate: { count, windowMs: minuteMs } };
  const opened = await openEmbedded(name, service, { ...services, ...requestRate });
  try {
    const onAnswer = (line: AnsweredRequest) => logAnswer(log, line);
    if (!isLoopback(host)) {
      const message =
        'passwords travel as they are: put a proxy that speaks HTTPS in front, and name it with --trusted-proxy';
      log.warn({ host }, message);
    }
    const server = await startServer({ ...services, service: opened, host, port, trustedProxies, onAnswer });
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

/** A name that is not `localhost` may lead anywhere. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function proxyRule(written: string): string {
  try {
    return canonicalRule(written);
  } catch (error) {
    throw new UsageError(`--trusted-proxy: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** An error's own facts may hold a whole page: its words and those of its causes are enough. */
function logAnswer(log: Log, { error, ...line }: AnsweredRequest): void {
  if (line.status < 500) log.info(line, 'answered');
  else log.error({ ...line, error: wordsOf(error) }, 'failed');
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} <- ${wordsOf(error.cause)}`;
}
