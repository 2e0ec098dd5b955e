// Runs whose process was killed while its pid is still in the process table: reused, or that of a zombie.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { processNameOf } from '../../../src/service/index.ts';
import { jobArguments, jobAt, jobProject } from '../../helpers/killed-job.ts';
import { startUnreaped } from '../../helpers/zombie.ts';
import type { Random } from '../../simulation/random.ts';
import type { Fault, Injection } from './fault.ts';
import { daily, inScene, type Scene } from './scene.ts';

const needsProc = (): string | null => (process.platform === 'linux' ? null : 'there is no /proc on this system');

export const pidReuse: Fault = {
  name: 'pid reuse',
  plant: 'a process whose pid was reused has ended',
  rounds: { quick: 0, plant: 1, full: 8 },
  missing: needsProc,
  inject: (random) =>
    aroundDeath(random, async (scene, pagesBefore) => {
      const successor = spawn('sleep', ['600'], { stdio: 'ignore' });
      // the dead process had the pid of its successor, and was started at another time
      const owner = processNameOf(successor.pid ?? 0).replace(/~\d+\|/, `~${random.whole(1, 1000)}|`);
      const args = jobArguments(scene.file, scene.reports, scene.provider, owner);
      const job = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      await scene.provider.untilRequests(pagesBefore);
      job.kill('SIGKILL');
      await once(job, 'exit');
      return () => void successor.kill('SIGKILL');
    }),
};

export const zombies: Fault = {
  name: 'zombies',
  plant: 'a zombie is a process that has ended',
  rounds: { quick: 0, plant: 1, full: 8 },
  missing: needsProc,
  inject: (random) =>
    aroundDeath(random, async (scene, pagesBefore) => {
      const job = await startUnreaped(process.execPath, ...jobArguments(scene.file, scene.reports, scene.provider));
      await scene.provider.untilRequests(pagesBefore);
      await job.kill();
      return () => job.remove();
    }),
};

type Kill = (scene: Scene, pagesBefore: number) => Promise<() => void>;

/** A process dies while it buys; less than a minute later another one runs what is due. */
async function aroundDeath(random: Random, kill: Kill): Promise<Injection> {
  const projects = [{ ...jobProject, schedule: '0 6 * * *' }, ...daily.slice(1)];
  return await inScene({ projects }, async (scene) => {
    const pages = jobProject.keywords.length * 2;
    const remove = await kill(scene, random.whole(1, pages - 4));
    try {
      const world = scene.world();
      await scene.due(world, jobAt + random.whole(1, 40) * 1000);
      return { injected: 1, violations: scene.violations(world, [jobAt]) };
    } finally {
      remove();
    }
  });
}
