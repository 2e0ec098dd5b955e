// `services.<name>.checkClock`: a provider whose `Date` headers are always wrong stops nothing once its service says so.
import { afterEach, describe, expect, it } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { WitnessedClock } from '../../../src/service/index.ts';
import { invoke } from '../../cli/fake-host.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const dayMs = 24 * 3_600_000;
/** Years before the `Date` headers of the provider, which runs on the clock of this machine. */
const firstDay = Date.UTC(2020, 0, 15, 7);

let provider: Provider;
let folder: ProjectFolder;
afterEach(async () => {
  await provider.close();
  folder.remove();
});

/** Calls `run` on the day; in a new process. */
async function runOn(day: number) {
  const now = firstDay + day * dayMs;
  const clock = new WitnessedClock(new JobClock(now));
  const { exitCode, out, err } = await invoke(['run', '--json'], {
    cwd: folder.path,
    now,
    env: { SERVICE_USER: provider.user, SERVICE_PASSWORD: provider.password },
    openApp: (config, options) => openApp(config, { ...options, clock }),
  });
  return { exitCode, out, err };
}

async function place(checkClock: string): Promise<void> {
  provider = await startProvider();
  folder = projectFolder(`services:
  default:
    mode: remote
    baseUrl: "${provider.url}"
    user: \${SERVICE_USER}
    password: \${SERVICE_PASSWORD}
    ${checkClock}
budget: { serpCredits: { perRun: 100 } }
projects: [{ id: acme, targets: [acme.example], schedule: "0 6 * * *", depth: 1, keywords: [shoes] }]
`);
}

describe('the only provider of a config, whose Date headers are years off,', () => {
  it('stops the runs after the first, whose hint names the key', async () => {
    await place('');
    const first = await runOn(0);
    expect(first).toMatchObject({ exitCode: 3, out: expect.stringContaining('the clock of this machine is') });
    const week = await runOn(7);
    expect(week).toMatchObject({ exitCode: 1, err: expect.stringContaining('no slot was claimed') });
    expect(week.err).toContain('checkClock: false');
    expect(provider.sold.serpCredits).toBe(1);
  });

  it('stops nothing with `checkClock: false`', async () => {
    await place('checkClock: false');
    const exitCodes = [await runOn(0), await runOn(1), await runOn(8)].map(({ exitCode }) => exitCode);
    expect(exitCodes).toEqual([0, 0, 0]);
    expect(provider.sold.serpCredits).toBe(3);
  });
});
