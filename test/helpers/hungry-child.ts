// Requests ordinary pages and then hostile ones, and prints what each took: node --expose-gc FILE SOURCE OPTIONS COUNT.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createSearchDataService, createSource, type ServiceError, systemClock } from '../../src/service/index.ts';

/**
 * Memory in use now and its peak, in MiB. `resourceUsage().maxRSS` is inherited from the process that started this one.
 * If the system does not report the peak, it is what is in use now.
 */
const memory = '/proc/self/status';
const hasStatus = existsSync(memory);
function memoryMiB(name: 'VmRSS' | 'VmHWM'): number {
  if (!hasStatus) return process.memoryUsage.rss() / 1024 ** 2;
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
const measured: { outcome: string; ms: number; moreMiB: number }[] = [];
for (let nth = 0; nth < Number(count); nth++) {
  // garbage of earlier answers is collected first, and the peak is reset
  globalThis.gc?.();
  if (hasStatus) writeFileSync('/proc/self/clear_refs', '5');
  const startedAt = performance.now();
  const outcome = await ask(`hostile ${nth}`);
  const ms = Math.round(performance.now() - startedAt);
  measured.push({ outcome, ms, moreMiB: Math.max(0, Math.round(memoryMiB('VmHWM') - baseline)) });
}
process.stdout.write(JSON.stringify({ warm: [...warm].join(), measured }));
await service.close();
