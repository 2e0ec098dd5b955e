// `view`: history as a page and a read-only API, until a signal ends it.
import { once } from 'node:events';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../parsed-command.ts';
import { openBrowser } from '../terminal/open-browser.ts';

interface Flags {
  readonly port: number;
  readonly host: string;
  readonly apiOnly?: boolean;
  readonly open?: boolean;
}

const portMax = 65_535;

export const command: CommandDefinition = {
  about: `Serves history to a browser and to programs, straight from the database, while runs go on. It only reads: nothing
can be bought or changed through it. By default only this machine can open it. Once there are readers, it asks for their tokens. /docs documents the API, /openapi.json for programs.`,
  examples: [
    { command: 'view', does: 'on http://127.0.0.1:8090' },
    { command: 'view --open', does: 'and opens it in the browser' },
    { command: 'view --port 0 --json', does: 'on a free port; the first line is {"url": ...}' },
    { command: 'view --api-only', does: 'the API without the page' },
  ],
  readsConfig: true,
  isLongRunning: true,
  asksServices: () => false,
  describe: (command) =>
    void command
      .option('--port <n>', 'port; 0 picks a free port', wholeNumber(0, portMax), 8090)
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--open', 'open the page in the browser of this machine')
      .option('--api-only', 'serve the API without the page'),
  async run({ host, flags, json, out, err, signal, withApp }) {
    const options = flags<Flags>();
    const view = await host.useCases.view();
    await withApp(
      async (app) => {
        const workspace = await view(app, options);
        try {
          if (json) out.line(JSON.stringify({ url: workspace.url }));
          else out.line(`Serving the workspace at ${workspace.url}, its API at ${workspace.url}/docs`);
          if (options.open && !(await openBrowser(workspace.url, process.platform, host.env)))
            err.line(`No browser could be opened. Open ${workspace.url}`);
          if (!signal.aborted) await once(signal, 'abort');
        } finally {
          await workspace.close();
        }
      },
      { isReading: true },
    );
    return exitCodes.done;
  },
};
