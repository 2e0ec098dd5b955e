// `services.<name>.account`: our own runs are charged like any other caller, and ledger and account agree.
import { expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openStore } from '../../../db/store.ts';
import { openApp } from '../../../src/app/app.ts';
import { openServices } from '../../../src/app/opening/services.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { ProcessMemory } from '../../../src/service/index.ts';
import { invoke } from '../../cli/fake-host.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';

const now = Date.UTC(2026, 0, 15, 12);

const config = `services:
  default: { mode: embedded, source: sandbox, account: acme }
projects:
  - id: shop
    targets: [acme.com]
    depth: 2
    paging: full
    market: { devices: [desktop, mobile] }
    keywords: [running shoes, trail shoes, walking shoes]
    volumes: { schedule: "0 4 * * *" }
`;

let folder: ProjectFolder;

const go = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (config, options) => openApp(config, { ...options, clock: new SimulatedClock(now) }),
  });

async function json<Document>(...argv: string[]): Promise<Document> {
  return JSON.parse((await go(...argv, '--json')).out) as Document;
}

interface Balance {
  readonly serpCredits: number;
  readonly usd: number;
}

interface Runs {
  readonly runs: readonly {
    readonly kind: string;
    readonly state: string;
    readonly haltReason: string | null;
    readonly serpCredits: { readonly spent: number };
    readonly checks: Readonly<Record<string, number>>;
  }[];
}

/** Owners of open charges, and failed proofs of the audit. */
async function leftOpen() {
  const store = openStore(`${folder.path}/data/rankledger.sqlite`);
  const owners = await store.accounts.listOpenOwners();
  const broken = store.audit.checks().filter(({ ok }) => !ok);
  store.close();
  return { owners, broken };
}

test('a run is charged to the account of its service, credit by credit as in the ledger', async () => {
  folder = projectFolder(config);
  await go('account', 'create', 'acme', '--serp-credits', '100', '--usd', '1');
  const { runs } = await json<Runs>('run', '--all');
  const spent = runs.reduce((sum, run) => sum + run.serpCredits.spent, 0);
  expect(runs[0]?.state).toBe('complete');
  expect(spent).toBe(12);
  expect(await json<Balance>('account', 'show', 'acme')).toMatchObject({ serpCredits: 88 });
  await go('serp', 'running shoes', '--pages', '1-3');
  await go('keywords', 'running shoes', '--limit', '100');
  const after = await json<Balance>('account', 'show', 'acme');
  expect(after.serpCredits).toBe(85);
  expect(after.usd).toBeLessThan(1);
  expect(await leftOpen()).toEqual({ owners: [], broken: [] });
  const audit = await json<{ totals: Record<'serp_credit' | 'micro_usd', { spent: number }> }>('audit');
  expect(audit.totals.serp_credit.spent).toBe(100 - after.serpCredits);
  expect(audit.totals.micro_usd.spent).toBe(1_000_000 - Math.round(after.usd * 1_000_000));
});

test('an account that runs out halts the run: nothing is retried, and after a top-up the next run is complete', async () => {
  folder = projectFolder(config);
  await go('account', 'create', 'acme', '--serp-credits', '5', '--usd', '1');
  const slot = ['run', '--slot', '2026-01-15T06:00Z'];
  const halted = await go(...slot, '--json');
  expect(halted.exitCode).toBe(4);
  const run = (JSON.parse(halted.out) as Runs).runs.find(({ kind }) => kind === 'ranks');
  expect(run).toMatchObject({
    state: 'halted',
    haltReason: expect.stringMatching(/does not have enough credits.* \(service \w+\)$/),
  });
  expect(run?.serpCredits.spent).toBe(5);
  expect(await json<Balance>('account', 'show', 'acme')).toMatchObject({ serpCredits: 0 });
  await go('account', 'credit', 'acme', '--serp-credits', '12');
  const [again] = (await json<Runs>('run', '--all')).runs;
  expect(again).toMatchObject({ state: 'complete', serpCredits: { spent: 12 } });
  expect(await json<Balance>('account', 'show', 'acme')).toMatchObject({ serpCredits: 0 });
  expect(await leftOpen()).toEqual({ owners: [], broken: [] });
});

test('a missing account is reported before anything is bought, with the command that creates it', async () => {
  folder = projectFolder(config);
  const { exitCode, err } = await go('run', '--all');
  expect(exitCode).toBe(2);
  expect(err).toContain('services.default: there is no account "acme"');
  expect(err).toContain('rankledger account create acme');
});

test('a service that charges an account has no AI answers, which accounts are not charged for', async () => {
  folder = projectFolder(config);
  await go('account', 'create', 'acme', '--serp-credits', '5', '--usd', '1');
  const read = await loadConfig({ cwd: folder.path, env: {} });
  const store = openStore(`${folder.path}/data/rankledger.sqlite`);
  const clock = new SimulatedClock(now);
  const memory = new ProcessMemory(clock);
  const services = openServices(read, () => ({ clock, accounts: () => store.accounts, memoryOf: () => memory }));
  expect((await services.open()).size).toBe(0);
  expect(services.byName.get('default')?.answers).toBeUndefined();
  await services.close();
  store.close();
});
