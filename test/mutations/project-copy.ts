// A copy of the project in which bugs are planted, and the results of its tests and programs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { projectFiles } from '../helpers/files.ts';
import type { Plant } from './plants.ts';

export interface TestResult {
  /** Names of failed tests. */
  readonly red: readonly string[];
  readonly passed: number;
}

/** The part of vitest's report that is read. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A program or test file that takes longer hangs, which counts as failed. */
const limitMs = 4 * 60_000;

/** A copy of the project with linked packages. Only copies get bugs. */
export class ProjectCopy {
  readonly #folder: string;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'rankledger-planted-'));
    for (const file of projectFiles()) {
      mkdirSync(join(this.#folder, dirname(file)), { recursive: true });
      cpSync(file, join(this.#folder, file));
    }
    symlinkSync(resolve('node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Runs the work while the bug is planted. Null if the bug does not apply. */
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

  /** Runs a program of the copy and returns its output; null if it does not end within four minutes. */
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

  /** Runs test files until `failuresMax` tests failed (0: all of them). Failed tests count, unreadable files do not. */
  async test(files: readonly string[], failuresMax = 0): Promise<TestResult> {
    const byMode = Map.groupBy(files, (file) => (file.endsWith('.long.test.ts') ? 'long' : 'test'));
    const results: TestResult[] = [];
    for (const [mode, of] of byMode) results.push(await this.#testIn(mode, of, failuresMax));
    return {
      red: results.flatMap(({ red }) => red),
      passed: results.reduce((sum, { passed }) => sum + passed, 0),
    };
  }

  async #testIn(mode: string, files: readonly string[], failuresMax: number): Promise<TestResult> {
    const report = join(this.#folder, 'planted.json');
    rmSync(report, { force: true });
    const runner = join(this.#folder, 'node_modules', 'vitest', 'vitest.mjs');
    const options = [
      'run',
      `--mode=${mode}`,
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

/** False if it had to be killed. */
async function endsInTime(child: ChildProcess, withinMs: number): Promise<boolean> {
  const limit = setTimeout(() => child.kill('SIGKILL'), withinMs);
  const [, signal] = await once(child, 'close');
  clearTimeout(limit);
  return signal !== 'SIGKILL';
}
