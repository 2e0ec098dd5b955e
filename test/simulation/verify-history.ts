// Rankings against the oracle, and the ends of runs and checks: no number is invented or lost, all work is finished.

import type { Row } from '../../db/connection/statement.ts';
import { judge, type OracleTarget, type Verdict } from './oracle.ts';
import type { OperatorProcess } from './process.ts';
import type { Provider } from './provider.ts';
import type { Situation, Sometimes } from './sometimes.ts';

/** A check that read something, with its pages as the provider sent them. */
export interface JudgedCheck {
  readonly id: number;
  readonly runId: number;
  readonly state: string;
  /** `keyword country device` */
  readonly search: string;
  readonly depth: number;
  readonly checkedAt: number;
  readonly projects: readonly string[];
  verdictOn(target: OracleTarget): Verdict;
}

export interface Judged {
  readonly checks: readonly JudgedCheck[];
  readonly problems: readonly string[];
}

/** Every check that read something; a page that differs from what was sent for its purchase is a problem. */
export function judgeChecks(process: OperatorProcess, provider: Provider): Judged {
  const problems: string[] = [];
  const pages = new Map<number, Map<number, readonly string[]>>();
  const purchases = process.rows(
    `SELECT cp.check_id, cp.page, u.request_key FROM check_pages cp JOIN pages g ON g.id = cp.page_id JOIN purchases u ON u.id = g.purchase_id`,
  );
  const keys = new Map(purchases.map((row) => [`${row['check_id']} ${row['page']}`, String(row['request_key'])]));
  const rows = checkRows(process);
  for (const { id } of rows) {
    const read = new Map<number, readonly string[]>();
    for (const { page, organic } of process.context.store.pages.ofCheck(Number(id))) {
      const links = organic.map(({ url }) => url);
      const sent = provider.sent.get(keys.get(`${id} ${page}`) ?? '') ?? [];
      if (!sent.some((one) => one.links.join(' ') === links.join(' '))) {
        problems.push(`check ${id}, page ${page}: what is kept was never sent for it`);
      }
      const twin = [...read].find(([, other]) => links.length > 0 && other.join(' ') === links.join(' '));
      if (twin !== undefined) problems.push(`check ${id}, page ${page}: it is page ${twin[0]} once more`);
      read.set(page, links);
    }
    pages.set(Number(id), read);
  }
  return { checks: rows.map((row) => judgedCheck(row, pages.get(Number(row['id'])) ?? new Map())), problems };
}

function checkRows(process: OperatorProcess): Row[] {
  return process.rows(
    `SELECT c.id, c.run_id, c.state, c.depth, c.checked_at, k.text AS keyword, m.country, m.device,
            (SELECT group_concat(p.name, ' ') FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id) AS projects
     FROM checks c JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id
     WHERE c.state IN ('ok', 'incomplete')`,
  );
}

function judgedCheck(row: Row, pages: ReadonlyMap<number, readonly string[]>): JudgedCheck {
  const depth = Number(row['depth']);
  return {
    id: Number(row['id']),
    runId: Number(row['run_id']),
    state: String(row['state']),
    search: `${row['keyword']} ${row['country']} ${row['device']}`,
    depth,
    checkedAt: Number(row['checked_at']),
    projects: String(row['projects']).split(' '),
    verdictOn: (target) => judge(pages, target, depth),
  };
}

/** Each ranking equals the oracle's, and each own target that was read has one. */
export function rankingProblems(process: OperatorProcess, { checks }: Judged, sometimes: Sometimes): string[] {
  const problems: string[] = [];
  const byCheck = Map.groupBy(rankingRows(process), (row) => Number(row['check_id']));
  const known = new Map(checks.map((check) => [check.id, check]));
  for (const [checkId, rows] of byCheck) {
    const check = known.get(checkId);
    for (const row of rows) {
      const wrong = check === undefined ? 'the check read nothing' : wrongRanking(process, check, row, sometimes);
      if (wrong !== null) problems.push(`check ${checkId}, ${row['value']}: ${wrong}`);
    }
  }
  for (const check of checks) {
    const recorded = new Set((byCheck.get(check.id) ?? []).map((row) => `${row['match']} ${row['value']}`));
    for (const target of ownTargets(process, check)) {
      const { kind } = check.verdictOn(target);
      if (kind !== 'absent' && !recorded.has(`${target.match} ${target.value}`)) {
        problems.push(`check ${check.id}, ${target.value}: was ${kind}, and is not recorded`);
      }
    }
  }
  return problems;
}

function rankingRows(process: OperatorProcess): Row[] {
  return process.rows(
    'SELECT r.check_id, r.rank, r.page, r.url_id, r.depth, t.match, t.value FROM rankings r JOIN targets t ON t.id = r.target_id',
  );
}

function wrongRanking({ context }: OperatorProcess, check: JudgedCheck, row: Row, sometimes: Sometimes): string | null {
  const verdict = check.verdictOn({ match: String(row['match']), value: String(row['value']) });
  const { rank, page, url_id: urlId, depth } = row;
  const url = urlId === null ? null : context.store.names.url(Number(urlId));
  const difference = `recorded rank ${rank} on page ${page} (${url}), depth ${depth}; the pages say ${JSON.stringify(verdict)}`;
  if (rank !== null) {
    sometimes.count('ranked');
    if (Number(page) > 1) sometimes.count('ranked on a later page');
    return verdict.kind === 'ranked' && verdict.rank === rank && verdict.page === page && verdict.url === url
      ? null
      : difference;
  }
  if (urlId !== null) {
    sometimes.count('seen beyond a gap');
    return verdict.kind === 'seen' && verdict.page === page && verdict.url === url ? null : difference;
  }
  sometimes.count('not found');
  return verdict.kind === 'absent' && verdict.provenDepth >= Number(depth) ? null : difference;
}

function ownTargets({ context }: OperatorProcess, check: JudgedCheck): OracleTarget[] {
  return check.projects.flatMap((id) => context.projects.get(id)?.targets ?? []);
}

/** Situations that are counted in the file itself. */
const counted: readonly (readonly [situation: Situation, query: string])[] = [
  ['pages bought', 'SELECT count(*) AS n FROM pages'],
  ['pages reused', 'SELECT sum(pages_reused) AS n FROM checks'],
  [
    'pages shared by projects',
    'SELECT count(*) AS n FROM (SELECT 1 FROM check_projects GROUP BY check_id HAVING count(*) > 1)',
  ],
  ['answers kept and not readable', 'SELECT count(*) AS n FROM bodies WHERE readable = 0'],
  ['budget ran short', "SELECT count(*) AS n FROM checks WHERE reason LIKE '%budget: needs%'"],
];

/** Every run is closed and reported, every check has ended, and after the recovery nothing is left to do. */
export function endProblems(process: OperatorProcess, sometimes: Sometimes): string[] {
  const problems: string[] = [];
  for (const row of process.rows('SELECT id, kind, state, reported_at FROM runs')) {
    if (row['state'] === 'open') problems.push(`run ${row['id']} is open`);
    if (row['kind'] === 'ranks' && row['reported_at'] === null) problems.push(`run ${row['id']} has no report`);
    sometimes.count(row['kind'] === 'volumes' ? 'runs of volumes' : (`runs ${row['state']}` as Situation));
  }
  for (const row of process.rows('SELECT state, count(*) AS n FROM checks GROUP BY state')) {
    sometimes.count(`checks ${row['state']}` as Situation, Number(row['n']));
  }
  for (const [situation, query] of counted) sometimes.count(situation, Number(process.rows(query)[0]?.['n'] ?? 0));
  for (const project of process.context.projects.values()) {
    const last = process.context.store.runs.lastClosedRun(project.id, 'ranks');
    if (last === null) problems.push(`${project.id} never ran`);
    else if (last.state !== 'complete')
      problems.push(`the last run of ${project.id} (${last.id}) is ${last.state}: ${last.reason}`);
  }
  return problems;
}
