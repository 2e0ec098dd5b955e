// A process that asks a source for ordinary pages and then for hostile ones, and tells what each took at most: node --expose-gc hungry-child.ts SOURCE OPTIONS COUNT.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createSearchDataService, createSource, type ServiceError, systemClock } from '../../src/service/index.ts';

/**
 * Memory in use now and at most, in MiB. `resourceUsage().maxRSS` is no use here: a process inherits the one of the process that started it. Where the
 * system does not tell, it is what is in use now.
 */
const memory = '/proc/self/status';
const isTold = existsSync(memory);
function memoryMiB(name: 'VmRSS' | 'VmHWM'): number {
  if (!isTold) return process.memoryUsage.rss() / 1024 ** 2;
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(memory, 'utf8'))?.[1]) / 1024;
}

const [source = '', options = '{}', count = '1'] = process.argv.slice(2);
const service = createSearchDataService({
  source: await createSource(source, JSON.parse(options), { clock: systemClock }),
  clock: systemClock,
});
const ask = (keyword: string) =>
  service.serp({ keyword }).then(
    () => 'sold',
    (error: ServiceError) => [error.code, error.reason ?? '', error.charged].join(' ').replace('  ', ' '),
  );
const warm = new Set<string>();
for (let nth = 0; nth < 20; nth++) warm.add(await ask('warm'));
const baseline = memoryMiB('VmRSS');
const told: { outcome: string; ms: number; moreMiB: number }[] = [];
for (let nth = 0; nth < Number(count); nth++) {
  // what earlier ones left to be collected is not this one's; the highest mark begins anew
  globalThis.gc?.();
  if (isTold) writeFileSync('/proc/self/clear_refs', '5');
  const startedAt = performance.now();
  const outcome = await ask(`hostile ${nth}`);
  const ms = Math.round(performance.now() - startedAt);
  told.push({ outcome, ms, moreMiB: Math.max(0, Math.round(memoryMiB('VmHWM') - baseline)) });
}
process.stdout.write(JSON.stringify({ warm: [...warm].join(), told }));
await service.close();
