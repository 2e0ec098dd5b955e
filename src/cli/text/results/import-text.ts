// Shared texts of imports: columns by name, progress, unreadable files, and the list of rejected rows.
import type { Printer } from '../../terminal/printer.ts';
import type { Progress } from '../../terminal/progress.ts';
import { usageError } from '../failure.ts';
import { amount } from '../numbers.ts';
import { printable } from '../table.ts';

/**
 * `keyword=Query,date=Day`: each part assigns a column to a role. A comma is part of a column's name unless a word and
 * `=` follow.
 */
export function columnsByRole<Role extends string>(
  written: readonly string[],
  roles: readonly Role[],
  example: string,
): Map<Role, string> {
  const columns = new Map<Role, string>();
  const nextRole = /,(?=\s*[a-z_]+\s*=)/i;
  for (const part of written.flatMap((list) => list.split(nextRole))) {
    const at = part.indexOf('=');
    const role = roles.find((one) => one === part.slice(0, Math.max(at, 0)).trim());
    const column = part.slice(at + 1).trim();
    if (role === undefined || column === '') {
      throw usageError(
        `--map: "${printable(part)}" is not ROLE=COLUMN with a known role.`,
        `Write ${example}; known roles: ${roles.join(', ')}.`,
      );
    }
    columns.set(role, column);
  }
  return columns;
}

/** A file that cannot be read is a usage error. Compares names, so that it needs no import of the class. */
export function asUsage(error: unknown, shown: (file: string) => string, only = ''): unknown {
  if (!(error instanceof Error) || error.name !== 'UnreadableFile') return error;
  const file = shown('file' in error ? String(error.file) : only);
  return usageError(`${file}: ${error.message}.`, 'hint' in error ? String(error.hint) : null);
}

const kibibyte = 1024;

/** Shows how much of the files has been read; takes bytes. */
export function importProgress(progress: Progress): (done: number, total: number) => void {
  return (done, total) =>
    progress.update({
      label: 'importing, KiB',
      done: Math.ceil(done / kibibyte),
      total: Math.ceil(total / kibibyte),
      creditsSpent: 0,
    });
}

interface RefusedGroup {
  readonly count: number;
  readonly what: string;
  readonly remedy: string | null;
  readonly first: readonly { readonly line: number; readonly said: string }[];
}

/** `heading` states the total; then for each reason its count, the first rows, and the remedy. */
export function printRefused(out: Printer, heading: string, groups: readonly RefusedGroup[]): void {
  if (groups.length === 0) return;
  out.line();
  out.line(out.styled('yellow', heading));
  for (const { count, what, remedy, first } of groups) {
    out.line(`  ${amount(count)} x ${what}`);
    for (const { line, said } of first) out.line(`      line ${line}: ${printable(said)}`);
    if (remedy !== null) out.line(`      ${remedy}`);
  }
}
