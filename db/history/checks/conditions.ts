// SQL conditions that several readers share: the day of a check, its project, its search, and whether its run stands.
import { localDate } from '../../../src/tracker/schedule/local-time.ts';

/** The local date of a check `c` in a slot `l`: the day its pages were seen, in the slot's time zone. */
export const seenDateSql =
  'CASE WHEN c.checked_at IS NULL THEN l.local_date ELSE local_date(c.checked_at, l.timezone) END';

/** `@from` and `@to` are local dates, inclusive; null: open. */
export const inRange = (date: string): string =>
  `(@from IS NULL OR ${date} >= @from) AND (@to IS NULL OR ${date} <= @to)`;

/**
 * SQL: whether a check `c` of a run `n` was seen within the range, by one of its slots. On-demand checks have no slot
 * and count by their UTC day.
 */
export const checkInRange = `((@from IS NULL AND @to IS NULL) OR EXISTS (
  SELECT 1 FROM slots l JOIN projects lp ON lp.id = l.project_id WHERE l.run_id = n.id AND (@project IS NULL OR lp.name = @project) AND ${inRange(seenDateSql)})
  OR (NOT EXISTS (SELECT 1 FROM slots l WHERE l.run_id = n.id) AND ${inRange("date(coalesce(c.checked_at, n.moment) / 1000, 'unixepoch')")}))`;

/** The local date of a check; one that read nothing has the date of its slot. */
export function seenDate(
  checkedAt: number | null,
  slot: { readonly localDate: string; readonly timezone: string },
): string {
  return checkedAt === null ? slot.localDate : localDate(checkedAt, slot.timezone);
}

/** SQL: whether two labels of sources compare, as `comparableSource` says. Most are equal. */
export const isSameSourceSql = (one: string, other: string): string => {
  const comparable = (label: string): string => `substr(${label}, 1, instr(${label} || '=', '=') - 1)`;
  return `(${one} = ${other} OR ${comparable(one)} = ${comparable(other)})`;
};

/** FROM clause of `isCheckOfProject`: checks `c`. In this order, because a run may have checks of many projects. */
export const projectChecks = 'check_projects w CROSS JOIN checks c ON c.id = w.check_id';

const idsOfRun = (edge: 'min' | 'max'): string =>
  `(SELECT ${edge}(id) FROM checks WHERE run_id = @runId AND state = 'ok')`;

/**
 * Complete checks of `@project` in `@runId` with ids above `@after`. The ids of a run are close together, so this reads
 * little more than the project's checks, however many projects and runs there are.
 */
export const isCheckOfProject = `w.project_id = (SELECT id FROM projects WHERE name = @project)
  AND w.check_id BETWEEN max(@after + 1, ${idsOfRun('min')}) AND ${idsOfRun('max')}
  AND c.run_id = @runId AND c.state = 'ok'`;

/**
 * FROM clause: each keyword `w` of the JSON array `@keywords`, its search `s` in one market, and the target `t`. `LEFT
 * JOIN` keeps keywords without a search. Parameters: `@keywords`, `@target`, `@service`, `@country`, `@language`,
 * `@device`, `@location`.
 */
export const searchesAmong = (join: 'JOIN' | 'LEFT JOIN'): string => `FROM json_each(@keywords) w
  ${join} targets t ON t.identity = @target
  ${join} keywords k ON k.text = stored_keyword(w.value)
  ${join} searches s ON s.keyword_id = k.id AND s.market_id = (
    SELECT id FROM markets WHERE service = @service AND country = @country AND language = @language AND device = @device AND location = @location)`;

/** SQL: whether a row of `rankings` belongs to a run that was not discarded. */
export const rankingStands = (ranking: string): string => isOfOtherRun(ranking, 'dr.discarded_at IS NOT NULL');

/**
 * SQL: whether a project may compare with a row of `rankings`: its run was not discarded, and is not suspect for the
 * project. Binds `@project`, its id in the config.
 */
export const rankingIsBaseline = (ranking: string): string =>
  isOfOtherRun(ranking, `(dr.discarded_at IS NOT NULL OR ${isSuspectRun('dr.id')})`);

/** SQL: whether the check of this id is of the project `@project`. */
export const belongsToProject = (checkId: string): string =>
  `EXISTS (SELECT 1 FROM check_projects ow JOIN projects op ON op.id = ow.project_id WHERE ow.check_id = ${checkId} AND op.name = @project)`;

/** SQL: whether the run of this id is suspect for the project `@project`. */
export const isSuspectRun = (runId: string): string =>
  `${runId} IN (SELECT ds.run_id FROM slots ds JOIN projects dp ON dp.id = ds.project_id WHERE dp.name = @project AND ds.suspect_reason IS NOT NULL)`;

/**
 * SQL: whether no run `dr` of this condition made the row of `rankings`. Whether there are such runs, and their few
 * moments, are read once per statement: looking each row up would take as long as the rest of a report (3.4 of 5.5 s
 * for 100,000 keywords of 30 days).
 */
const isOfOtherRun = (ranking: string, condition: string): string => `(
  NOT EXISTS (SELECT 1 FROM runs dr WHERE ${condition})
  OR ${ranking}.moment NOT IN (SELECT dr.moment FROM runs dr WHERE ${condition}) OR NOT EXISTS (
    SELECT 1 FROM runs dr JOIN checks dc ON dc.run_id = dr.id
    WHERE ${condition} AND dr.moment = ${ranking}.moment AND dc.id = ${ranking}.check_id))`;
