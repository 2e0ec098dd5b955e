// `audit`: the proof that the ledger explains every credit.
import type { AuditReport } from '../../app.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { amount, dollars } from '../numbers.ts';
import type { Printer } from '../printer.ts';
import { type Column, printable, tableLines } from '../table.ts';

type Unknown = AuditReport['unknownPurchases'][number];

const money = (currency: string, number: number) => (currency === 'serp_credit' ? amount(number) : dollars(number));

type Total = AuditReport['totals']['serp_credit'] & { readonly currency: 'serp_credit' | 'micro_usd' };

const totalColumns: readonly Column<Total>[] = [
  { title: '', value: ({ currency }) => (currency === 'serp_credit' ? 'SERP credits' : 'keyword data') },
  ...(['reserved', 'spent', 'unknown', 'released', 'open'] as const).map(
    (name): Column<Total> => ({ title: name, align: 'right', value: (total) => money(total.currency, total[name]) }),
  ),
];

const unknownColumns: readonly Column<Unknown>[] = [
  { title: 'purchase', align: 'right', value: ({ purchaseId }) => `${purchaseId}` },
  { title: 'at', value: ({ at }) => at },
  { title: 'service', value: ({ service }) => service },
  { title: 'what', value: ({ what }) => what, widthMax: 50 },
  { title: 'amount', align: 'right', value: ({ currency, amount: number }) => money(currency, number) },
  { title: 'error', value: ({ error }) => error ?? '', widthMax: 50 },
];

export const command: CommandDefinition = {
  about: `Every purchase is written down before it is sent, and settled to what was used. The audit adds all of it up again.
Exit code 1 where anything does not add up.`,
  examples: [
    { command: 'audit', does: 'each invariant, the totals, and purchases with an unknown outcome' },
    { command: 'audit --json', does: 'the same for a monitor' },
  ],
  readsConfig: true,
  describe: () => {},
  async run(context) {
    const audit = await context.withApp(async (app) => app.audit(), { isReading: true });
    if (context.json) context.out.json(audit);
    else print(context.out, audit);
    return audit.ok ? exitCodes.done : exitCodes.failed;
  },
};

function print(out: Printer, audit: AuditReport): void {
  for (const { name, ok, detail } of audit.checks) {
    const verdict = ok ? out.styled('green', 'ok    ') : out.styled('red', 'BROKEN');
    out.line(`${verdict}  ${name}${detail === '' ? '' : `: ${printable(detail)}`}`);
  }
  out.line();
  const currencies = ['serp_credit', 'micro_usd'] as const;
  for (const line of tableLines(
    totalColumns,
    currencies.map((currency) => ({ currency, ...audit.totals[currency] })),
  )) {
    out.line(line);
  }
  if (audit.unknownPurchases.length > 0) {
    out.line();
    out.line('Perhaps paid, no answer: counted as spent. Compare them with the bill of your provider.');
    for (const line of tableLines(unknownColumns, audit.unknownPurchases)) out.line(line);
  }
  out.line();
  out.line(
    audit.ok ? 'Every credit is accounted for.' : out.styled('red', 'The ledger does not add up: see BROKEN above.'),
  );
}
