// The planted bugs: for each invariant, a small change of the product and the tests that must fail with it.

import { answers } from './answer-plants.ts';
import { clicks } from './click-plants.ts';
import { columns } from './column-plants.ts';
import { dashboard } from './dashboard-plants.ts';
import { destinations } from './destination-plants.ts';
import { owners } from './owner-plants.ts';
import { pages } from './page-plants.ts';
import { reports } from './report-plants.ts';
import { signal } from './signal-plants.ts';
import { spending } from './spending-plants.ts';
import { trust } from './trust-plants.ts';

export interface Plant {
  /** The invariant that the bug breaks, as a promise. */
  readonly invariant: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

const money: readonly Plant[] = [
  {
    invariant: 'spent and reserved together never exceed the budget',
    file: 'db/ledger/budget-windows.ts',
    find: 'if (window.reserved + window.spent + amount > cap) return window;',
    replace: 'if (window.spent + amount > cap) return window;',
    tests: ['test/db/ledger/ledger.test.ts'],
  },
  {
    invariant: 'every reservation ends: what a check did not use is freed',
    file: 'jobs/purchase/page-buyer.ts',
    find: 'this.#context.store.ledger.release(reservation.id, this.#context.clock.now());',
    replace: '',
    tests: ['test/jobs/check/check-search.test.ts', 'test/jobs/purchase/budget.test.ts'],
  },
  {
    invariant: 'the intent is durable before the request leaves',
    file: 'jobs/queue/page-call.ts',
    find: 'if ((await beforeSend()) === null) throw notSent();',
    replace: 'void beforeSend().catch(() => undefined);',
    tests: ['test/jobs/check/check-search.test.ts', 'test/jobs/run/resume.test.ts', 'test/jobs/check/turns.test.ts'],
  },
  {
    invariant: 'each page has its own purchase key',
    file: 'jobs/purchase/money.ts',
    find: '    page,\n    ...again,',
    replace: '    ...again,',
    tests: ['test/jobs/check/check-search.test.ts', 'test/jobs/check/paging.test.ts'],
  },
  {
    invariant: 'a paid body that cannot be read is stored',
    file: 'jobs/check/reduce-check.ts',
    find: "if (failure.charged !== 'no' && failure.body !== null) store.pages.keepBody(purchaseId, failure.body, false);",
    replace: '',
    tests: ['test/jobs/check/check-search.test.ts', 'test/jobs/retry.test.ts'],
  },
  {
    invariant: 'a sold page is not bought again because it cannot be read',
    file: 'jobs/retry.ts',
    find: "if (failure.charged === 'yes' && failure.disposition !== 'halt') return { kind: 'give-up' };",
    replace: '',
    tests: ['test/jobs/retry.test.ts', 'test/jobs/check/check-search.test.ts'],
  },
  {
    invariant: 'a page that several projects need is bought once',
    file: 'jobs/run/opening/plan-run.ts',
    find: 'merged.set(key, other === undefined ? plan : merge(other, plan));',
    replace: 'merged.set(key + merged.size, plan);',
    tests: ['test/jobs/check/paging.test.ts', 'test/jobs/run/resume.test.ts'],
  },
  {
    invariant: 'an unknown outcome counts as spent',
    file: 'jobs/purchase/settlement.ts',
    find: "unknown: 'unknown' } as const;",
    replace: "unknown: 'free' } as const;",
    tests: ['test/jobs/check/check-search.test.ts', 'test/jobs/run/resume.test.ts'],
  },
  {
    invariant: 'a lost connection is not proof that nothing was charged',
    file: 'src/service/net/transport.ts',
    find: "? new ServiceError('CONNECTION_LOST',",
    replace: "? new ServiceError('CONNECTION_FAILED',",
    tests: ['test/service/client/client.test.ts', 'test/service/server/charges.test.ts'],
  },
  {
    invariant: 'a request refused with 429 was not charged',
    file: 'src/service/client/error-responses.ts',
    find: 'return [400, 401, 402, 403, 429].includes(status)',
    replace: 'return [400, 401, 402, 403].includes(status)',
    tests: ['test/service/server/charges.test.ts', 'test/service/client/client.test.ts'],
  },
  {
    invariant: 'attempts of a page that may have been charged are limited, also over restarts',
    file: 'jobs/purchase/page-buyer.ts',
    find: 'if (this.purchases.chargedAttempts(purchase) >= retryLimits.attemptsMax) {',
    replace: 'if (this.purchases.chargedAttempts(purchase) >= 1000) {',
    tests: ['test/jobs/run/resume.test.ts', 'test/jobs/check/check-search.test.ts'],
  },
  {
    invariant: 'a purchase that is reconciled as free is returned to the budget',
    file: 'db/ledger/reconciliations.ts',
    find: 'if (refunded > 0) this.#windows.giveBack(toWindowRoom(purchase), refunded);',
    replace: '',
    tests: ['test/jobs/query/reconcile.test.ts', 'test/db/ledger/ledger.test.ts', 'test/db/integrity/audit.test.ts'],
  },
  {
    invariant: 'a service without credits is halted and gets no further request',
    file: 'jobs/retry.ts',
    find: "    case 'halt':\n      return { kind: 'halt' };",
    replace: "    case 'halt':\n      return { kind: 'give-up' };",
    tests: ['test/jobs/check/halt.test.ts', 'test/jobs/retry.test.ts'],
  },
  {
    invariant: 'a service that only fails is given up after consecutive failures',
    file: 'jobs/purchase/breaker.ts',
    find: ': state.streak + 1;',
    replace: ': state.streak + 0.2;',
    tests: ['test/jobs/purchase/breaker.test.ts'],
  },
  {
    invariant: 'a changed entry of the ledger is detected',
    file: 'db/integrity/audit.ts',
    find: 'stored?.equals(hash) === false',
    replace: 'stored?.length === 0',
    tests: ['test/db/integrity/audit.test.ts'],
  },
];

const runs: readonly Plant[] = [
  {
    invariant: 'a slot is a time of the local clock',
    file: 'src/tracker/schedule/local-time.ts',
    find: "    timeZone,\n    calendar: 'gregory',",
    replace: "    timeZone: 'UTC',\n    calendar: 'gregory',",
    tests: ['test/tracker/schedule/schedule.test.ts'],
  },
  {
    invariant: 'two schedulers make one run of a slot',
    file: 'db/history/runs/runs.ts',
    find: "?.state !== 'claimed');",
    replace: "?.state !== 'open');",
    tests: ['test/db/history/runs.test.ts', 'test/jobs/run/slots.test.ts'],
  },
  {
    invariant: 'a project has one run in progress at a time',
    file: 'jobs/run/opening/claim-runs.ts',
    find: 'const free = group.slots.filter(({ project }) => !busy.has(project));',
    replace: 'const free = busy.size < 0 ? [] : group.slots;',
    tests: ['test/jobs/run/scheduler.test.ts', 'test/jobs/run/slots.test.ts'],
  },
  {
    invariant: 'a missed slot leaves a row',
    file: 'jobs/run/opening/claim-runs.ts',
    find: '    recordMissed(context, { project, kind }, slots.missed, slots.missedReason, options);\n',
    replace: '',
    tests: ['test/jobs/run/scheduler.test.ts', 'test/jobs/run/slots.test.ts'],
  },
  {
    invariant: 'slots that a clock ahead recorded as missed can still be run',
    file: 'db/history/runs/missed-slots.ts',
    find: '(row.recorded_at ?? 0) > at)',
    replace: '(row.recorded_at ?? 0) > at + 1e15)',
    tests: ['test/jobs/run/slots.test.ts'],
  },
  {
    invariant: 'the moment of a run by a clock ahead is not reused',
    file: 'db/history/runs/slots.ts',
    find: "s.kind > 'ahead-' AND s.kind < 'ahead.'",
    replace: "s.kind = 'ahead-'",
    tests: ['test/jobs/run/slots.test.ts'],
  },
  {
    invariant: 'pages bought by a clock ahead are not fresh',
    file: 'db/history/checks/pages.ts',
    find: "ds.kind LIKE 'ahead-%'",
    replace: "ds.kind = 'ahead-'",
    tests: ['test/jobs/run/slots.test.ts'],
  },
  {
    invariant: 'a stretch of missed slots counts each local slot',
    file: 'src/tracker/schedule/slot-stretch.ts',
    find: 'if (isWhole && !isNearClockChange(start + dayMs / 2, timezone)) {',
    replace: 'if (isWhole) {',
    tests: ['test/tracker/schedule/slot-stretch.test.ts'],
  },
  {
    invariant: 'a clock that is set back causes no second run',
    file: 'src/tracker/schedule/due-slots.ts',
    find: 'if (lastSlot !== null && lastSlot.at > now)',
    replace: 'if (lastSlot !== null && lastSlot.at > now + 365 * dayMs)',
    tests: ['test/tracker/schedule/schedule.test.ts', 'test/jobs/run/scheduler.test.ts'],
  },
  {
    invariant: 'no run stays open after the process that worked on it died',
    file: 'src/service/model/process-liveness.ts',
    find: 'ageMs !== null && ageMs < silentMsMax.elsewhere && ageMs > -aheadMsMax',
    replace: 'ageMs !== null',
    tests: ['test/jobs/run/resume.test.ts', 'test/jobs/run/unfinished.test.ts', 'test/jobs/run/scheduler.test.ts'],
  },
  {
    invariant: 'claims of a dead process can be claimed again',
    file: 'jobs/run/opening/recover-run.ts',
    find: 'store.checks.putBackAll(runId);',
    replace: '',
    tests: ['test/jobs/run/resume.test.ts'],
  },
  {
    invariant: 'a run with deferred checks is not complete',
    file: 'jobs/run/closing/close-run.ts',
    find: ' + counts.deferred',
    replace: '',
    tests: ['test/jobs/purchase/budget.test.ts', 'test/jobs/check/halt.test.ts', 'test/jobs/check/run-checks.test.ts'],
  },
  {
    invariant: 'checks are run in the order of priority',
    file: 'db/history/checks/checks.ts',
    find: 'ORDER BY c.sequence, c.id LIMIT +@limit',
    replace: 'ORDER BY c.sequence DESC, c.id LIMIT @limit',
    tests: [
      'test/jobs/check/run-checks.test.ts',
      'test/jobs/purchase/budget.test.ts',
      'test/jobs/run/plan-run.test.ts',
    ],
  },
];

const history: readonly Plant[] = [
  {
    invariant: 'not_found needs every page down to the depth',
    file: 'src/tracker/targets/match.ts',
    find: 'return unbroken >= read.depth ?',
    replace: 'return unbroken >= 1 ?',
    tests: ['test/tracker/targets/match.test.ts', 'test/jobs/check/evidence.test.ts'],
  },
  {
    invariant: 'an absence that was stored from fewer pages than the depth is read as not_followed',
    file: 'db/history/checks/rankings.ts',
    find: '.depth AND coalesce(',
    replace: '.depth AND 0 AND coalesce(',
    tests: ['test/jobs/check/not-followed.test.ts'],
  },
  {
    invariant: 'until-all-found ends only once competitors are found as well',
    file: 'jobs/check/check-pages.ts',
    find: "paging === 'until-all-found' ? outcomes.length : targets.ownCount",
    replace: 'targets.ownCount',
    tests: ['test/jobs/check/not-followed.test.ts'],
  },
  {
    invariant: 'a list of places that a source does not pass on proves no absence',
    file: 'jobs/check/evidence.ts',
    find: "(page.features.some(({ type }) => type === 'local_pack') ? null : [])",
    replace: '[]',
    tests: ['test/jobs/check/local-results.test.ts'],
  },
  {
    invariant: 'a place without the id that decides is neither found nor absent',
    file: 'src/tracker/targets/place.ts',
    find: 'listed.cid === undefined ? null : listed.cid === wanted.cid',
    replace: 'listed.cid === wanted.cid',
    tests: ['test/tracker/targets/place.test.ts'],
  },
  {
    invariant: 'an unproven absence is not recorded',
    file: 'jobs/check/evidence.ts',
    find: "if (broken && outcome.kind === 'notFollowed') return { kind: 'unproven' };",
    replace: '',
    tests: ['test/jobs/check/evidence.test.ts', 'test/jobs/check/paging.test.ts'],
  },
  {
    invariant: 'there is no rank beyond a failed page',
    file: 'src/tracker/targets/match.ts',
    find: 'index < unbroken',
    replace: 'index < unbroken + 99',
    tests: ['test/tracker/targets/match.test.ts'],
  },
  {
    invariant: 'the organic rank continues over the pages',
    file: 'src/tracker/targets/match.ts',
    find: '  read.pages.forEach((page, index) => {',
    replace: '  read.pages.forEach((page, index) => {\n    organicRank = 0;',
    tests: ['test/tracker/targets/match.test.ts'],
  },
  {
    invariant: 'an empty page is a failure, and proves no absence',
    file: 'src/service/client/page-reader.ts',
    find: "if (saysNothing || root.array('organic') !== undefined) {",
    replace: 'if (saysNothing && !root.isEmpty()) {',
    tests: ['test/service/client/page-reader.test.ts', 'test/service/client/answers.test.ts'],
  },
  {
    invariant: 'page 1 sent as page 2 proves nothing',
    file: 'src/tracker/trust/page-trust.ts',
    find: 'if (page !== received.page && links.length > 0 && shareMostLinks(received.links, links)) {',
    replace: 'if (page === received.page && links.length > 0 && shareMostLinks(received.links, links)) {',
    tests: ['test/jobs/check/turns.test.ts', 'test/jobs/check/second-look.test.ts'],
  },
  {
    invariant: 'only complete checks are compared',
    file: 'src/report/rows/row.ts',
    find: "if (check === null || check.status !== 'ok' || (status",
    replace: 'if (check === null || (status',
    tests: ['test/report/rows/row.test.ts'],
  },
  {
    invariant: 'two absences compare only at equal depth',
    file: 'src/tracker/changes/change.ts',
    find: 'if (previous.depth === current.depth) return',
    replace: 'if (previous.depth <= 1000) return',
    tests: ['test/tracker/changes/change.test.ts'],
  },
  {
    invariant: 'a domain is compared label by label',
    file: 'src/tracker/targets/target.ts',
    find: 'for (let at = 0; at !== -1; at = nextLabel(host, at)) {',
    replace: 'for (let at = 0; at < host.length; at += 1) {',
    tests: ['test/tracker/targets/target.test.ts'],
  },
];

const files: readonly Plant[] = [
  {
    invariant: 'a report appears completely: one rename moves `latest`',
    file: 'jobs/report/files/report-files.ts',
    find: '  symlinkSync(name, link);\n  renameSync(link, latest);',
    replace: '  symlinkSync(name, link);\n  rmSync(latest, { force: true });',
    tests: ['test/jobs/report/report-files.test.ts'],
  },
  {
    invariant: 'text of a table is never a formula',
    file: 'src/report/formats/csv.ts',
    find: 'options.safe ? guardFormulas(sound, options.delimiter)',
    replace: "options.delimiter === '' ? guardFormulas(sound, options.delimiter)",
    tests: ['test/report/formats/csv.test.ts'],
  },
  {
    invariant: 'text of a table is never a formula, even if a spreadsheet splits at another delimiter',
    file: 'src/tracker/formula-guard.ts',
    find: 'if (character !== delimiter && splitters.includes(character)) canBegin = true;',
    replace: '',
    tests: ['test/report/formats/formula-guard.test.ts'],
  },
  {
    invariant: 'a database of a newer version is not opened',
    file: 'db/connection/opening/guards.ts',
    find: 'if (version > schemaVersion()) {',
    replace: 'if (version > schemaVersion() + 1000) {',
    tests: ['test/db/connection/client.test.ts', 'test/db/connection/migrations.test.ts'],
  },
];

export const plants: readonly Plant[] = [
  ...money,
  ...runs,
  ...history,
  ...files,
  ...owners,
  ...pages,
  ...clicks,
  ...answers,
  ...columns,
  ...dashboard,
  ...spending,
  ...destinations,
  ...reports,
  ...signal,
  ...trust,
];
