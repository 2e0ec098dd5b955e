// A process that asks a source for one page after warming up, and tells how much memory and time that took at most: node hungry-child.ts SOURCE OPTIONS PATH.
import { createSearchDataService, createSource, type ServiceError, systemClock } from '../../src/service/index.ts';

const [source = '', options = '{}'] = process.argv.slice(2);
const service = createSearchDataService({
  source: await createSource(source, JSON.parse(options), { clock: systemClock }),
  clock: systemClock,
});
const ask = (keyword: string) =>
  service.serp({ keyword }).then(
    () => 'sold',
    (error: ServiceError) => [error.code, error.reason ?? '', error.charged].join(' ').replace('  ', ' '),
  );
for (let nth = 0; nth < 10; nth++) await ask('warm');
const peakMiB = () => process.resourceUsage().maxRSS / 1024;
const before = peakMiB();
const startedAt = performance.now();
const outcome = await ask('hostile');
const ms = performance.now() - startedAt;
process.stdout.write(JSON.stringify({ outcome, ms: Math.round(ms), moreMiB: Math.round(peakMiB() - before) }));
await service.close();
