// `serve`: the Search Data Service of this config over HTTP, until a signal ends it.
import { once } from 'node:events';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { collected, wholeNumber } from '../parsed-command.ts';

interface Flags {
  readonly port: number;
  readonly host: string;
  readonly service: string;
  readonly trustedProxy?: readonly string[];
  readonly rate?: number;
  readonly dashboard?: boolean;
}

const portMax = 65_535;
const rateMax = 1_000_000;

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
  ],
  readsConfig: true,
  isLongRunning: true,
  describe: (command) =>
    void command
      .option('--port <n>', 'port; 0 picks a free port', wholeNumber(0, portMax), 8080)
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--service <name>', 'embedded service of the config to serve', 'default')
      .option(
        '--trusted-proxy <address>',
        'address or network whose X-Forwarded-For is trusted; may be given several times',
        collected,
      )
      .option('--rate <n>', 'requests a minute of each API user (default: 600)', wholeNumber(1, rateMax))
      .option('--dashboard', 'serve the account dashboard at /account'),
  async run({ host, flags, json, out, signal, withApp }) {
    const { trustedProxy: trustedProxies, rate: requestsPerMinute, ...address } = flags<Flags>();
    const options = {
      ...address,
      trustedProxies,
      requestsPerMinute,
    };
    const serve = await host.useCases.serve();
    await withApp(async (app) => {
      const server = await serve(app, options);
      try {
        if (json) out.line(JSON.stringify({ url: server.url }));
        else out.line(`Serving "${address.service}" at ${server.url}, documented at ${server.url}/docs`);
        if (!json && address.dashboard === true) out.line(`Account dashboard: ${server.url}/account`);
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        await server.close();
      }
    });
    return exitCodes.done;
  },
};
