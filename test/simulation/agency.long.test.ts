// An agency's two months: every edit of its config and every trouble of a day, in an order drawn from a seed.
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Agency } from './agency.ts';
import { Random } from './random.ts';

const database = 'data/rankledger.sqlite';
interface Edit {
  readonly name: string;
  /** What happens and what is seen. It ends with a config that is sound, after a good morning. */
  act(agency: Agency): Promise<void>;
}

/** An edit that the config keeps: what `check` and `plan` say of it, and a good morning after it. */
const lasting = (
  name: string,
  change: (agency: Agency) => string,
  says: (what: string) => readonly RegExp[],
): Edit => ({
  name,
  async act(agency) {
    const what = change(agency);
    agency.write();
    const expected = says(what).map((words) => expect.stringMatching(words));
    expect(await agency.foreseen()).toEqual(expected);
    await agency.morning();
    // it is said once
    expect(await agency.foreseen()).toEqual([]);
  },
});

const edits: readonly Edit[] = [
  lasting(
    'another domain',
    (agency) => {
      const one = agency.anyone();
      one.target = agency.otherSite(one);
      return one.id;
    },
    (id) => [
      new RegExp(
        `^project "${id}" no longer tracks \\w+\\.com: the history ends after \\d+ runs, the last on .* begin with the next check, and \`rankledger backfill derive --project ${id}\` adds`,
      ),
    ],
  ),
  lasting(
    'another country',
    (agency) => {
      const one = agency.anyone();
      one.country = agency.random.pick(['AT', 'FR', 'IE'].filter((country) => country !== one.country));
      return one.id;
    },
    (id) => [new RegExp(`^project "${id}" has no searches in .* any more: their history ends.*are new`)],
  ),
  lasting(
    'another language',
    (agency) => {
      const one = agency.anyone();
      one.language = agency.random.pick(['es', 'fr', 'it'].filter((language) => language !== one.language));
      return one.id;
    },
    (id) => [new RegExp(`^project "${id}" has no searches in .* any more: their history ends.*are new`)],
  ),
  lasting(
    'a device less, or another',
    (agency) => {
      const one = agency.anyone();
      one.devices = one.devices.includes('desktop') ? ['mobile'] : ['desktop'];
      return one.id;
    },
    (id) => [new RegExp(`^project "${id}" has no searches in .* any more: their history ends`)],
  ),
  lasting(
    'a keyword respelled',
    (agency) => {
      const [first] = agency.anyone().keywords;
      if (first !== undefined) first.keyword = ` ${first.keyword.toUpperCase()} `.replaceAll(' ', '  ');
      return '';
    },
    () => [],
  ),
  lasting(
    'other tags and a competitor more',
    (agency) => {
      const one = agency.anyone();
      one.tags = ['all', `day-${agency.day}`];
      one.competitors = ['rival.com', agency.otherSite(one)];
      return one.id;
    },
    () => [],
  ),
  lasting(
    'keywords more and less',
    (agency) => {
      const { keywords } = agency.anyone();
      keywords.shift();
      keywords.push({ keyword: `word of day ${agency.day}`, paused: false });
      return '';
    },
    () => [],
  ),
  {
    name: 'a keyword paused, and tracked again',
    async act(agency) {
      const one = agency.anyone();
      const [first] = one.keywords;
      if (first === undefined) return;
      first.paused = true;
      agency.write();
      expect(await agency.foreseen()).toEqual([]);
      const { projects } = JSON.parse((await agency.at('20:00', 'check', '--json')).out);
      expect(projects.find(({ project }: { project: string }) => project === one.id)).toMatchObject({ paused: 1 });
      await agency.morning();
      first.paused = false;
      agency.write();
      expect(await agency.foreseen()).toEqual([]);
      await agency.morning();
      expect(await agency.historyDays(one, first.keyword)).toContain(agency.date);
    },
  },
  {
    name: 'a project removed, and back',
    async act(agency) {
      const at = agency.random.whole(0, agency.clients.length - 1);
      const [gone] = agency.clients.splice(at, 1);
      if (gone === undefined) return;
      agency.write();
      const words = new RegExp(
        `^project "${gone.id}" has \\d+ runs in the database, .* not in the config: its history ends`,
      );
      expect(await agency.foreseen()).toEqual([expect.stringMatching(words)]);
      await agency.morning();
      agency.clients.splice(at, 0, gone);
      agency.write();
      expect(await agency.foreseen()).toEqual([]);
      await agency.morning();
      const days = await agency.historyDays(gone);
      expect(days.length).toBeGreaterThan(1);
    },
  },
  {
    name: 'a project renamed by hand, then with the command that is named',
    async act(agency) {
      const one = agency.anyone();
      const [old, id] = [one.id, `${one.id.replace(/\d+$/, '')}${agency.day}`];
      const days = await agency.historyDays(one);
      one.id = id;
      agency.write();
      const named = `rankledger rename project ${old} ${id}`;
      expect(await agency.foreseen()).toEqual([expect.stringContaining(`run \`${named}\``)]);
      one.id = old;
      agency.write();
      expect((await agency.at('20:30', 'rename', 'project', old, id)).exitCode).toBe(0);
      one.id = id;
      one.formerly.push(old);
      one.file ??= `${old}.csv`;
      expect(await agency.foreseen()).toEqual([]);
      await agency.morning();
      expect((await agency.historyDays(one)).slice(0, days.length)).toEqual(days);
      expect(readdirSync(agency.path(agency.reports))).not.toContain(old);
    },
  },
  {
    name: 'a report folder that cannot be written',
    async act(agency) {
      const before = agency.reports;
      agency.reports = `moved-${agency.day}`;
      writeFileSync(agency.path(agency.reports), '');
      agency.write();
      expect((await agency.at('20:00', 'check', '--online')).exitCode).toBe(1);
      const count = agency.clients.length;
      const unwritten = Array.from({ length: count }, () => /^the run is recorded, but the .* could not be written/);
      const said = await agency.morning({ run: 3, status: 3, alerts: unwritten, without: agency.clients });
      expect(said).toContain('not written');
      rmSync(agency.path(agency.reports));
      const over = Array.from({ length: count }, () => /^over: .* written again/);
      await agency.morning({ alerts: over });
      agency.reports = before;
      agency.write();
    },
  },
  {
    name: 'a vendor down for 14 minutes',
    async act(agency) {
      agency.provider.fault = () => ({ kind: 'status', status: 500 });
      const all = [
        ...agency.clients.map(() => /^nothing was checked: /),
        /^the run failed: .*; \d+ deferred of \d+ searches: .*rankledger backfill ranks --failed$/,
      ];
      const said = await agency.morning({ run: 3, status: 3, alerts: all, without: agency.clients });
      for (const { id } of agency.clients)
        expect(said).toContain(`To repair it now: rankledger backfill ranks --failed --project ${id}`);
      agency.provider.fault = () => undefined;
      expect((await agency.at('06:30', 'plan')).out).toContain('would be tried again');
      expect((await agency.at('06:40', 'run')).exitCode).toBe(0);
      await agency.watch(
        0,
        all.map(() => /^over: /),
      );
      agency.readReports([]);
      expect((await agency.at('07:00', 'run')).out).toMatch(/^Nothing is due\./);
    },
  },
  {
    name: 'a vendor out of credits',
    async act(agency) {
      agency.provider.fault = () => ({ kind: 'status', status: 402, code: 'INSUFFICIENT_CREDITS' });
      const all = [
        ...agency.clients.map(() => /^nothing was checked: .*INSUFFICIENT_CREDITS/),
        /^the run was halted: /,
      ];
      await agency.morning({ run: 4, status: 3, alerts: all, without: agency.clients });
      agency.provider.fault = () => undefined;
      expect((await agency.at('06:40', 'run')).exitCode).toBe(0);
      await agency.watch(
        0,
        all.map(() => /^over: /),
      );
      agency.readReports([]);
    },
  },
  {
    name: 'an empty month',
    async act(agency) {
      await agency.emptyMonth(2);
      const all = [
        ...agency.clients.map(() => /^nothing was checked: .*budget/),
        /^100 % of the SERP credits/,
        /^the run failed: none of \d+ checks was completed/,
      ];
      const said = await agency.morning({ run: 3, status: 3, alerts: all, without: agency.clients });
      expect(said).toContain('UNFINISHED');
      expect((await agency.at('06:20', 'plan')).out).toMatch(/UNFINISHED: .*; tried again when the budget has room/);
      // the second day is the same trouble
      await agency.morning({ run: 3, status: 3, without: agency.clients });
      agency.perMonth = 100_000;
      agency.write();
      expect((await agency.at('06:40', 'run')).exitCode).toBe(0);
      await agency.watch(
        0,
        all.map(() => /^over: /),
      );
      agency.readReports([]);
    },
  },
  {
    name: 'a mail that one recipient refuses',
    async act(agency) {
      agency.mail.options = { unknown: ['two@agency.example'] };
      await agency.emptyMonth(1);
      const before = agency.mail.received.length;
      const all = [
        ...agency.clients.map(() => /^nothing was checked: .*budget/),
        /^100 % of the SERP credits/,
        /^the run failed: none of \d+ checks was completed/,
      ];
      await agency.morning({ run: 3, status: 3, alerts: all, without: agency.clients });
      const reached = () => agency.mail.received.slice(before).flatMap(({ to }) => to);
      // a mail for each client
      const ones = agency.clients.map(() => 'one@agency.example');
      expect(reached()).toEqual(ones);
      expect((await agency.at('06:30', 'alerts', 'list')).out).toContain('refused two@agency.example');
      agency.mail.options = {};
      expect((await agency.at('06:31', 'alerts', 'retry')).exitCode).toBe(0);
      expect(reached()).toEqual([...ones, ...agency.clients.map(() => 'two@agency.example')]);
      agency.perMonth = 100_000;
      agency.write();
      expect((await agency.at('06:40', 'run')).exitCode).toBe(0);
      await agency.watch(
        0,
        all.map(() => /^over: /),
      );
    },
  },
  {
    name: 'the config edited while a run is under way',
    async act(agency) {
      const one = agency.anyone();
      const before = agency.config();
      let edited = false;
      agency.provider.fault = () => {
        if (!edited)
          writeFileSync(agency.path('rankledger.yaml'), before.replace(`targets: [${one.target}]`, 'targets: ['));
        edited = true;
        return undefined;
      };
      agency.day += 1;
      // the run ends with the config that it began with
      expect((await agency.at('06:05', 'run')).exitCode).toBe(0);
      expect((await agency.at('06:10', 'check')).exitCode).toBe(2);
      agency.provider.fault = () => undefined;
      agency.write();
      await agency.watch(0);
      agency.readReports([]);
      expect(edited).toBe(true);
    },
  },
  {
    name: 'a client whose config is broken',
    async act(agency) {
      const one = agency.anyone();
      one.more = ['depht: 3'];
      agency.write();
      for (const command of ['check', 'plan']) {
        const { exitCode, err } = await agency.at('20:00', command);
        expect([command, exitCode, err]).toEqual([
          command,
          command === 'check' ? 2 : exitCode,
          expect.stringContaining('depht'),
        ]);
      }
      const said = await agency.morning({ run: 3, status: 3, without: [one] });
      expect(said).toContain('depht');
      one.more = [];
      agency.write();
      expect((await agency.at('06:40', 'run')).exitCode).toBe(0);
      await agency.watch(0);
      agency.readReports([]);
    },
  },
  {
    name: 'a client whose source does not sell what it tracks',
    async act(agency) {
      const one = agency.anyone();
      one.more = ['service: brave', 'deep: { depth: 12, every: 7d }'];
      const service = `  brave: { mode: embedded, source: brave, apiKey: "\${PROVIDER_PASSWORD}" }`;
      agency.folder.write('rankledger.yaml', agency.config().replace('services:\n', `services:\n${service}\n`));
      for (const command of ['check', 'plan']) {
        const { exitCode, err } = await agency.at('20:00', command);
        const words = 'deep.depth: the service "brave" (brave) sells 10 pages of a search';
        expect([command, exitCode, err]).toEqual([command, 2, expect.stringContaining(words)]);
      }
      one.more = [];
      agency.write();
      await agency.morning();
    },
  },
  {
    name: 'a machine that was off for a day',
    async act(agency) {
      agency.day += 1;
      const { exitCode, out } = await agency.at('12:00', 'status', '--check');
      expect([exitCode, out]).toEqual([3, expect.stringMatching(/OVERDUE/i)]);
      const said = await agency.morning();
      expect(said).toContain('Missed: ');
    },
  },
  {
    name: 'a run discarded, and included again',
    async act(agency) {
      const { runs } = JSON.parse((await agency.at('08:00', 'status', '--json')).out);
      const newest = Math.max(...runs.map(({ runId }: { runId: number }) => runId));
      expect((await agency.at('08:01', 'run', 'discard', `${newest}`, '--reason', 'wrong')).exitCode).toBe(0);
      expect((await agency.at('08:02', 'run', 'discard', `${newest}`, '--undo')).exitCode).toBe(0);
      agency.readReports([]);
      await agency.morning();
    },
  },
  {
    name: 'the database restored from a backup',
    async act(agency) {
      expect((await agency.at('22:00', 'backup', `copy-${agency.day}.sqlite`)).exitCode).toBe(0);
      const copy = `copy-${agency.day}.sqlite`;
      await agency.morning();
      const sold = agency.provider.sold.length;
      for (const suffix of ['', '-wal', '-shm']) rmSync(agency.path(`${database}${suffix}`), { force: true });
      copyFileSync(agency.path(copy), agency.path(database));
      for (const command of ['check', 'plan', 'status']) {
        const { exitCode, out, err } = await agency.at('07:00', command);
        expect([command, `${out}${err}`]).toEqual([command, expect.stringMatching(/older copy|restored or replaced/)]);
        expect([command, exitCode]).toEqual([command, command === 'status' ? exitCode : 0]);
      }
      expect((await agency.at('07:05', 'audit')).exitCode).toBe(1);
      expect((await agency.at('07:10', 'run')).exitCode).toBe(0);
      agency.lost += sold - agency.soldBefore(copy);
      expect((await agency.at('07:20', 'audit')).exitCode).toBe(0);
      agency.readReports([]);
      await agency.watch(0);
    },
  },
];

/** Another seed is another order of the same edits, at other clients. */
const seeds = (process.env['AGENCY_SEEDS'] ?? '1').split(',').map(Number);

it.each(seeds)(
  'every edit says what it does, and every morning is right: seed %i',
  { timeout: 900_000 },
  async (seed) => {
    const random = new Random(seed, 'agency');
    const agency = await Agency.open(random);
    await agency.morning();
    const order = random.some(edits, edits.length);
    for (const { name, act } of order) {
      for (let quiet = random.whole(1, 2); quiet > 0; quiet -= 1) await agency.morning();
      await agency.audited();
      console.log(`${agency.date} ${name}`);
      await act(agency);
    }
    expect(agency.day).toBeGreaterThanOrEqual(45);
  },
);
