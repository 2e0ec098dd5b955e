// A process dies, or its disk is full, at every call that writes a report: readers find a complete old or new report.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inTemporaryFolder } from './folder.ts';
import type { Fault, ReportsOrder } from './reports-child.ts';
import { recordTwoRuns } from './reports-world.ts';

const child = fileURLToPath(new URL('./reports-child.ts', import.meta.url));

/** The report before, and the one that is written then. */
const scenes = {
  /** The report of the next slot, next to the previous one. */
  next: { before: { runId: 1, compare: 'previous' }, after: { runId: 2, compare: 'previous' } },
  /** The report of the same slot again, replacing the first. */
  again: { before: { runId: 2, compare: 'previous' }, after: { runId: 2, compare: '7d' } },
} as const;

type SceneName = keyof typeof scenes;
type ExpectedReport = (typeof scenes)[SceneName]['before' | 'after'];

interface Injection {
  readonly scene: SceneName;
  readonly fault: Exclude<Fault, 'none'>;
  readonly nth: number;
}

export interface ReportsTortureOptions {
  readonly quick?: boolean;
  /** Default: 200, 20 in the quick form. They are spread over all calls, scenes and faults. */
  readonly injections?: number;
  readonly parallel?: number;
}

/** Returns the number of violations. */
export async function reportsTorture(
  report: (line: string) => void,
  { quick = false, injections = quick ? 20 : 200, parallel = 2 }: ReportsTortureOptions = {},
): Promise<number> {
  return inTemporaryFolder(async (folder) => {
    const database = join(folder, 'db.sqlite');
    await recordTwoRuns(database, join(folder, 'first'));
    const calls: Partial<Record<SceneName, number>> = {};
    for (const [name, { before, after }] of Object.entries(scenes) as [SceneName, (typeof scenes)[SceneName]][]) {
      const reports = join(folder, name);
      await written({ database, reports, ...before, fault: 'none', nth: 0 });
      const copy = join(folder, `${name}-whole`);
      cpSync(reports, copy, { recursive: true, verbatimSymlinks: true });
      calls[name] = await written({ database, reports: copy, ...after, fault: 'none', nth: 0 });
    }
    const violations: string[] = [];
    const left = spread(calls, injections);
    const total = left.length;
    const worker = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const { scene, fault, nth } = next;
        for (const line of await inject(folder, database, next))
          violations.push(`${scene} ${fault} at call ${nth}: ${line}`);
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    for (const line of violations) report(`reports: VIOLATION ${line}`);
    const failed = new Set(violations.map((line) => line.split(':')[0])).size;
    report(`reports: the old report or the new one after ${total - failed} of ${total} deaths and full disks`);
    return violations.length;
  });
}

/** Calls of all scenes and faults, evenly. */
function spread(calls: Readonly<Partial<Record<SceneName, number>>>, injections: number): Injection[] {
  const all = (Object.keys(scenes) as SceneName[]).flatMap((scene) =>
    (['death', 'full', 'half'] as const).flatMap((fault) =>
      Array.from({ length: calls[scene] ?? 0 }, (_, at) => ({ scene, fault, nth: at + 1 })),
    ),
  );
  const count = Math.min(injections, all.length);
  return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]).filter(
    (each) => each !== undefined,
  );
}

async function inject(folder: string, database: string, { scene, fault, nth }: Injection): Promise<string[]> {
  const { before, after } = scenes[scene];
  const reports = join(folder, `${scene}-${fault}-${nth}`);
  mkdirSync(reports);
  cpSync(join(folder, scene), reports, { recursive: true, verbatimSymlinks: true });
  const problems: string[] = [];
  const said = await outputOf({ database, reports, ...after, fault, nth });
  if (fault === 'full' && !/^(refused .*the disk is full|written )/.test(said.text))
    problems.push(`it said ${said.text}`);
  if (fault !== 'full' && said.signal !== 'SIGKILL') problems.push(`it ended with ${said.signal ?? said.text}`);
  const project = join(reports, 'acme');
  const shown = reportIn(join(project, 'latest'));
  if (!isOneOf(shown, [before, after])) problems.push(`latest is ${shown}`);
  for (const name of readdirSync(project)) {
    if (name.startsWith('.') || name === 'latest') continue;
    const found = reportIn(join(project, name));
    if (!isOneOf(found, [before, after])) problems.push(`${name} is ${found}`);
  }
  await written({ database, reports, ...after, fault: 'none', nth: 0 });
  const healed = reportIn(join(project, 'latest'));
  if (!isOneOf(healed, [after])) problems.push(`after it was written again, latest is ${healed}`);
  rmSync(reports, { recursive: true });
  return problems;
}

function isOneOf(found: string, expected: readonly ExpectedReport[]): boolean {
  return expected.some(({ runId, compare }) => found === `run ${runId} against ${compare}`);
}

/** `run 2 against previous`, or what is wrong with the report. */
function reportIn(folder: string): string {
  if (!existsSync(join(folder, 'manifest.json'))) return 'no report';
  const { run, compare, files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    readonly run: { readonly id: number };
    readonly compare: string;
    readonly files: readonly { readonly name: string; readonly sha256: string }[];
  };
  for (const { name, sha256 } of files) {
    if (!existsSync(join(folder, name))) return `without ${name}`;
    const found = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    if (found !== sha256) return `with another ${name} than its manifest says`;
  }
  return `run ${run.id} against ${compare}`;
}

/** The number of calls it took. */
async function written(order: ReportsOrder): Promise<number> {
  const { text } = await outputOf(order);
  const calls = /^written (\d+)$/.exec(text)?.[1];
  if (calls === undefined) throw new Error(`the report could not be written: ${text}`);
  return Number(calls);
}

async function outputOf(order: ReportsOrder): Promise<{ readonly text: string; readonly signal: string | null }> {
  const started = spawn(process.execPath, [child, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  const [, signal] = (await once(started, 'close')) as [number | null, string | null];
  return { text: text.trim(), signal };
}
