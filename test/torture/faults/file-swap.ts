// A database file that is swapped, deleted or separated from its log during a run: buying stops until it is back.
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { fileFaults } from '../../helpers/file-faults.ts';
import type { Random } from '../../simulation/random.ts';
import type { Fault, Injection } from './fault.ts';
import { daily, firstSlot, inScene, keywordsEach, type Scene } from './scene.ts';

const inFlight = 3;
const names = Object.keys(fileFaults);

export const fileSwap: Fault = {
  name: 'inode swap',
  plant: 'nothing is bought after the database was deleted, renamed or replaced',
  rounds: { quick: 1, plant: names.length, full: 3 * names.length },
  inject: (random, round) => {
    const name = names[round % names.length] ?? '';
    const strikeAt = random.whole(1, daily.length * keywordsEach - inFlight - 1);
    let strike: () => void = () => undefined;
    const fault = (nth: number) => {
      if (nth === strikeAt) strike();
      return 'ok' as const;
    };
    return inScene({ provider: { fault } }, async (scene) => {
      strike = () => {
        keep(scene.file);
        fileFaults[name]?.(scene.file);
      };
      const { injected, violations } = await aroundSwap(scene, random, strikeAt);
      return { injected, violations: violations.map((words) => `the file ${name}: ${words}`) };
    });
  },
};

/** What the operator restores later: the file and its log from the moment before. */
function keep(file: string): void {
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, `${file}.kept${suffix}`);
}

function putBack(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  for (const suffix of ['', '-wal']) copyFileSync(`${file}.kept${suffix}`, file + suffix);
}

async function aroundSwap(scene: Scene, random: Random, strikeAt: number): Promise<Injection> {
  const violations: string[] = [];
  const struck = scene.world({ concurrency: inFlight });
  const code = await scene.due(struck, firstSlot).then(
    () => 'no error',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
  if (code !== 'DATABASE_REPLACED') violations.push(`the run ended with ${code}`);
  const after = scene.provider.requests.length - strikeAt;
  if (after >= inFlight) violations.push(`${after} pages were asked for after that`);
  await scene.leave(struck).catch(() => undefined);
  if (!existsSync(`${scene.file}.kept`)) return { injected: 0, violations: ['the fault did not happen'] };

  putBack(scene.file);
  const world = scene.world();
  await scene.due(world, firstSlot + random.whole(2, 300) * 60_000);
  return { injected: 1, violations: [...violations, ...scene.violations(world, [firstSlot])] };
}
