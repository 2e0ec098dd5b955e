// Serves history to assistants over MCP: to the program that started this one, or over HTTP.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { errorText } from '../../service/index.ts';
import { InvalidQuery } from '../../workspace/contract.ts';
import type { HistoryServer } from '../../workspace/listen.ts';
import type { Allowance, CheckNow, CheckNowAnswer, CheckNowRequest } from '../../workspace/mcp/check-now.ts';
import { startMcpHttp } from '../../workspace/mcp/http.ts';
import { createMcpServer, type McpOptions } from '../../workspace/mcp/server.ts';
import type { App } from '../app.ts';
import { isLoopback } from '../opening/loopback.ts';
import { UsageError } from '../opening/usage-error.ts';
import { expressionLimit, openDoor } from './readers.ts';
import { historyReader } from './view.ts';

/** Buys a check, or says what it would cost; throws UsageError. */
export type BuyCheck = (
  app: App,
  request: CheckNowRequest,
  signal: AbortSignal,
  allowance: Allowance,
) => Promise<CheckNowAnswer>;

interface Spending {
  /** Absent: no tool buys anything. */
  readonly buyCheck?: BuyCheck | undefined;
  /** SERP credits for all purchases of this process. Absent: only the budget limits them. */
  readonly creditsAllowed?: number | undefined;
}

interface StdioOptions extends Spending {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

interface HttpOptions extends Spending {
  readonly host?: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Resolves when `input` ends or `signal` is aborted. `output` carries the protocol and nothing else. */
export async function serveMcpStdio(app: App, { input, output, signal, ...spending }: StdioOptions): Promise<void> {
  const options = mcpOptions(app, spending, signal);
  const ended = Promise.race([once(input, 'end'), once(signal, 'abort')]);
  const transport = new StdioServerTransport(input, output);
  const server = serveStdio(() => createMcpServer(options), { transport });
  if (!signal.aborted) await ended;
  await server.close();
}

/**
 * Close it before the app. Throws UsageError if other machines can reach the address and there is no reader: they need
 * a reader's token, with which they may read, but not spend.
 */
export async function serveMcpHttp(
  app: App,
  { host = '127.0.0.1', port, signal, ...spending }: HttpOptions,
): Promise<HistoryServer> {
  const isSpending = spending.buyCheck !== undefined;
  if (!isLoopback(host) && isSpending)
    throw new UsageError(`--allow-spend listens on this machine only, not on ${host}`, 'readers may read, not spend');
  return startMcpHttp({
    ...mcpOptions(app, spending, signal),
    ...openDoor(app, host, isSpending),
    host,
    port,
  });
}

function mcpOptions(app: App, { buyCheck, creditsAllowed }: Spending, stop: AbortSignal): McpOptions {
  const { log } = app.context;
  return {
    reader: historyReader(app),
    limitExpressions: expressionLimit(app.context.clock),
    onError: (error) => log.error({ error: errorText(error) }, 'tool failed'),
    ...(buyCheck === undefined ? {} : { checkNow: oneAtATime(app, buyCheck, stop, creditsAllowed) }),
  };
}

/** Purchases of one process wait for each other: each is held against what the earlier ones left. */
function oneAtATime(app: App, buyCheck: BuyCheck, stop: AbortSignal, credits: number | undefined): CheckNow {
  let earlier: Promise<unknown> = Promise.resolve();
  const allowance = { creditsLeft: credits ?? Number.POSITIVE_INFINITY };
  return (request, signal) => {
    const mine = earlier.then(() => buyCheck(app, request, AbortSignal.any([signal, stop]), allowance)).catch(refuse);
    earlier = mine.catch(() => {});
    return mine;
  };
}

function refuse(error: unknown): never {
  throw error instanceof UsageError ? new InvalidQuery(error.message) : error;
}
