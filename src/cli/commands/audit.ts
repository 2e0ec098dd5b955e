// `audit`: proves that the ledger explains every credit, and settles purchases with an unknown outcome.
import { InvalidArgumentError } from 'commander';
import type { AuditReport } from '../../app/upkeep/audit.ts';
import type { ReconcileReport, ReconcileRequest } from '../../app/upkeep/reconcile.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted, dollars, duration } from '../text/numbers.ts';
import { printChecks } from '../text/results/audit-checks.ts';
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

export const command: CommandDefinition = {
  about: `rankledger records every purchase before it sends the request, and then settles it to its real cost. The audit adds all purchases up again.
Exit code 1 if the sums differ.
A purchase whose answer was lost counts as spent. --reconcile without a verdict requests such pages of the last 24 hours again, from services with
keepsKeys: true, under their original keys, so that nothing is paid twice. --reconcile charged and --reconcile free record the provider's bill.
A price that a provider states above the agreed one is booked. --reconcile agreed records that the bill has the agreed price.`,
  examples: [
    { command: 'audit', does: 'each invariant, the totals, and purchases with an unknown outcome' },
    { command: 'audit --json', does: 'the same for monitoring' },
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
  describe(command) {
    command
      .option(
        '--reconcile [verdict]',
        'settle unknown purchases: ask the provider, or mark them as charged or free; agreed: settle prices in dispute',
        verdict,
      )
      .option('--purchase <id>', 'only this purchase; may be given several times', purchases)
      .option('--service <name>', 'all such purchases of this service');
  },
  async run(context) {
    const request = parseRequest(context);
    const { useCases } = context.host;
    const [auditLedger, reconcile] = [await useCases.audit(), await useCases.reconcile()];
    const { audit, reconciled } = await context.withApp(
      async (app) => ({
        reconciled: request === null ? null : await reconcile(app, request, context.signal),
        audit: auditLedger(app),
      }),
      { isReading: request === null },
    );
    if (context.json) context.out.json(reconciled === null ? audit : { ...audit, reconciled });
    else {
      if (reconciled !== null) printReconciled(context.out, reconciled);
      print(context.out, audit);
    }
    return audit.ok ? exitCodes.done : exitCodes.failed;
  },
};

interface Flags {
  readonly reconcile?: true | Verdict;
  readonly purchase?: readonly number[];
  readonly service?: string;
}

type Verdict = Extract<ReconcileRequest, { kind: 'word' }>['as'];

function verdict(written: string): Verdict {
  if (written === 'charged' || written === 'free' || written === 'agreed') return written;
  throw new InvalidArgumentError('Write charged, free or agreed, or no value to ask the provider.');
}

function purchases(written: string, before: readonly number[] | undefined): readonly number[] {
  return [...(before ?? []), wholeNumber(1, Number.MAX_SAFE_INTEGER)(written)];
}

function parseRequest(context: Context): ReconcileRequest | null {
  const { reconcile, purchase = [], service } = context.flags<Flags>();
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
  const days = Math.floor(ms / 86_400_000);
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
  out.line(
    audit.ok ? 'Every credit is accounted for.' : out.styled('red', 'The ledger does not add up: see BROKEN above.'),
  );
  for (const { ok, remedy } of audit.checks) if (!ok && remedy !== undefined) out.line(remedy);
}
