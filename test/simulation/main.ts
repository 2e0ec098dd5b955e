// `npx node test/simulation/main.ts --seed N` repeats one month and prints its problems; `--seeds N` runs N months.
import { parseArgs } from 'node:util';
import { MonthRunner } from './month.ts';
import { Sometimes } from './sometimes.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    days: { type: 'string', default: '30' },
  },
});
const months = new MonthRunner();
const first = Number(values.seed ?? 1);
const sometimes = new Sometimes();
const startedAt = performance.now();
for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
  const month = await months.runMonth(seed, Number(values.days));
  sometimes.merge(month.counts);
  if (values.seed !== undefined || month.problems.length > 0) console.log(JSON.stringify(month.options));
  for (const problem of month.problems) console.log(`seed ${seed}: ${problem}`);
  if (month.problems.length > 0) process.exitCode = 1;
}
console.table(sometimes.counts);
console.log(`${values.seeds} seeds x ${values.days} days in ${Math.round(performance.now() - startedAt)} ms`);
months.close();
