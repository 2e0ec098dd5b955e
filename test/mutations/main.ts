// `npx node test/mutations/main.ts` plants each bug in a copy of the project and checks that the tests catch it.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Plant, plants } from './plants.ts';
import { ProjectCopy } from './project-copy.ts';

type Verdict = 'caught' | 'SURVIVED' | 'does not apply' | 'breaks the tests themselves';

interface Outcome {
  readonly plant: Plant;
  readonly verdict: Verdict;
}

/** Plants the bug, runs its tests, removes it. */
async function judge(copy: ProjectCopy, plant: Plant): Promise<Outcome> {
  const result = await copy.withPlant(plant, () => copy.test(plant.tests, 1));
  if (result === null) return { plant, verdict: 'does not apply' };
  if (result.red.length > 0) return { plant, verdict: 'caught' };
  return { plant, verdict: result.passed > 0 ? 'SURVIVED' : 'breaks the tests themselves' };
}

/** Judges all plants, in as many copies as there are cores. */
async function judgeAll(list: readonly Plant[]): Promise<Outcome[]> {
  const left = [...list];
  const outcomes: Outcome[] = [];
  const workOff = async (): Promise<void> => {
    const copy = new ProjectCopy();
    try {
      for (let plant = left.shift(); plant !== undefined; plant = left.shift()) {
        const outcome = await judge(copy, plant);
        outcomes.push(outcome);
        process.stderr.write(`${outcome.verdict}: ${plant.invariant}\n`);
      }
    } finally {
      copy.remove();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, workOff));
  return list.flatMap((plant) => outcomes.find((outcome) => outcome.plant === plant) ?? []);
}

/** Without a bug all tests pass: otherwise a failed test would prove nothing. */
async function redWithoutBugs(list: readonly Plant[]): Promise<readonly string[]> {
  const copy = new ProjectCopy();
  try {
    const { red, passed } = await copy.test([...new Set(list.flatMap(({ tests }) => tests))]);
    return passed > 0 ? red : ['no test could be run'];
  } finally {
    copy.remove();
  }
}

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const chosen = plants.filter(({ invariant, file }) => `${invariant} ${file}`.includes(values.only));
const red = await redWithoutBugs(chosen);
if (chosen.length === 0 || red.length > 0) {
  console.error(
    chosen.length === 0 ? 'There is no such plant.' : 'These tests fail without any bug; repair them first:',
  );
  for (const name of red) console.error(`  ${name}`);
  process.exitCode = 1;
} else {
  const outcomes = await judgeAll(chosen);
  console.table(outcomes.map(({ plant, verdict }) => ({ invariant: plant.invariant, verdict })));
  const caught = outcomes.filter(({ verdict }) => verdict === 'caught').length;
  console.log(`${caught}/${chosen.length} caught`);
  if (caught < chosen.length) process.exitCode = 1;
}
