// `mcp`: history for assistants, over the Model Context Protocol, until its input ends or a signal comes.

import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from '@commander-js/extra-typings';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { App } from '../../app/app.ts';
import { UsageError } from '../../app/opening/failures.ts';
import { isLoopback, operatorName } from '../../app/opening/machine.ts';
import { expressionLimit } from '../../app/workspace/door.ts';
import type { EditorHost, openTracking } from '../../app/workspace/editor.ts';
import { openCommonDoor, portfolioHistory } from '../../app/workspace/portfolio.ts';
import { sideThread } from '../../app/workspace/side-thread.ts';
import { readerFor } from '../../app/workspace/workspace.ts';
import { InvalidQuery } from '../../read/contract.ts';
import { errorText } from '../../service/terms.ts';
import type { CheckAnswer } from '../../workspace/edit-records.ts';
import type { HistoryServer } from '../../workspace/listen.ts';
import type { Allowance, CheckNow, CheckNowRequest } from '../../workspace/mcp/check-now.ts';
import { startMcpHttp } from '../../workspace/mcp/http.ts';
import type { OAuthOptions } from '../../workspace/mcp/oauth.ts';
import { createMcpServer, type McpOptions } from '../../workspace/mcp/server.ts';
import type { CommandDefinition, FlagsOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { portNumber, wholeNumber } from '../parsed-command.ts';
import { openEditorHost } from '../subcommands/editor-host.ts';
import { usageError } from '../text/failure.ts';

const creditsMax = 1_000_000_000;

const describe = (command: Command) =>
  command
    .option('--http', 'serve over HTTP instead of standard input and output')
    .option('--port <n>', 'port; 0 picks a free port', portNumber, 8091)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--allow-spend [credits]',
      'offer check_now, which buys checks of named keywords within the budget, for so many SERP credits at most until it ends',
      wholeNumber(1, creditsMax),
    )
    .option(
      '--edit',
      'offer track_keywords to programs of this machine until there is a reader, and to readers with the role editor',
    )
    .option('--oauth <issuer>', 'with --http: take access tokens of this authorization server, beside those of readers')
    .option('--resource <url>', 'with --oauth: the public address of this server, which tokens name as audience');

type Flags = FlagsOf<typeof describe>;

export const command: CommandDefinition = {
  about: `An assistant starts this command and talks to it over standard input and output. With --http, it serves many
assistants at /mcp. It only reads: no tool can buy or change anything. Once there was a reader, it asks for tokens of readers.
With --allow-spend, the tool check_now buys checks of named keywords within the budget, on this machine only. With --edit,
the tool track_keywords adds keywords to keyword files, after it has shown the lines and the monthly cost. With --oauth, assistants that others host may read with access tokens (JWT)
of your authorization server: with the scope rankledger:read, or rankledger:read:PROJECT for one project.`,
  examples: [
    { command: 'mcp --config rankledger.yaml', does: 'the command to write into the config of an assistant' },
    { command: 'mcp --http', does: 'on http://127.0.0.1:8091/mcp' },
    { command: 'mcp --http --port 0 --json', does: 'on a free port; the first line is {"url": ...}' },
    { command: 'mcp --allow-spend', does: 'an assistant may also buy checks, within the budget' },
    { command: 'mcp --allow-spend 50', does: 'for 50 SERP credits at most' },
    { command: 'mcp --edit', does: 'an assistant may also track keywords, after it has shown their cost' },
    {
      command: 'mcp --http --oauth https://login.example.com --resource https://seo.example.com/mcp',
      does: 'behind a proxy at that address, for assistants that log in at that server',
    },
  ],
  readsConfig: 'several',
  leavesOutBroken: true,
  asksServices: ({ flags }) => 'allowSpend' in flags,
  describe,
  async run(context) {
    const { configFiles, flags, json, out, signal, withApps } = context;
    const { http, port, host: address, allowSpend, edit } = flags(describe);
    if (configFiles.length > 1 && (allowSpend !== undefined || edit === true))
      throw usageError('--allow-spend and --edit are for one config: name one with --config.');
    const oauth = oauthOptions(flags(describe));
    const powers: Powers = {
      buyCheck: allowSpend === undefined ? undefined : (await import('../../app/workspace/check-now.ts')).checkNow,
      creditsAllowed: typeof allowSpend === 'number' ? allowSpend : undefined,
      editing:
        edit === true
          ? {
              openTracking: (await import('../../app/workspace/editor.ts')).openTracking,
              host: await openEditorHost(context),
            }
          : undefined,
    };
    await withApps(
      async ([app, ...others]) => {
        const options = { signal, others, ...powers };
        if (http !== true) return serveMcpStdio(app, { input: process.stdin, output: process.stdout, ...options });
        const running = await serveMcpHttp(app, { host: address, port, oauth, ...options });
        try {
          if (json) out.line(JSON.stringify({ url: running.url }));
          else out.line(`Serving MCP at ${running.url}`);
          if (!signal.aborted) await once(signal, 'abort');
        } finally {
          await running.close();
        }
      },
      { isReading: allowSpend === undefined },
    );
    return exitCodes.done;
  },
};

/** Buys a check, or says what it would cost; throws UsageError. */
export type BuyCheck = (
  app: App,
  request: CheckNowRequest,
  signal: AbortSignal,
  allowance: Allowance,
) => Promise<CheckAnswer>;

/** Throws a usage error. */
function oauthOptions({ http, oauth: issuer, resource, allowSpend }: Flags) {
  if (issuer === undefined && resource === undefined) return undefined;
  if (issuer === undefined || resource === undefined || http !== true)
    throw usageError('--oauth and --resource need each other, and --http.');
  if (allowSpend !== undefined) throw usageError('--oauth and --allow-spend exclude each other.');
  const wrong = [issuer, resource].find((address) => !isSafeAddress(address));
  if (wrong !== undefined)
    throw usageError(`${wrong} does not begin with https://.`, 'Such as https://seo.example.com/mcp');
  return { issuer, resource };
}

/** Encrypted, or of this machine. */
function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/** What an assistant may do besides reading. */
interface Powers {
  /** Absent: no tool buys anything. */
  readonly buyCheck?: BuyCheck;
  /** SERP credits for all purchases of this process. Absent: only the budget limits them. */
  readonly creditsAllowed?: number;
  /** Absent: no tool writes anything. */
  readonly editing?: { readonly openTracking: typeof openTracking; readonly host: EditorHost } | undefined;
  /** Their databases are read beside that of the app, without these powers. */
  readonly others?: readonly App[];
}

/** Resolves when `input` ends or `signal` is aborted. `output` carries the protocol and nothing else. */
export async function serveMcpStdio(
  app: App,
  {
    input,
    output,
    signal,
    ...powers
  }: Powers & { readonly input: Readable; readonly output: Writable; readonly signal: AbortSignal },
): Promise<void> {
  const { edits, settled, ...options } = await mcpOptions(app, powers, signal);
  const trackKeywords: McpOptions['trackKeywords'] = edits && ((asked) => edits.trackKeywords(asked, edits.operator));
  const ended = Promise.race([once(input, 'end'), once(signal, 'abort')]);
  const transport = new StdioServerTransport(input, output);
  const server = serveStdio(() => createMcpServer({ ...options, trackKeywords }), { transport });
  if (!signal.aborted) await ended;
  await server.close();
  await settled();
}

/**
 * Close it before the app. Throws UsageError if other machines can reach the address and there is no reader: they need
 * a reader's token, with which they may read, but not spend.
 */
export async function serveMcpHttp(
  app: App,
  {
    host = '127.0.0.1',
    port,
    signal,
    oauth,
    ...powers
  }: Powers & {
    readonly host?: string;
    readonly port: number;
    readonly signal: AbortSignal;
    readonly oauth?: Pick<OAuthOptions, 'issuer' | 'resource'>;
  },
): Promise<HistoryServer> {
  const isSpending = powers.buyCheck !== undefined;
  if (!isLoopback(host) && isSpending)
    throw new UsageError(`--allow-spend listens on this machine only, not on ${host}`, 'readers may read, not spend');
  const { settled, own, reader, ...options } = await mcpOptions(app, powers, signal);
  const apps = [app, ...(powers.others ?? [])] as const;
  const door = await openCommonDoor(apps, host, {
    isLocal: isSpending,
    takesOthers: oauth !== undefined,
  });
  const side = sideThread(apps, own, door.limitExpressions);
  const server = await startMcpHttp({
    ...options,
    ...door,
    host,
    port,
    readerFor: readerFor(own, reader),
    aside:
      side &&
      (async ({ scope, client, tool, input }, stop) => {
        const { chunks } = await side.answer({ scope, client, work: { kind: 'call', tool, input } }, stop);
        return await text(chunks);
      }),
    oauth:
      oauth &&
      (await (
        await import('../../workspace/mcp/oauth.ts')
      ).openOAuth({
        ...oauth,
        onError: options.onError,
      })),
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      await side?.close();
      await settled();
    },
  };
}

async function mcpOptions(app: App, { buyCheck, creditsAllowed, editing, others = [] }: Powers, stop: AbortSignal) {
  const { log } = app.context;
  const { own, all } = await portfolioHistory([app, ...others]);
  const tracking = editing?.openTracking(app, own, editing.host);
  return {
    own,
    reader: all,
    edits: tracking?.edits,
    /** Resolves when nothing is being written. */
    settled: async () => await tracking?.settled(),
    limitExpressions: expressionLimit(app.context.clock),
    onError: (error: unknown) => log.error({ error: errorText(error) }, 'tool failed'),
    checkNow: buyCheck === undefined ? undefined : oneAtATime(app, buyCheck, stop, creditsAllowed),
  };
}

/** Purchases of one process wait for each other: each is held against what the earlier ones left. */
function oneAtATime(app: App, buyCheck: BuyCheck, stop: AbortSignal, credits: number | undefined): CheckNow {
  let earlier: Promise<unknown> = Promise.resolve();
  const allowance: Allowance = {
    creditsLeft: credits ?? Number.POSITIVE_INFINITY,
    by: operatorName(),
    confirms: new Map(),
  };
  return (request, signal) => {
    const mine = earlier.then(() => buyCheck(app, request, AbortSignal.any([signal, stop]), allowance)).catch(refuse);
    earlier = mine.catch(() => {});
    return mine;
  };
}

function refuse(error: unknown): never {
  throw error instanceof UsageError ? new InvalidQuery(error.message) : error;
}
