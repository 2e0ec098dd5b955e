// `mcp`: history for assistants, over the Model Context Protocol, until its input ends or a signal comes.
import { once } from 'node:events';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../parsed-command.ts';

interface Flags {
  readonly http?: boolean;
  readonly port: number;
  readonly host: string;
  /** With a number: so many credits at most. */
  readonly allowSpend?: boolean | number;
}

const portMax = 65_535;
const creditsMax = 1_000_000_000;

export const command: CommandDefinition = {
  about: `An assistant starts this command and talks to it over standard input and output. With --http, it serves many
assistants at /mcp. It only reads: no tool can buy or change anything. Once there are readers, it asks for their tokens.
With --allow-spend, the tool check_now buys checks of named keywords within the budget, on this machine only.`,
  examples: [
    { command: 'mcp --config rankledger.yaml', does: 'the command to write into the config of an assistant' },
    { command: 'mcp --http', does: 'on http://127.0.0.1:8091/mcp' },
    { command: 'mcp --http --port 0 --json', does: 'on a free port; the first line is {"url": ...}' },
    { command: 'mcp --allow-spend', does: 'an assistant may also buy checks, within the budget' },
    { command: 'mcp --allow-spend 50', does: 'for 50 SERP credits at most' },
  ],
  readsConfig: true,
  asksServices: ({ flags }) => (flags as Flags).allowSpend !== undefined,
  describe: (command) =>
    void command
      .option('--http', 'serve over HTTP instead of standard input and output')
      .option('--port <n>', 'port; 0 picks a free port', wholeNumber(0, portMax), 8091)
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option(
        '--allow-spend [credits]',
        'offer check_now, which buys checks of named keywords within the budget, for so many SERP credits at most until it ends',
        wholeNumber(1, creditsMax),
      ),
  async run({ flags, host, json, out, signal, withApp }) {
    const { http, port, host: address, allowSpend } = flags<Flags>();
    const { serveMcpHttp, serveMcpStdio } = await host.useCases.mcp();
    const creditsAllowed = typeof allowSpend === 'number' ? allowSpend : undefined;
    const buyCheck = allowSpend === undefined ? undefined : await host.useCases.checkNow();
    await withApp(
      async (app) => {
        if (http !== true)
          return serveMcpStdio(app, { input: process.stdin, output: process.stdout, signal, buyCheck, creditsAllowed });
        const running = await serveMcpHttp(app, { host: address, port, signal, buyCheck, creditsAllowed });
        try {
          if (json) out.line(JSON.stringify({ url: running.url }));
          else out.line(`Serving MCP at ${running.url}`);
          if (!signal.aborted) await once(signal, 'abort');
        } finally {
          await running.close();
        }
      },
      { isReading: buyCheck === undefined },
    );
    return exitCodes.done;
  },
};
