// Serves history to assistants over MCP: to the program that started this one, or over HTTP.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { type RunningMcp, startMcpHttp } from '../../workspace/mcp/http.ts';
import { createMcpServer, type McpOptions } from '../../workspace/mcp/server.ts';
import type { App } from '../app.ts';
import { isLoopback, readerCheck, requireReader } from './readers.ts';
import { historyReader } from './view.ts';

/** Resolves when `input` ends or `signal` is aborted. `output` carries the protocol and nothing else. */
export async function serveMcpStdio(
  app: App,
  { input, output, signal }: { readonly input: Readable; readonly output: Writable; readonly signal: AbortSignal },
): Promise<void> {
  const server = createMcpServer(readOptions(app));
  const ended = Promise.race([once(input, 'end'), once(signal, 'abort')]);
  await server.connect(new StdioServerTransport(input, output));
  if (!signal.aborted) await ended;
  await server.close();
}

/**
 * Close it before the app. Throws UsageError if other machines can reach the address and there is no reader: they need
 * a reader's token.
 */
export async function serveMcpHttp(
  app: App,
  { host = '127.0.0.1', port }: { readonly host?: string; readonly port: number },
): Promise<RunningMcp> {
  const checked = isLoopback(host) ? {} : { checkReader: readerCheck(app) };
  if (!isLoopback(host)) requireReader(app, host);
  return startMcpHttp({ ...readOptions(app), host, port, ...checked });
}

function readOptions(app: App): McpOptions {
  const { log } = app.context;
  return {
    reader: historyReader(app),
    onError: (error) => log.error({ error: error instanceof Error ? error.message : String(error) }, 'tool failed'),
  };
}
