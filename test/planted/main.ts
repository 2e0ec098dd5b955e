// `npx node test/planted/main.ts` plants one bug after the other in a copy of the project and sees whether the tests catch it. `--only TEXT` takes some.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFiles } from '../helpers/files.ts';
import { type Plant, plants } from './plants.ts';

type Verdict = 'caught' | 'SURVIVED' | 'does not apply' | 'breaks the tests themselves';

interface Outcome {
  readonly plant: Plant;
  readonly verdict: Verdict;
  readonly redTests: number;
}

interface TestResult {
  /** Names of red tests. */
  readonly red: readonly string[];
  readonly passed: number;
}

/** What is read of vitest's report. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Tests that take longer hang, which is red as well. */
const limitMs = 4 * 60_000;

/** A copy of the project, with its packages linked in. Bugs are planted here only. */
class Garden {
  readonly #folder: string;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'rankledger-planted-'));
    for (const file of projectFiles()) {
      mkdirSync(join(this.#folder, dirname(file)), { recursive: true });
      cpSync(file, join(this.#folder, file));
    }
    symlinkSync(resolve('node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Plants the bug, runs its tests, takes it out again. */
  async judge(plant: Plant): Promise<Outcome> {
    const file = join(this.#folder, plant.file);
    const sound = readFileSync(file, 'utf8');
    if (sound.split(plant.find).length !== 2) return { plant, verdict: 'does not apply', redTests: 0 };
    const tests = plant.tests.filter((test) => existsSync(join(this.#folder, test)));
    writeFileSync(
      file,
      sound.replace(plant.find, () => plant.replace),
    );
    try {
      const { red, passed } = await this.test(tests);
      if (red.length > 0) return { plant, verdict: 'caught', redTests: red.length };
      return { plant, verdict: passed > 0 ? 'SURVIVED' : 'breaks the tests themselves', redTests: 0 };
    } finally {
      writeFileSync(file, sound);
    }
  }

  /** Runs test files; a test that is red counts, a file that cannot even be read does not. */
  async test(files: readonly string[]): Promise<TestResult> {
    const report = join(this.#folder, 'planted.json');
    rmSync(report, { force: true });
    const runner = join(this.#folder, 'node_modules', 'vitest', 'vitest.mjs');
    const options = [
      'run',
      '--reporter=json',
      `--outputFile=${report}`,
      '--maxWorkers=1',
      '--testTimeout=120000',
      ...files,
    ];
    const child = spawn(process.execPath, [runner, ...options], { cwd: this.#folder, stdio: 'ignore' });
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
    const [, signal] = await once(child, 'exit');
    clearTimeout(limit);
    if (signal === 'SIGKILL') return { red: ['the tests never end'], passed: 0 };
    if (!existsSync(report)) return { red: [], passed: 0 };
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    const red = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    return { red, passed: numPassedTests };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Works the list off in as many gardens as there are cores. */
async function judgeAll(list: readonly Plant[]): Promise<Outcome[]> {
  const left = [...list];
  const outcomes: Outcome[] = [];
  const workOff = async (): Promise<void> => {
    const garden = new Garden();
    try {
      for (let plant = left.shift(); plant !== undefined; plant = left.shift()) {
        const outcome = await garden.judge(plant);
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
  console.table(
    outcomes.map(({ plant, verdict, redTests }) => ({ invariant: plant.invariant, verdict, 'red tests': redTests })),
  );
  const caught = outcomes.filter(({ verdict }) => verdict === 'caught').length;
  console.log(`${caught}/${chosen.length} caught`);
  if (caught < chosen.length) process.exitCode = 1;
}
