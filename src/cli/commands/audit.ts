// `audit`, formerly also `verify`: proves credits and rows, and settles purchases with an unknown outcome.

import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { openForReading } from '../../../db/connection/client.ts';
import { asStoreError } from '../../../db/connection/errors.ts';
import type { AuditCheck } from '../../../db/integrity/audit.ts';
import { computeSha256, recordedSha256 } from '../../../db/integrity/backup.ts';
import { isProofOfRows, isSumCheck, verification } from '../../../db/integrity/verify.ts';
import { Witness } from '../../../db/integrity/witness.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { askAgain, type ReconcileResult, settleAsAgreed, takeWord } from '../../../jobs/query/reconcile.ts';
import type { App } from '../../app/app.ts';
import { type AuditReport, audit, withAge } from '../../app/audit.ts';
import { throwFailures } from '../../app/opening/failures.ts';
import { acceptLoss, findLoss, guardHistory } from '../../app/opening/loss.ts';
import { operatorName } from '../../app/opening/machine.ts';
import { dayMs } from '../../tracker/schedule/time-units.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { CommandError, describeFailure, usageError } from '../text/failure.ts';
import { amount, counted, dollars, duration, megabytes } from '../text/numbers.ts';
import { disputeLine } from '../text/results/run-text.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

type Unknown = AuditReport['unknownPurchases'][number];

const money = (currency: string, number: number) => (currency === 'serp_credit' ? amount(number) : dollars(number));

type Total = AuditReport['totals']['serp_credit'] & { readonly currency: 'serp_credit' | 'micro_usd' };

const totalColumns: readonly Column<Total>[] = [
  { title: '', value: ({ currency }) => (currency === 'serp_credit' ? 'SERP credits' : 'keyword data') },
  ...(['reserved', 'spent', 'unknown', 'released', 'open'] as const).map(
    (name): Column<Total> => ({ title: name, align: 'right', value: (total) => money(total.currency, total[name]) }),
  ),
];

type SourceMonth = AuditReport['sources'][number];

/** Purchases for which a bill may still come. */
const monthsShown = 3;

const sourceColumns: readonly Column<SourceMonth>[] = [
  { title: 'month', value: ({ month }) => month },
  { title: 'source', value: ({ source }) => source },
  { title: 'credits', align: 'right', value: ({ spent }) => amount(spent) },
  { title: 'perhaps spent', align: 'right', value: ({ unknown }) => amount(unknown) },
  ...(['charged', 'unknown', 'free'] as const).map(
    (name): Column<SourceMonth> => ({
      title: { charged: 'requests', unknown: 'perhaps charged', free: 'free' }[name],
      align: 'right',
      value: ({ requests }) => (requests === null ? '-' : amount(requests[name])),
    }),
  ),
];

const unknownColumns: readonly Column<Unknown>[] = [
  { title: 'purchase', align: 'right', value: ({ purchaseId }) => `${purchaseId}` },
  { title: 'at', value: ({ at }) => at },
  { title: 'age', align: 'right', value: ({ ageMs }) => age(ageMs) },
  { title: 'service', value: ({ service }) => service },
  { title: 'what', value: ({ what }) => what, widthMax: 50 },
  { title: 'amount', align: 'right', value: ({ currency, amount: number }) => money(currency, number) },
  { title: 'error', value: ({ error }) => error ?? '', widthMax: 50 },
];

type Dispute = AuditReport['disputes'][number];

const disputeColumns: readonly Column<Dispute>[] = [
  { title: 'purchase', align: 'right', value: ({ purchaseId }) => `${purchaseId}` },
  { title: 'run', align: 'right', value: ({ runId }) => `${runId}` },
  { title: 'at', value: ({ at }) => at },
  { title: 'service', value: ({ service }) => service },
  { title: 'agreed', align: 'right', value: ({ currency, agreed }) => money(currency, agreed) },
  { title: 'stated', align: 'right', value: ({ currency, stated }) => money(currency, stated) },
  { title: 'counted', align: 'right', value: ({ currency, counted: number }) => money(currency, number) },
  { title: 'beyond the budget', align: 'right', value: ({ currency, exceeded }) => money(currency, exceeded) },
];

const describeProofs = (command: Command) =>
  command
    .argument('[file]', 'a database or a backup (default: the database of the config)')
    .option('--accept-sums <reason>', 'compute sums that differ again, for a cause that you know, and record it');

const describeAudit = (command: Command) =>
  describeProofs(command)
    .option(
      '--accept-loss <reason>',
      'go on although the database was lost: what its witness file records counts as spent',
    )
    .option(
      '--reconcile [verdict]',
      'settle unknown purchases: ask the provider, or mark them as charged or free; agreed: settle prices in dispute',
      verdict,
    )
    .option('--purchase <id>', 'only this purchase; may be given several times', purchases)
    .option('--service <name>', 'all such purchases of this service');

export const command: CommandDefinition = {
  about: `rankledger records every purchase before it sends the request, and then settles it to its real cost. The audit adds all purchases up again. It also
proves that the file and its tables are intact, that no recorded row has changed (checksums over all history), and that every archived page and
stored response can be read; of a database of more than 512 MB only where you name the file. It only reads, and may run during a run. Exit code 1 if
anything is broken.
A purchase whose answer was lost counts as spent. --reconcile without a verdict requests such pages of the last 24 hours again, from services with
keepsKeys: true, under their original keys, so that nothing is paid twice. --reconcile charged and --reconcile free record the provider's bill.
A price that a provider states above the agreed one is booked. --reconcile agreed records that the bill has the agreed price.
Where the database was lost, all commands refuse. --accept-loss begins a new history; what the witness file of the old one recorded counts as spent.`,
  examples: [
    { command: 'audit', does: 'each invariant, the totals, and purchases with an unknown outcome' },
    { command: 'audit --json', does: 'the same for monitoring' },
    {
      command: 'audit data/backups/rankledger-20260115T060000.000Z.sqlite',
      does: 'every check of a backup, and of its SHA-256',
    },
    {
      command: 'audit --accept-sums "version 0.9 wrote during the upgrade"',
      does: 'only if nothing but sums is broken; `account log` lists it',
    },
    {
      command: 'audit --accept-loss "the disk is gone"',
      does: 'go on without a database that was lost; `account log` lists it',
    },
    {
      command: 'audit --reconcile',
      does: 'ask providers with keepsKeys: true about purchases with an unknown outcome',
    },
    {
      command: 'audit --reconcile free --purchase 17',
      does: 'it is not on the bill: its credit returns to the budget',
    },
    {
      command: 'audit --reconcile charged --service vendor',
      does: 'all unknown purchases of this service are on the bill',
    },
    {
      command: 'audit --reconcile agreed --purchase 17',
      does: 'its bill has the agreed price, not the higher one that was stated: the rest returns to the budget',
    },
  ],
  readsConfig: true,
  asksServices: ({ flags }) => 'reconcile' in flags,
  describe: describeAudit,
  async run(context) {
    const request = parseRequest(context);
    const { acceptLoss: reason, acceptSums } = context.flags(describeAudit);
    if (reason !== undefined) {
      if (request !== null || context.args.length > 0 || acceptSums !== undefined)
        throw usageError('--accept-loss takes no file, and neither --accept-sums nor --reconcile.');
      return await acceptLostHistory(context, reason);
    }
    if (context.args.length > 0 || acceptSums !== undefined) {
      if (request !== null) throw usageError('--reconcile takes no file, and not --accept-sums.');
      return await verifyCommand.run(context);
    }
    const reconciled =
      request === null ? null : await context.withApp((app) => reconcile(app, request, context.signal));
    const report = await context.withApp(
      async (app) => audit(app, await followed(context, app.context.store.proofs())),
      { isReading: true, allowsLoss: true },
    );
    context.progress.clear();
    // where no witness can be compared, a missing database passes as a new one
    if (report.ok) guardHistory(await context.config());
    if (context.json) context.out.json(reconciled === null ? report : { ...report, reconciled });
    else {
      if (reconciled !== null) printReconciled(context.out, reconciled);
      print(context.out, report);
    }
    return report.ok ? exitCodes.done : exitCodes.failed;
  },
};

type Verdict = Extract<ReconcileRequest, { kind: 'word' }>['as'];

function verdict(written: string): Verdict {
  if (written === 'charged' || written === 'free' || written === 'agreed') return written;
  throw new InvalidArgumentError('Write charged, free or agreed, or no value to ask the provider.');
}

function purchases(written: string, before: readonly number[] | undefined): readonly number[] {
  return [...(before ?? []), wholeNumber(1, Number.MAX_SAFE_INTEGER)(written)];
}

function parseRequest(context: Context): ReconcileRequest | null {
  const { reconcile, purchase = [], service } = context.flags(describeAudit);
  const selects = purchase.length > 0 || service !== undefined;
  if (purchase.length > 0 && service !== undefined) throw usageError('--purchase and --service exclude each other');
  if (reconcile === undefined || reconcile === true) {
    if (selects) throw usageError('--purchase and --service need --reconcile charged, free or agreed');
    return reconcile === undefined ? null : { kind: 'ask' };
  }
  if (!selects) throw usageError(`--reconcile ${reconcile} needs --purchase ID or --service NAME`);
  return { kind: 'word', as: reconcile, purchases: purchase, service };
}

/** `3 h 10 min`, `12 d`. */
function age(ms: number): string {
  const days = Math.floor(ms / dayMs);
  return days < 2 ? duration(ms) : `${days} d`;
}

function printReconciled(out: Printer, { settled, prices, left, notes }: ReconcileReport): void {
  for (const { purchaseId, what, currency, amount: number, as } of settled) {
    const where = as === 'free' ? 'goes back to the budget' : 'was charged';
    out.line(`purchase ${purchaseId}  ${printable(what)}: ${money(currency, number)} ${where}`);
  }
  for (const { purchaseId, service, currency, agreed, returned } of prices) {
    const rest = `${money(currency, returned)} above the agreed ${money(currency, agreed)} goes back to the budget`;
    out.line(printable(`purchase ${purchaseId}  service ${service}: ${rest}`));
  }
  for (const note of notes) out.line(printable(note));
  out.line(
    `${counted(settled.length + prices.length, 'purchase')} settled, ${counted(left, 'purchase')} still unknown`,
  );
  out.line();
}

function print(out: Printer, audit: AuditReport): void {
  printChecks(out, audit.checks);
  out.line();
  const currencies = ['serp_credit', 'micro_usd'] as const;
  for (const line of tableLines(
    totalColumns,
    currencies.map((currency) => ({ currency, ...audit.totals[currency] })),
  )) {
    out.line(line);
  }
  const months = [...new Set(audit.sources.map(({ month }) => month))].slice(0, monthsShown);
  if (months.length > 0) {
    out.line();
    out.line('Requests and purchases by source, to compare with its bill:');
    const shown = audit.sources.filter(({ month }) => months.includes(month));
    for (const line of tableLines(sourceColumns, shown)) out.line(line);
  }
  if (audit.unknownPurchases.length > 0) {
    out.line();
    out.line('No answer, perhaps charged: counted as spent. Compare them with the bill of your provider.');
    for (const line of tableLines(unknownColumns, audit.unknownPurchases)) out.line(line);
  }
  if (audit.disputes.length > 0) {
    out.line();
    if (audit.disputeTotals.length === 0) out.line('Prices above the agreed ones, all settled:');
    else {
      out.line('The provider states a higher price than agreed. The higher price counts; compare it with the bill.');
      out.line(
        'If the bill has the agreed price: rankledger audit --reconcile agreed --purchase ID (or --service NAME)',
      );
    }
    for (const totals of audit.disputeTotals) out.line(printable(`  ${disputeLine(totals)}`));
    for (const line of tableLines(disputeColumns, audit.disputes)) out.line(line);
  }
  out.line();
  const isBroken = (check: Check): boolean => !check.ok;
  const [ofRows, ofLedger] = [
    audit.checks.filter(isProofOfRows),
    audit.checks.filter((check) => !isProofOfRows(check)),
  ];
  if (ofLedger.some(isBroken)) out.line(out.styled('red', 'The ledger does not add up: see BROKEN above.'));
  else out.line('Every credit is accounted for.');
  if (ofRows.some(isBroken)) {
    out.line(out.styled('red', 'The database is broken: see BROKEN above.'));
    out.line(restoreHint);
  } else if (!ofRows.some(({ skipped }) => skipped)) out.line('Every row is as it was recorded.');
  for (const { ok, remedy } of audit.checks) if (!ok && remedy !== undefined) out.line(remedy);
}

/**
 * `ask`: asks providers that keep idempotency keys again. `word`: the operator has seen the bill; one of the two
 * selectors is needed.
 */
type ReconcileRequest = { readonly kind: 'ask' } | PurchaseWord | PriceWord;

interface Selected {
  readonly purchases: readonly number[];
  readonly service?: string;
}

interface PurchaseWord extends Selected {
  readonly kind: 'word';
  readonly as: 'charged' | 'free';
}

/** The bill has the agreed price where the provider stated a higher one. */
interface PriceWord extends Selected {
  readonly kind: 'word';
  readonly as: 'agreed';
}

type ReconcileReport = Awaited<ReturnType<typeof settleUnknown>>;

export async function reconcile(app: App, request: ReconcileRequest, signal: AbortSignal): Promise<ReconcileReport> {
  throwFailures(await app.openServices());
  return await settleUnknown(app.context, request, signal);
}

/** Services must be open. */
export async function settleUnknown(context: JobContext, request: ReconcileRequest, signal: AbortSignal) {
  if (request.kind === 'word' && request.as === 'agreed') return settlePrices(context, request);
  const unknown = new Map(context.store.audit.unknownPurchases().map((purchase) => [purchase.purchaseId, purchase]));
  const result = request.kind === 'ask' ? await askAgain(context, signal) : byWord(context, request);
  const now = context.clock.now();
  return {
    settled: result.settled.flatMap(({ purchase, as }) => {
      const known = unknown.get(purchase.purchaseId);
      return known === undefined ? [] : [{ ...withAge({ ...known, amount: purchase.amount }, now), as }];
    }),
    prices: [],
    left: result.left.length,
    notes: result.notes,
  };
}

function byWord(context: JobContext, request: PurchaseWord): ReconcileResult {
  const { as, purchases } = request;
  const unknown = new Map(context.store.reconciliations.unknown().map((one) => [one.purchaseId, one]));
  for (const id of purchases) {
    const purchase = unknown.get(id);
    if (purchase === undefined)
      throw usageError(`purchase ${id} has no unknown outcome; \`rankledger audit\` lists those that have`);
    refuseUnderWay(purchase);
  }
  return takeWord(context, as, selector(context, request, unknown.values()));
}

function settlePrices(context: JobContext, request: PriceWord) {
  const open = new Map(context.store.disputes.open().map((one) => [one.purchaseId, one]));
  for (const id of request.purchases) {
    const dispute = open.get(id);
    if (dispute === undefined)
      throw usageError(`purchase ${id} has no price in dispute; \`rankledger audit\` lists those that have`);
    refuseUnderWay(dispute);
  }
  const settled = settleAsAgreed(context, selector(context, request, open.values()));
  return {
    settled: [],
    prices: settled.map(({ purchaseId, service, currency, agreed, counted }) => {
      return { purchaseId, service, currency, agreed, returned: counted - agreed };
    }),
    left: context.store.ledger.unknownPurchases(),
    notes: [],
  };
}

interface Selectable {
  readonly purchaseId: number;
  readonly service: string;
  readonly isUnderWay: boolean;
}

function refuseUnderWay({ purchaseId, isUnderWay }: Selectable): void {
  if (isUnderWay) throw usageError(`purchase ${purchaseId} belongs to a run in progress: wait until it ends`);
}

/** The purchases that a request names, or all of its service. Throws UsageError where it names neither. */
function selector(
  { services }: JobContext,
  { purchases, service }: Selected,
  candidates: Iterable<Selectable>,
): (purchase: Selectable) => boolean {
  if (purchases.length > 0) return ({ purchaseId }) => purchases.includes(purchaseId);
  if (service === undefined) throw usageError('name the purchases: --purchase ID (once for each) or --service NAME');
  const named = new Set([...services.keys(), ...[...candidates].map((one) => one.service)]);
  if (!named.has(service)) throw usageError(`there is no service "${service}"; known: ${[...named].join(', ')}`);
  return (purchase) => purchase.service === service;
}

const restoreHint = 'Stop rankledger, keep this file, and put your newest intact backup in its place.';

/** The older name of `audit`, for the checks alone. */
export const verifyCommand: CommandDefinition = {
  about: `The checks of \`audit\`, without totals and purchases, of a database of any size and version.`,
  examples: [
    { command: 'verify', does: 'the database of the config' },
    { command: 'verify --json', does: 'the same for monitoring' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe: describeProofs,
  async run(context) {
    const { acceptSums } = context.flags(describeProofs);
    if (acceptSums !== undefined && context.args.length > 0) throw usageError('--accept-sums takes no file.');
    const report = acceptSums === undefined ? await verify(context) : await acceptDifferentSums(context, acceptSums);
    if (context.json) context.out.json(report);
    else printVerified(context, report);
    return report.ok ? exitCodes.done : exitCodes.failed;
  },
};

/** Makes the checks one by one, and lets a signal in between two. */
async function followed({ progress, signal }: Context, proofs: Iterable<AuditCheck>): Promise<AuditCheck[]> {
  const checks: AuditCheck[] = [];
  for (const check of proofs) {
    checks.push(check);
    progress.update({ label: 'proof', done: checks.length, total: checks.length, creditsSpent: 0 });
    await new Promise((next) => setImmediate(next));
    signal.throwIfAborted();
  }
  return checks;
}

async function verify(context: Context): Promise<VerifyReport> {
  const [named] = context.args;
  const file = named === undefined ? (await context.config()).databaseFile : resolve(context.host.cwd, named);
  try {
    return await verifyDatabase(context, file);
  } catch (error) {
    throw withoutItself(error, named !== undefined);
  }
}

/** Hints of the store advise to run this command, or name `database:`; here they state what to do next. */
function withoutItself(error: unknown, isNamed: boolean): unknown {
  const { code, message, hint, exitCode } = describeFailure(error);
  if (isNamed && (hint?.includes('`database:`') === true || code === 'DATABASE_EMPTY_FILE'))
    return new CommandError(code, message, 'Name a database, or a backup that `rankledger backup` wrote.', exitCode);
  if (hint?.includes('rankledger verify') !== true) return error;
  return new CommandError(code, message, `Check the disk. ${restoreHint}`, exitCode);
}

function printVerified({ out, shown, progress }: Context, report: VerifyReport): void {
  progress.clear();
  out.line(`${shown(report.file)}, ${megabytes(report.bytes)}`);
  out.line();
  printChecks(out, report.checks);
  out.line();
  if (report.ok) {
    out.line('The database is intact.');
    return;
  }
  const remedies = report.checks.flatMap(({ ok, remedy }) => (ok ? [] : [remedy ?? restoreHint]));
  const isBroken = remedies.includes(restoreHint);
  out.line(out.styled('red', `${isBroken ? 'The database is broken' : 'A check failed'}: see BROKEN above.`));
  out.line(isBroken ? restoreHint : remedies.join(' '));
}

type VerifyReport = Awaited<ReturnType<typeof verifyDatabase>>;

/** Changes nothing. Throws StoreError if the file is no rankledger database, or is too damaged to open. */
async function verifyDatabase(context: Context, file: string) {
  const checks: AuditCheck[] = [];
  openForReading(file).close(); // refuses other files before reading all of it
  const sum = await sumCheck(file); // not while it is open: closing a second handle would drop SQLite's locks on it
  if (sum !== null) checks.push(sum);
  const db = openForReading(file);
  try {
    checks.push(...(await followed(context, verification(db))));
    const witness = new Witness(db);
    const shown = basename(witness.file);
    checks.push(witness.check(shown, `it lacks what ${shown} records: it is an older copy, or another database`));
  } catch (error) {
    throw asStoreError(error, file);
  } finally {
    db.close();
  }
  return { ok: checks.every(({ ok }) => ok), file, bytes: statSync(file).size, checks };
}

/**
 * Computes the sums of a database again and records who did so and why, after the proofs: they must find nothing but
 * sums that differ.
 */
async function acceptDifferentSums(context: Context, reason: string): Promise<VerifyReport> {
  return await context.withApp(async (app) => {
    const { databaseFile } = app.config;
    const { checks } = await verifyDatabase(context, databaseFile);
    const broken = checks.filter(({ ok }) => !ok);
    const others = broken.filter((check) => !isSumCheck(check));
    if (broken.length === 0) throw usageError('every sum is as it was recorded: there is nothing to accept');
    if (others.length > 0)
      throw usageError(
        `more is broken than sums: ${others.map(({ name }) => name).join('; ')}`,
        'Put your newest intact backup in its place.',
      );
    const { store, clock } = app.context;
    const facts = { reason, differed: broken.map(({ name, detail }) => `${name}: ${detail}`) };
    const [account, username, by, at] = [undefined, undefined, operatorName(), clock.now()];
    store.acceptSums({ action: 'sums-accept', account, username, by, facts, at });
    return await verifyDatabase(context, databaseFile);
  });
}

/** Lets runs go on without a history that was lost. */
async function acceptLostHistory(context: Context, reason: string): Promise<ExitCode> {
  const loss = findLoss(await context.config());
  if (loss === null) throw usageError('no history is lost: there is nothing to accept');
  const gap = await context.withApp(({ context: jobs }) => acceptLoss(jobs, loss, reason), { allowsLoss: true });
  if (context.json) context.out.json({ accepted: loss, gap });
  else {
    context.out.line(printable(`Accepted: ${loss}.`));
    for (const { day, currency, spent } of gap)
      context.out.line(
        `  ${day}  ${money(currency, spent)} ${currency === 'serp_credit' ? 'credits ' : ''}count as spent`,
      );
    context.out.line('The next run begins a new history. `account log` keeps who accepted this, and why.');
  }
  return exitCodes.done;
}

async function sumCheck(file: string): Promise<AuditCheck | null> {
  const sha256 = recordedSha256(file);
  if (sha256 === null) return null;
  const ok = (await computeSha256(file)) === sha256;
  const name = 'the file is byte for byte what was backed up (SHA-256)';
  return { name, ok, detail: ok ? '' : `it differs from ${basename(file)}.sha256` };
}

type Check = AuditReport['checks'][number];

function printChecks(out: Printer, checks: readonly Check[]): void {
  for (const check of checks) {
    const detail = check.detail === '' ? '' : `: ${printable(check.detail)}`;
    out.line(`${checkText(out, check)}  ${check.name}${detail}`);
  }
}

function checkText(out: Printer, { ok, skipped }: Check): string {
  if (skipped === true) return out.styled('yellow', 'skip  ');
  return ok ? out.styled('green', 'ok    ') : out.styled('red', 'BROKEN');
}
