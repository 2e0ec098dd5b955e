// Report folders that are missing or are files: everything due is bought, and the reports are written once possible.
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Fault } from './fault.ts';
import { daily, dayMs, firstSlot, inScene, type Scene } from './scene.ts';

/** Each breaks the folders and returns the repair. */
const breaks: Readonly<Record<string, (scene: Scene) => () => void>> = {
  'a file takes the path of a project folder': ({ reports }) => {
    const folder = join(reports, 'acme');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(reports, { recursive: true });
    writeFileSync(folder, '');
    return () => rmSync(folder);
  },
  'a file takes the path of the reports folder': ({ reports }) => {
    rmSync(reports, { recursive: true, force: true });
    writeFileSync(reports, '');
    return () => rmSync(reports);
  },
  'the folder of a project leads nowhere': ({ reports }) => {
    const folder = join(reports, 'acme');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(reports, { recursive: true });
    symlinkSync(join(reports, 'gone', 'away'), folder);
    return () => rmSync(folder);
  },
  'the folder of all reports was deleted': ({ reports }) => {
    rmSync(reports, { recursive: true, force: true });
    return () => undefined;
  },
  'the folder of all reports is a link to a folder that was moved': ({ reports }) => {
    const moved = join(dirname(reports), 'moved');
    if (existsSync(reports)) renameSync(reports, moved);
    else mkdirSync(moved);
    symlinkSync(join(dirname(reports), 'before', 'moved'), reports);
    return () => {
      rmSync(reports);
      renameSync(moved, reports);
    };
  },
};
const names = Object.keys(breaks);

export const reportFolder: Fault = {
  name: 'missing report folder',
  plant: 'a report that cannot be written stops nothing else',
  rounds: { quick: 1, plant: names.length, full: 3 * names.length },
  inject: (random, round) =>
    inScene({}, async (scene) => {
      const name = names[round % names.length] ?? '';
      const world = scene.world();
      const violations: string[] = [];
      const days = random.whole(3, 6);
      const from = random.whole(0, days - 2);
      const until = random.whole(from + 1, days - 1);
      const slots = Array.from({ length: days }, (_, day) => firstSlot + day * dayMs);
      let repair: () => void = () => undefined;
      for (const [day, at] of slots.entries()) {
        if (day === from) repair = breaks[name]?.(scene) ?? repair;
        if (day === until) repair();
        await scene
          .due(world, at)
          .catch((error: unknown) => violations.push(`day ${day + 1} failed: ${String(error)}`));
      }
      for (const { part, project } of world.store.reportFailures.all(10))
        violations.push(`the ${part} of ${project} was never written`);
      for (const { id } of daily)
        if (!existsSync(join(scene.reports, id, 'latest', 'manifest.json'))) violations.push(`${id} has no report`);
      violations.push(...scene.violations(world, slots));
      return { injected: 1, violations: violations.map((words) => `${name}: ${words}`) };
    }),
};
