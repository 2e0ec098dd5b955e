// `npx node test/mutations/main.ts` plants one bug after the other in a copy of the project and sees whether the tests catch it. `--only TEXT` takes some.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Garden } from './garden.ts';
import { type Plant, plants } from './plants.ts';

type Verdict = 'caught' | 'SURVIVED' | 'does not apply' | 'breaks the tests themselves';

interface Outcome {
  readonly plant: Plant;
  readonly verdict: Verdict;
}

/** Plants the bug, runs its tests, takes it out again. */
async function judge(garden: Garden, plant: Plant): Promise<Outcome> {
  const result = await garden.withPlant(plant, () => garden.test(plant.tests, 1));
  if (result === null) return { plant, verdict: 'does not apply' };
  if (result.red.length > 0) return { plant, verdict: 'caught' };
  return { plant, verdict: result.passed > 0 ? 'SURVIVED' : 'breaks the tests themselves' };
}

/** Works the list off in as many gardens as there are cores. */
async function judgeAll(list: readonly Plant[]): Promise<Outcome[]> {
  const left = [...list];
  const outcomes: Outcome[] = [];
  const workOff = async (): Promise<void> => {
    const garden = new Garden();
    try {
      for (let plant = left.shift(); plant !== undefined; plant = left.shift()) {
        const outcome = await judge(garden, plant);
        outcomes.push(outcome);
        process.stderr.write(`${outcome.verdict}: ${plant.invariant}\n`);
      }
    } finally {
      garden.remove();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, workOff));
  return list.flatMap((plant) => outcomes.find((outcome) => outcome.plant === plant) ?? []);
}

/** Without a bug everything is green: otherwise nothing that is red below would prove anything. */
async function redWithoutBugs(list: readonly Plant[]): Promise<readonly string[]> {
  const garden = new Garden();
  try {
    const { red, passed } = await garden.test([...new Set(list.flatMap(({ tests }) => tests))]);
    return passed > 0 ? red : ['no test could be run'];
  } finally {
    garden.remove();
  }
}

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const chosen = plants.filter(({ invariant, file }) => `${invariant} ${file}`.includes(values.only));
const red = await redWithoutBugs(chosen);
if (chosen.length === 0 || red.length > 0) {
  console.error(chosen.length === 0 ? 'There is no such plant.' : 'Red without any bug; make these green first:');
  for (const name of red) console.error(`  ${name}`);
  process.exitCode = 1;
} else {
  const outcomes = await judgeAll(chosen);
  console.table(outcomes.map(({ plant, verdict }) => ({ invariant: plant.invariant, verdict })));
  const caught = outcomes.filter(({ verdict }) => verdict === 'caught').length;
  console.log(`${caught}/${chosen.length} caught`);
  if (caught < chosen.length) process.exitCode = 1;
}
