// Which alerts a run records: each rule over real runs, each change once, and what a suspect run holds back.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { alertText } from '../../../src/report/alerts/alert-text.ts';
import type { AlertRule, KeptAlert } from '../../../src/tracker/changes/alerts.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { dieAt } from '../../helpers/death.ts';
import { deadOwner, keyword, project, type WorldOptions } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const own = 'https://acme.example/a';
const rival = 'https://globex.example/a';

let open: RankedWorld | undefined;
afterEach(async () => {
  expect(open?.world.broken()).toEqual([]);
  open = undefined;
});

function begin(rules: AlertRule[], more: Partial<Project> = {}): RankedWorld {
  const one = project({ keywords: [keyword('a', { depth: 2 })], ...more });
  open = new RankedWorld([one]);
  open.rules = rules;
  return open;
}

/** The alerts recorded so far, in order: channel and text. Their causes are tested apart. */
function recorded({ world }: RankedWorld): string[] {
  return world.rows('SELECT channel, payload FROM alert_deliveries ORDER BY id').map((row) => {
    const { alert } = JSON.parse(String(row['payload'])) as KeptAlert;
    return `${row['channel']} ${alertText('cause' in alert ? { ...alert, cause: undefined } : alert)}`;
  });
}

/** Runs one day after the other, each with its scene of the keyword `a`. */
async function days(ranked: RankedWorld, scenes: readonly Scene[]): Promise<void> {
  for (const [day, scene] of scenes.entries()) {
    ranked.scenes['a'] = scene;
    await ranked.run(start + day * dayMs);
  }
}

const at = (rank: number, url = own): Scene => ({ at: { [rank]: url } });
const name = 'ops "a" (US, en, desktop), acme.example:';

describe('a rule', () => {
  it('dropped-out-of alerts once when a rank leaves the top', async () => {
    const ranked = begin([{ when: 'dropped-out-of', top: 10 }]);
    await days(ranked, [at(4), at(10), at(12), at(12), at(3), {}, {}]);
    expect(recorded(ranked)).toEqual([
      `${name} out of the top 10: rank 12, was rank 10 on 2026-01-16`,
      `${name} out of the top 10: not found in 2 pages, was rank 3 on 2026-01-19`,
    ]);
  });

  it('moved alerts when a rank rises or falls, and counts "not found" as the rank after the last page', async () => {
    const ranked = begin([{ when: 'moved', by: 5, direction: 'any' }]);
    await days(ranked, [at(9), at(4), at(8), {}, {}, at(19), at(11)]);
    expect(recorded(ranked)).toEqual([
      `${name} up 5: rank 4, was rank 9 on 2026-01-15`,
      `${name} dropped: not found in 2 pages, was rank 8 on 2026-01-17`,
      `${name} up 8: rank 11, was rank 19 on 2026-01-20`,
    ]);
  });

  it('moved can be limited to one direction', async () => {
    const ranked = begin([{ when: 'moved', by: 2, direction: 'down' }]);
    await days(ranked, [at(9), at(4), at(6)]);
    expect(recorded(ranked)).toEqual([`${name} down 2: rank 6, was rank 4 on 2026-01-16`]);
  });

  it('url-changed alerts when another URL ranks', async () => {
    const ranked = begin([{ when: 'url-changed' }]);
    await days(ranked, [at(4), at(3), at(5, 'https://acme.example/b'), {}, at(5)]);
    expect(recorded(ranked)).toEqual([
      `${name} another URL ranks: https://acme.example/b, was https://acme.example/a on 2026-01-16 (rank 5, was rank 3)`,
    ]);
  });

  it('other-url alerts once when a URL other than the preferred one ranks, and ignores how the preferred one is spelled', async () => {
    const preferredUrl = 'http://acme.example/a#top';
    const ranked = begin([{ when: 'other-url' }], { keywords: [keyword('a', { depth: 2, preferredUrl })] });
    const [b, c] = ['https://acme.example/b', 'https://acme.example/c'];
    await days(ranked, [at(4, b), at(3), at(5, b), at(6, b), {}, at(6, c), at(6, own)]);
    const other = (url: string, rank: number): string =>
      `${name} another URL ranks than the preferred one: ${url}, not ${preferredUrl} (rank ${rank})`;
    expect(recorded(ranked)).toEqual([other(b, 4), other(b, 5), other(c, 6)]);
  });

  it('feature-won and feature-lost alert on features that show the target', async () => {
    const ranked = begin([{ when: 'feature-won' }, { when: 'feature-lost' }]);
    const snippet: Scene = { ...at(2), features: { featured_snippet: [own], images: ['https://other.example/'] } };
    await days(ranked, [at(2), snippet, snippet, at(2), at(2)]);
    expect(recorded(ranked)).toEqual([
      `${name} won featured_snippet (rank 2)`,
      `${name} lost featured_snippet (rank 2)`,
    ]);
  });

  it('feature-lost waits for a second check before it reports a lost AI Overview, and no win follows a single miss', async () => {
    const ranked = begin([{ when: 'feature-won', feature: 'ai_overview' }, { when: 'feature-lost' }]);
    const cited: Scene = { ...at(2), features: { ai_overview: [own], video: [own] } };
    const blink: Scene = { ...at(2), features: { video: [own] } };
    await days(ranked, [cited, blink, cited, blink, blink, blink]);
    expect(recorded(ranked)).toEqual([`${name} lost ai_overview (rank 2)`]);
  });

  it('feature-won and feature-lost say nothing of an AI Overview whose sources the page does not show', async () => {
    const ranked = begin([{ when: 'feature-won' }, { when: 'feature-lost', checks: 1 }]);
    const cited: Scene = { ...at(2), features: { ai_overview: [own] } };
    const deferred: Scene = { ...at(2), features: { ai_overview: [] } };
    const uncited: Scene = { ...at(2), features: { ai_overview: [rival] } };
    await days(ranked, [cited, deferred, deferred, cited, deferred, uncited, deferred, uncited]);
    expect(recorded(ranked)).toEqual([`${name} lost ai_overview (rank 2)`]);
  });

  it('competitor-overtook alerts when a competitor that was behind is provably ahead', async () => {
    const competitors = [{ match: 'domain' as const, value: 'globex.example' }];
    const ranked = begin([{ when: 'competitor-overtook' }], { competitors, paging: 'until-found' });
    const both = (mine: number, theirs: number): Scene => ({ at: { [mine]: own, [theirs]: rival } });
    // at(4): the check ends on page 1 without the competitor, which may rank on page 2
    await days(ranked, [both(3, 5), both(6, 2), both(6, 1), at(4), { at: { 2: rival } }]);
    expect(recorded(ranked)).toEqual([
      `${name} globex.example (rank 2, was rank 5) overtook it (rank 6, was rank 3) on 2026-01-16`,
    ]);
  });

  it('competitor-overtook alerts when a competitor that was not found down to the depth is ahead', async () => {
    const competitors = [{ match: 'domain' as const, value: 'globex.example' }];
    const ranked = begin([{ when: 'competitor-overtook' }], { competitors, paging: 'until-all-found' });
    await days(ranked, [at(4), { at: { 2: rival } }]);
    expect(recorded(ranked)).toEqual([
      `${name} globex.example (rank 2, was not found) overtook it (not found in 2 pages, was rank 4) on 2026-01-16`,
    ]);
  });

  it('visibility-fell alerts on the share of visibility that was lost, over keywords with a volume', async () => {
    const ranked = begin([{ when: 'visibility-fell', percent: 50 }], { volumes: { schedule: '0 0 1 * *', limit: 33 } });
    ranked.volumes = { a: 1000 };
    await days(ranked, [at(1), at(2), at(9), at(10)]);
    expect(recorded(ranked)).toEqual([
      'ops acme.example: visibility fell by 82.17 %, from 55.09 % to 9.82 %, over 1 comparable keyword',
    ]);
  });

  it('applies only to its tags and projects, and uses only its channels', async () => {
    const ranked = begin(
      [
        { when: 'moved', by: 1, direction: 'any', tags: ['brand'], channels: ['log'] },
        { when: 'moved', by: 2, direction: 'any', tags: ['other'] },
        { when: 'moved', by: 3, direction: 'any', projects: ['another'] },
      ],
      { keywords: [keyword('a', { tags: ['brand', 'x'] }), keyword('b')] },
    );
    ranked.channels = ['ops', 'log'];
    ranked.scenes['b'] = at(1);
    await days(ranked, [at(9), at(4)]);
    ranked.scenes['b'] = at(8);
    await ranked.run(start + 2 * dayMs);
    expect(recorded(ranked)).toEqual([
      'log "a" (US, en, desktop), acme.example: up 5: rank 4, was rank 9 on 2026-01-15',
    ]);
  });
});

describe('a change', () => {
  const moved: AlertRule = { when: 'moved', by: 2, direction: 'any' };

  it('is measured against the previous check, even where the reports use another baseline', async () => {
    const ranked = begin([moved]);
    const settings = ranked.world.settings();
    ranked.world.settings = (more) => ({
      ...settings,
      reports: { ...settings.reports, comparison: { kind: 'date', date: '2026-01-15' } },
      ...more,
    });
    await days(ranked, [at(9), at(4), at(4)]);
    expect(recorded(ranked)).toHaveLength(1);
  });

  it('needs two complete checks: neither a first check nor a failed one is a change', async () => {
    const ranked = begin([moved, { when: 'dropped-out-of', top: 20 }, { when: 'run-suspect' }]);
    await days(ranked, [at(9), { fails: true }, { fails: true }, at(8)]);
    expect(recorded(ranked)).toEqual([]);
  });

  it('is recorded once, even if two processes report the run, or one dies and the run is reported again', async () => {
    const ranked = begin([moved]);
    await days(ranked, [at(9), at(4)]);
    expect(recorded(ranked)).toHaveLength(1);
    ranked.world.db.sql('UPDATE runs SET reported_at = NULL WHERE id = 2').run();
    await ranked.run(start + dayMs);
    expect(ranked.world.value('SELECT count(*) FROM runs WHERE reported_at IS NULL')).toBe(0);
    expect(recorded(ranked)).toHaveLength(1);
  });

  it('is not recorded again when a backfill reports the run again, but what the backfill filled in is recorded', async () => {
    const ranked = begin([moved], { keywords: [keyword('a', { depth: 1 }), keyword('b', { depth: 1 })] });
    ranked.scenes = { a: at(9), b: at(9) };
    await ranked.run(start);
    ranked.scenes = { a: at(4), b: { fails: true } };
    await ranked.run(start + dayMs);
    expect(recorded(ranked)).toEqual([`${name} up 5: rank 4, was rank 9 on 2026-01-15`]);
    ranked.scenes = { a: at(1), b: at(3) };
    await ranked.backfill(start + dayMs + 3_600_000);
    expect(recorded(ranked).slice(1)).toEqual([`${name.replace('"a"', '"b"')} up 6: rank 3, was rank 9 on 2026-01-15`]);
  });

  it('is only counted beyond 200 alerts, the most important first', async () => {
    const names = Array.from({ length: 205 }, (_, index) => `word ${index + 1}`);
    const ranked = begin([{ when: 'moved', by: 1, direction: 'up' }], {
      keywords: names.map((text) => keyword(text, { depth: 1 })),
    });
    for (const text of names) ranked.scenes[text] = at(9);
    await ranked.run(start);
    for (const text of names) ranked.scenes[text] = at(8);
    ranked.scenes['word 205'] = at(1);
    await ranked.run(start + dayMs);
    const all = recorded(ranked);
    expect(all).toHaveLength(201);
    expect(all[0]).toContain('"word 205"');
    expect(all.at(-1)).toBe('ops and 5 more that match "moved by 1 up": see rank-changes.csv of the report');
  });
});

describe('a suspect run', () => {
  const names = Array.from({ length: 12 }, (_, index) => `word ${index + 1}`);
  const rules: AlertRule[] = [{ when: 'dropped-out-of', top: 10 }];

  async function throughLoss(after: 'stays lost' | 'comes back'): Promise<RankedWorld> {
    const ranked = begin(rules, { keywords: names.map((text) => keyword(text, { depth: 1 })) });
    const show = (scene: Scene) => {
      for (const text of names) ranked.scenes[text] = scene;
    };
    show(at(3));
    await ranked.run(start);
    show({});
    await ranked.run(start + dayMs);
    expect(recorded(ranked)).toEqual([
      'ops the run is suspect: 12 of 12 ranked keywords were lost at once (0.1 expected at 1.0 % a run, chance below 1e-12); 12 alerts about its ranks are held back until a run confirms them',
    ]);
    if (after === 'comes back') show(at(3));
    await ranked.run(start + 2 * dayMs);
    return ranked;
  }

  it('alerts that it is suspect, and holds back its rank alerts until a run confirms them', async () => {
    const ranked = await throughLoss('stays lost');
    expect(recorded(ranked)[1]).toMatch(
      /^ops the run is not suspect; before: 12 of 12 ranked keywords were lost at once/,
    );
    const confirmed = recorded(ranked).slice(2);
    expect(confirmed).toHaveLength(12);
    expect(confirmed[0]).toContain('out of the top 10: not found in 1 page, was rank 3 on 2026-01-15');
    await ranked.run(start + 3 * dayMs);
    expect(recorded(ranked)).toHaveLength(14);
  });

  it.each<readonly [string, (ranked: RankedWorld, at: number) => Promise<unknown>]>([
    ['the next run', (ranked, moment) => ranked.runDue(moment)],
    ['a backfill', (ranked, moment) => ranked.backfill(moment)],
  ])('that %s repaired is suspect no longer: alerts about its ranks are recorded', async (_, repair) => {
    const ranked = begin(rules, {
      schedule: '0 6 * * *',
      keywords: names.map((text) => keyword(text, { depth: 1 })),
    });
    for (const text of names) ranked.scenes[text] = at(3);
    await ranked.run(start);
    ranked.scenes = Object.fromEntries(names.map((text, index) => [text, index < 4 ? { fails: true } : at(3)]));
    await ranked.run(start + dayMs);
    expect(recorded(ranked)).toEqual([expect.stringContaining('ops the run is suspect: 4 of 12 checks failed')]);
    for (const text of names) ranked.scenes[text] = text === 'word 1' ? {} : at(3);
    await repair(ranked, start + dayMs + 3_600_000);
    expect(ranked.world.value('SELECT count(suspect_reason) FROM slots')).toBe(0);
    expect(recorded(ranked).slice(1)).toEqual([
      expect.stringContaining('ops the run is not suspect; before: 4 of 12 checks failed'),
      'ops "word 1" (US, en, desktop), acme.example: out of the top 10: not found in 1 page, was rank 3 on 2026-01-15',
    ]);
    ranked.scenes = {};
    for (const text of names) ranked.scenes[text] = text === 'word 1' ? {} : at(3);
    await ranked.run(start + 2 * dayMs);
    expect(recorded(ranked)).toHaveLength(3);
  });

  it('is never a baseline: if the ranks come back, no alert about them is recorded', async () => {
    const ranked = await throughLoss('comes back');
    expect(recorded(ranked).slice(1)).toEqual([expect.stringContaining('ops the run is not suspect; before: ')]);
  });
});

describe('a run', () => {
  it('alerts when it was halted or completed no check', async () => {
    const ranked = begin([{ when: 'run-failed' }]);
    await days(ranked, [at(3), { fails: true }]);
    ranked.refuses = true;
    await ranked.run(start + 2 * dayMs);
    expect(recorded(ranked)).toEqual([
      expect.stringContaining('ops the run failed: none of 1 checks was completed; 1 failed of 1 search: '),
      expect.stringContaining('ops the run was halted: '),
    ]);
  });

  it('with a lasting cause alerts once, once more for another cause, and once when runs succeed again', async () => {
    const ranked = begin([{ when: 'run-failed' }, { when: 'nothing-checked' }], {
      keywords: [keyword('a', { depth: 1 })],
    });
    const runs = async (from: number, scenes: readonly ('refused' | 'failed' | 'good')[]): Promise<void> => {
      for (const [day, scene] of scenes.entries()) {
        ranked.refuses = scene === 'refused';
        ranked.scenes['a'] = scene === 'failed' ? { fails: true } : at(3);
        await ranked.run(start + (from + day) * dayMs);
      }
    };
    await runs(0, ['good', 'refused', 'refused', 'failed', 'refused', 'failed']);
    const begun = [
      expect.stringContaining('ops nothing was checked: none of 1 searches of acme: the run was halted: '),
      expect.stringContaining('ops the run was halted: '),
      expect.stringContaining('ops nothing was checked: none of 1 searches'),
      expect.stringContaining('ops the run failed: none of 1 checks was completed'),
    ];
    expect(recorded(ranked)).toEqual(begun);
    await runs(6, ['good', 'good']);
    const ended = [
      expect.stringMatching(/^ops searches are checked again; before: none of 1 searches of acme: the run was halted/),
      expect.stringMatching(/^ops runs succeed again; before: /),
    ];
    expect(recorded(ranked)).toEqual([...begun, ...ended]);
    await runs(8, ['refused', 'good']);
    expect(recorded(ranked).slice(6)).toEqual([...begun.slice(0, 2), ...ended]);
  });

  it('without budget alerts once in all its slots, and once when the budget has room again', async () => {
    const one = (id: string, text: string) => project({ id, keywords: [keyword(text, { depth: 1 })] });
    open = new RankedWorld([one('acme', 'a'), one('beta', 'b')], {
      caps: { serp_credit: { perMonth: 6 }, micro_usd: {} },
    });
    open.rules = [{ when: 'run-failed' }, { when: 'nothing-checked' }, { when: 'budget-share', percent: 80 }];
    for (let hours = 0; hours <= 48; hours += 2) await open.run(start + hours * 3_600_000);
    const begun = [
      'ops 100 % of the SERP credits of month 2026-01 are used: 6 of 6',
      expect.stringMatching(/^ops nothing was checked: none of 1 searches of acme: budget: /),
      expect.stringMatching(/^ops the run failed: none of 2 checks was completed; /),
      expect.stringMatching(/^ops nothing was checked: none of 1 searches of beta: budget: /),
    ];
    expect(recorded(open)).toEqual(begun);
    for (const day of [20, 21]) await open.run(start + day * dayMs);
    expect(recorded(open).slice(begun.length)).toEqual([
      expect.stringMatching(/^ops searches are checked again; before: none of 1 searches of acme: budget: /),
      expect.stringMatching(/^ops the budget has room again; before: none of 2 checks was completed: budget: /),
      'ops the SERP credits of month 2026-02 have room again: 2 of 6 used',
      expect.stringMatching(/^ops searches are checked again; before: none of 1 searches of beta: budget: /),
    ]);
  });

  it('of several projects alerts once per channel', async () => {
    open = new RankedWorld([project(), project({ id: 'beta' })]);
    open.rules = [{ when: 'run-failed' }];
    open.refuses = true;
    await open.run(start);
    expect(recorded(open)).toHaveLength(1);
  });

  it('alerts once per window when it uses much of the budget', async () => {
    const one = project({ keywords: [keyword('a', { depth: 2 })] });
    open = new RankedWorld([one], {
      caps: { serp_credit: { perDay: 2, perMonth: 5 }, micro_usd: {} },
    });
    open.rules = [{ when: 'budget-share', percent: 80 }];
    for (const day of [0, 1, 2]) await open.run(start + day * dayMs);
    expect(recorded(open)).toEqual([
      'ops 100 % of the SERP credits of day 2026-01-15 are used: 2 of 2',
      'ops 100 % of the SERP credits of day 2026-01-16 are used: 2 of 2',
      'ops 80 % of the SERP credits of month 2026-01 are used: 4 of 5',
    ]);
  });

  it('of volumes alerts on its budget, too', async () => {
    const one = project({ keywords: [keyword('a', { depth: 1 })], volumes: { schedule: '0 0 1 * *', limit: 33 } });
    open = new RankedWorld([one], { caps: { serp_credit: {}, micro_usd: { perMonth: 10_000 } } });
    open.rules = [{ when: 'budget-share', percent: 80 }];
    await open.run(start);
    expect(recorded(open)).toEqual([
      'ops 100 % of the keyword data budget of month 2026-01 are used: 0.01 USD of 0.01 USD',
    ]);
    expect(open.world.value('SELECT r.kind FROM alert_deliveries d JOIN runs r ON r.id = d.run_id')).toBe('volumes');
  });

  it('of volumes loses and repeats no alert, whichever transaction its process dies after', async () => {
    const one = project({ keywords: [keyword('a', { depth: 1 })], volumes: { schedule: '0 0 1 * *', limit: 33 } });
    let transactions = 0;
    for (let died = true; died; ) {
      transactions += 3;
      const file = join(temporaryFolder(), 'db.sqlite');
      const begun = (more: Partial<WorldOptions>): RankedWorld => {
        const ranked = new RankedWorld([one], { file, ...more });
        ranked.rules = [{ when: 'run-failed' }];
        ranked.refusesMetrics = true;
        return ranked;
      };
      const first = begun({ owner: deadOwner });
      const death = dieAt(first.world, transactions, 'after');
      await first.run(start).catch(() => undefined);
      await first.world.close();
      died = death.died;
      open = begun({});
      await open.run(start);
      expect({ transactions, recorded: recorded(open), broken: open.world.broken() }).toEqual({
        transactions,
        recorded: [expect.stringContaining('ops the run was halted: ')],
        broken: [],
      });
      if (died) await open.world.close();
    }
    expect(transactions).toBeGreaterThan(5); // the rank run that follows included
  });

  it('records the warning of its report and the folder of that report', async () => {
    open = new RankedWorld([project({ keywords: [keyword('a', { depth: 1 })] })], {
      kind: 'sandbox',
      reports: true,
    });
    open.rules = [{ when: 'moved', by: 1, direction: 'any' }];
    await days(open, [at(3), at(1)]);
    const [row] = open.world.rows('SELECT payload FROM alert_deliveries');
    expect(JSON.parse(String(row?.['payload']))).toMatchObject({
      warning: 'simulated data (sandbox), not real results',
      report: 'acme/2026-01-16T0600',
    });
  });
});
