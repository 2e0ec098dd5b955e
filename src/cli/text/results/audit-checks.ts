// The checks of `audit` and `verify`, a line each.
import type { AuditReport } from '../../../app/upkeep/audit.ts';
import type { Printer } from '../../terminal/printer.ts';
import { printable } from '../table.ts';

type Check = AuditReport['checks'][number];

export function printChecks(out: Printer, checks: readonly Check[]): void {
  for (const check of checks) {
    const detail = check.detail === '' ? '' : `: ${printable(check.detail)}`;
    out.line(`${verdict(out, check)}  ${check.name}${detail}`);
  }
}

function verdict(out: Printer, { ok, skipped }: Check): string {
  if (skipped === true) return out.styled('yellow', 'skip  ');
  return ok ? out.styled('green', 'ok    ') : out.styled('red', 'BROKEN');
}
