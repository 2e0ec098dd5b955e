// A copy of the project in which bugs are planted, and what the tests and programs of the copy say then.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { projectFiles } from '../helpers/files.ts';
import type { Plant } from './plants.ts';

export interface TestResult {
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

/** A program or test file that takes longer hangs, which is red as well. */
const limitMs = 4 * 60_000;

/** A copy of the project, with its packages linked in. Bugs are planted here only. */
export class Garden {
  readonly #folder: string;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'rankledger-planted-'));
    for (const file of projectFiles()) {
      mkdirSync(join(this.#folder, dirname(file)), { recursive: true });
      cpSync(file, join(this.#folder, file));
    }
    symlinkSync(resolve('node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Does the work while the bug is planted. Null where the bug does not fit. */
  async withPlant<T>(plant: Plant, work: () => Promise<T>): Promise<T | null> {
    const file = join(this.#folder, plant.file);
    const sound = readFileSync(file, 'utf8');
    if (sound.split(plant.find).length !== 2) return null;
    writeFileSync(
      file,
      sound.replace(plant.find, () => plant.replace),
    );
    try {
      return await work();
    } finally {
      writeFileSync(file, sound);
    }
  }

  /** Runs a program of the copy and gives what it prints; null where it does not end within four minutes. */
  async run(program: string, ...args: string[]): Promise<string | null> {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    return (await endsInTime(child, limitMs)) ? printed : null;
  }

  /** Runs test files, at most until `failuresMax` tests failed (0: all of them); a test that is red counts, a file that cannot even be read does not. */
  async test(files: readonly string[], failuresMax = 0): Promise<TestResult> {
    const report = join(this.#folder, 'planted.json');
    rmSync(report, { force: true });
    const runner = join(this.#folder, 'node_modules', 'vitest', 'vitest.mjs');
    const options = [
      'run',
      '--reporter=json',
      `--outputFile=${report}`,
      '--maxWorkers=1',
      `--bail=${failuresMax}`,
      '--testTimeout=120000',
      ...files,
    ];
    const child = spawn(process.execPath, [runner, ...options], { cwd: this.#folder, stdio: 'ignore' });
    if (!(await endsInTime(child, files.length * limitMs))) return { red: ['the tests never end'], passed: 0 };
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

/** False where it had to be killed. */
async function endsInTime(child: ChildProcess, withinMs: number): Promise<boolean> {
  const limit = setTimeout(() => child.kill('SIGKILL'), withinMs);
  const [, signal] = await once(child, 'close');
  clearTimeout(limit);
  return signal !== 'SIGKILL';
}
