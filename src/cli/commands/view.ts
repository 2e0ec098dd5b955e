// `view`: history as a page and an API, until a signal ends it. Only with --edit is the code loaded that writes.

import { once } from 'node:events';
import type { Command } from '@commander-js/extra-typings';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { portNumber } from '../parsed-command.ts';
import { openEditorHost } from '../subcommands/editor-host.ts';
import { type Editing, openBrowser, view } from '../subcommands/open-workspace.ts';
import { usageError } from '../text/failure.ts';

const describe = (command: Command) =>
  command
    .option('--port <n>', 'port; 0 picks a free port', portNumber, 8090)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--open', 'open the page in the browser of this machine')
    .option('--api-only', 'serve the API without the page')
    .option(
      '--edit',
      'let this machine edit until there is a reader, and readers with the role editor: notes, tags, keywords, checks',
    );

export const command: CommandDefinition = {
  about: `Serves history to a browser and to programs, straight from the database, while runs go on. It only reads: nothing
can be bought or changed through it, unless --edit allows it. By default only this machine can open it. Once there was a reader, it asks for tokens of readers. /docs documents the API, /openapi.json for programs. With several configs, it serves the projects of all their databases, to readers of the first.`,
  examples: [
    { command: 'view', does: 'on http://127.0.0.1:8090' },
    { command: 'view --open', does: 'and opens it in the browser' },
    { command: 'view --port 0 --json', does: 'on a free port; the first line is {"url": ...}' },
    { command: 'view --edit', does: 'editors may add notes, tag and add keywords, and buy checks within the budget' },
    { command: 'view --api-only', does: 'the API without the page' },
    { command: 'view --config coordinators/*/rankledger.yaml', does: 'the projects of several databases as one' },
  ],
  readsConfig: 'several',
  leavesOutBroken: true, // a mistake in one project closes no other client's page
  isLongRunning: true,
  asksServices: () => false,
  describe,
  async run(context) {
    const { configFiles, host, flags, json, out, err, signal, withApps } = context;
    const { edit, ...options } = flags(describe);
    if (edit === true && configFiles.length > 1)
      throw usageError('--edit changes the files of one config: name one with --config.');
    const editing: Editing | undefined =
      edit === true
        ? {
            openEdits: (await import('../../app/workspace/editor.ts')).openEdits,
            host: await openEditorHost(context),
          }
        : undefined;
    await withApps(
      async ([app, ...others]) => {
        const workspace = await view(app, { ...options, editing, others });
        try {
          if (json) out.line(JSON.stringify({ url: workspace.url }));
          else out.line(`Serving the workspace at ${workspace.url}, its API at ${workspace.url}/docs`);
          if (options.open && !(await openBrowser(workspace.url, host.env)))
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
