// Serves requests on the account "acme": node account-child.ts DATABASE REQUESTS MODE, then a line on stdin.
import { once } from 'node:events';
import { openStore } from '../../db/store.ts';
import { createSearchDataService, ServiceError, systemClock } from '../../src/service/index.ts';
import { memorySource, pageOf } from './memory-source.ts';

// `work`: every third request fails; prints the outcomes. `hang`: answers none until it is killed.
const [file = '', requests = '', mode = ''] = process.argv.slice(2);
process.stdout.write('ready');
await once(process.stdin, 'data');
const store = openStore(file, undefined, { busyTimeoutMs: 60_000 });
let asked = 0;
const source = memorySource({
  page: async (request) => {
    asked += 1;
    if (mode === 'hang' && asked === Number(requests)) process.stdout.write('charged');
    if (mode === 'hang') return await new Promise<never>(() => setInterval(() => {}, 1000));
    if (Number(request.keyword) % 3 === 0) throw new ServiceError('SERP_FAILED', 'No page today.');
    return pageOf(request);
  },
});
const service = createSearchDataService({ source, clock: systemClock, accounts: store.accounts });
const counts = { paid: 0, failed: 0, refused: 0 };
await Promise.all(
  Array.from({ length: Number(requests) }, async (_, index) => {
    const options = {
      caller: { kind: 'trusted', account: 'acme' },
      idempotencyKey: `${process.pid}-${index}`,
    } as const;
    try {
      await service.serp({ keyword: `${index + 1}`, end_page: 2 }, options);
      counts.paid += 1;
    } catch (error) {
      counts[(error as ServiceError).code === 'INSUFFICIENT_CREDITS' ? 'refused' : 'failed'] += 1;
    }
  }),
);
await service.close();
store.close();
process.stdout.write(JSON.stringify(counts));
