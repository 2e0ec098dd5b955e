// rank-changes.csv against the oracle: each project's newest report agrees with the pages, now and at its baseline.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import type { OracleTarget } from './oracle.ts';
import type { OperatorProcess } from './process.ts';
import type { Sometimes } from './sometimes.ts';
import type { Judged, JudgedCheck } from './verify-history.ts';

type CsvRow = Readonly<Record<string, string>>;

export function reportProblems(process: OperatorProcess, { checks }: Judged, sometimes: Sometimes): string[] {
  const problems: string[] = [];
  const bySearch = Map.groupBy(checks, (check) => check.search);
  for (const project of process.context.projects.values()) {
    const file = join(process.world.reports, project.id, 'latest', 'rank-changes.csv');
    if (!existsSync(file)) {
      problems.push(`${project.id} has no report`);
      continue;
    }
    const rows = Papa.parse<CsvRow>(readFileSync(file, 'utf8').slice(1), { header: true, skipEmptyLines: true }).data;
    for (const row of rows) {
      const target = project.targets.find(({ value }) => value === row['target']);
      if (target === undefined) continue;
      const wrong = wrongRow(row, target, bySearch.get(`${row['keyword']} ${row['country']} ${row['device']}`) ?? []);
      if (wrong !== null) problems.push(`${project.id}, report, ${row['keyword']}, ${row['target']}: ${wrong}`);
      if (row['change'] !== '') sometimes.count('changes compared');
    }
  }
  return problems;
}

function wrongRow(row: CsvRow, target: OracleTarget, checks: readonly JudgedCheck[]): string | null {
  const check = checks.find(({ runId }) => String(runId) === row['run_id']);
  if (check === undefined) return row['rank'] === '' ? null : `rank ${row['rank']} of a run that read nothing`;
  const verdict = check.verdictOn(target);
  const rank = verdict.kind === 'ranked' ? verdict.rank : null;
  if (row['rank'] !== text(rank)) return `rank ${row['rank']}, the pages say ${text(rank)}`;
  if (
    row['status'] === 'not_found' &&
    (verdict.kind !== 'absent' || verdict.provenDepth < check.depth || check.state !== 'ok')
  )
    return 'not_found, without proof';
  if (row['status'] === 'not_followed' && (verdict.kind !== 'absent' || verdict.provenDepth >= check.depth))
    return 'not_followed, although the pages say more';
  if (row['previous_checked_at'] === '') return row['previous_rank'] === '' ? null : 'a previous rank without a date';
  const previousAt = Date.parse(row['previous_checked_at'] ?? '');
  const previous = checks
    .filter((one) => one.checkedAt === previousAt && one.state === 'ok')
    .map((one) => one.verdictOn(target));
  if (previous.length === 0) return `no complete check was read at ${row['previous_checked_at']}`;
  const ranks = previous.map((one) => (one.kind === 'ranked' ? one.rank : null));
  if (!ranks.some((one) => text(one) === row['previous_rank']))
    return `previous rank ${row['previous_rank']}, the pages said ${ranks.join(', ')}`;
  const change =
    rank === null || row['previous_rank'] === '' || row['change_class'] === 'not_comparable'
      ? null
      : Number(row['previous_rank']) - rank;
  return row['change'] === text(change) ? null : `change ${row['change']} instead of ${text(change)}`;
}

function text(number: number | null): string {
  return number === null ? '' : String(number);
}
