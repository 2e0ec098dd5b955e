// Serves history to assistants over MCP: to the program that started this one, or over HTTP.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { errorText } from '../../service/index.ts';
import { InvalidQuery } from '../../workspace/contract.ts';
import type { HistoryServer } from '../../workspace/listen.ts';
import type { CheckNow } from '../../workspace/mcp/check-now.ts';
import { startMcpHttp } from '../../workspace/mcp/http.ts';
import { createMcpServer, type McpOptions } from '../../workspace/mcp/server.ts';
import type { App } from '../app.ts';
import { isLoopback } from '../opening/loopback.ts';
import { UsageError } from '../opening/usage-error.ts';
import { expressionLimit, openDoor } from './readers.ts';
import { historyReader } from './view.ts';

/** Buys a check, or says what it would cost; throws UsageError. */
export type BuyCheck = (app: App, ...rest: Parameters<CheckNow>) => ReturnType<CheckNow>;

interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  /** Absent: no tool buys anything. */
  readonly buyCheck?: BuyCheck | undefined;
}

interface HttpOptions {
  readonly host?: string;
  readonly port: number;
  readonly signal: AbortSignal;
  readonly buyCheck?: BuyCheck | undefined;
}

/** Resolves when `input` ends or `signal` is aborted. `output` carries the protocol and nothing else. */
export async function serveMcpStdio(app: App, { input, output, signal, buyCheck }: StdioOptions): Promise<void> {
  const server = createMcpServer(mcpOptions(app, buyCheck, signal));
  const ended = Promise.race([once(input, 'end'), once(signal, 'abort')]);
  await server.connect(new StdioServerTransport(input, output));
  if (!signal.aborted) await ended;
  await server.close();
}

/**
 * Close it before the app. Throws UsageError if other machines can reach the address and there is no reader: they need
 * a reader's token, with which they may read, but not spend.
 */
export async function serveMcpHttp(
  app: App,
  { host = '127.0.0.1', port, signal, buyCheck }: HttpOptions,
): Promise<HistoryServer> {
  if (!isLoopback(host) && buyCheck !== undefined)
    throw new UsageError(`--allow-spend listens on this machine only, not on ${host}`, 'readers may read, not spend');
  return startMcpHttp({
    ...mcpOptions(app, buyCheck, signal),
    ...openDoor(app, host, buyCheck !== undefined),
    host,
    port,
  });
}

function mcpOptions(app: App, buyCheck: BuyCheck | undefined, stop: AbortSignal): McpOptions {
  const { log } = app.context;
  return {
    reader: historyReader(app),
    limitExpressions: expressionLimit(app.context.clock),
    onError: (error) => log.error({ error: errorText(error) }, 'tool failed'),
    ...(buyCheck === undefined ? {} : { checkNow: oneAtATime(app, buyCheck, stop) }),
  };
}

/** Purchases of one process wait for each other: each is held against what the earlier ones left of the budget. */
function oneAtATime(app: App, buyCheck: BuyCheck, stop: AbortSignal): CheckNow {
  let earlier: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const mine = earlier.then(() => buyCheck(app, request, AbortSignal.any([signal, stop]))).catch(refuse);
    earlier = mine.catch(() => {});
    return mine;
  };
}

function refuse(error: unknown): never {
  throw error instanceof UsageError ? new InvalidQuery(error.message) : error;
}
