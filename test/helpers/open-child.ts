// Opens a database on request and writes a row: node open-child.ts FILE, then a line on stdin.
import { once } from 'node:events';
import { openStore } from '../../db/store.ts';

process.stdout.write('ready');
await once(process.stdin, 'data');
try {
  // however slow the machine is, the others wait while one migrates
  const store = openStore(process.argv[2] ?? '', undefined, { busyTimeoutMs: 60_000 });
  store.transaction(() => store.names.keywordId(`of ${process.pid}`));
  store.close();
  process.stdout.write('opened');
} catch (error) {
  process.stdout.write(String(error));
}
