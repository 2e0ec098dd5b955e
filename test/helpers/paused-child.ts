// A command that stops after it has opened the database, until a line on stdin: node paused-child.ts ARGUMENTS.
import { once } from 'node:events';
import { main, terminalHost } from '../../src/cli/main.ts';

const host = terminalHost();
process.exitCode = await main(process.argv.slice(2), {
  ...host,
  async openApp(config, options) {
    const app = await host.openApp(config, options);
    process.stdout.write('opened\n');
    await once(process.stdin, 'data');
    process.stdin.destroy();
    return app;
  },
});
