// Impressions of tracked rows in the weeks before two checks. Final days without a known fault only.
import type { Clicks } from '../../db/history/clicks.ts';
import type { Row } from '../../src/read/row.ts';
import type { ImpressionChange } from '../../src/tracker/causes/causes.ts';
import { addClicks, type ClickNumbers, noClicks } from '../../src/tracker/clicks/clicks.ts';
import { faultsIn } from '../../src/tracker/clicks/known-faults.ts';
import type { Project } from '../../src/tracker/project.ts';
import { addDays } from '../../src/tracker/schedule/local-time.ts';
import { DatedClicks } from './dated-clicks.ts';

/** Each day of the week counts equally. */
const weekDays = 7;

type DatedRow = Pick<Row, 'keyword' | 'market' | 'own' | 'previousDate' | 'date'>;

/**
 * In the order of the rows. Null: a day of both weeks is not final or has a fault, or a week has no impressions or
 * unknown ones.
 */
export function weeklyImpressions(
  clicks: Clicks,
  project: Pick<Project, 'id' | 'engine'>,
  rows: readonly DatedRow[],
): readonly (ImpressionChange | null)[] {
  const property = clicks.property(project);
  const dates = rows.flatMap(({ previousDate, date }) => (previousDate === null ? [] : [previousDate, date])).sort();
  const [first, last] = [dates[0], dates.at(-1)];
  if (property === null || first === undefined || last === undefined) return rows.map(() => null);
  const stored = clicks.days(project.id, property, addDays(first, -3 * weekDays), last);
  const sound = stored.filter(({ date, isFinal }) => isFinal && faultsIn(date, date).length === 0);
  const final = new Set(sound.map(({ date }) => date));
  const weeks = rows.map((row) => lastDaysOf(row, final));
  const impressionsUpTo = (lastDays: readonly (string | undefined)[]): readonly (number | null)[] => {
    const [earliest, ...later] = lastDays.filter((day) => day !== undefined).sort();
    if (earliest === undefined) return [];
    const from = addDays(earliest, 1 - weekDays);
    const found = DatedClicks.within(clicks, project, from, later.at(-1) ?? earliest)?.of(rows) ?? [];
    return lastDays.map((day, index) => {
      const counted = day === undefined ? [] : weekUpTo(day).flatMap((date) => found[index]?.get(date) ?? []);
      return counted.length === 0 ? null : counted.reduce<ClickNumbers>(addClicks, noClicks).impressions;
    });
  };
  const now = impressionsUpTo(weeks.map((week) => week?.lastDay));
  const then = impressionsUpTo(weeks.map((week) => week?.previousLastDay));
  return weeks.map((week, index) => {
    const [impressions, previousImpressions] = [now[index] ?? null, then[index] ?? null];
    return week === null || impressions === null || previousImpressions === null
      ? null
      : { impressions, previousImpressions, ...week };
  });
}

/** Days get final some days late: the later week ends on the newest one. Both weeks share no day. */
function lastDaysOf({ previousDate, date }: DatedRow, final: ReadonlySet<string>) {
  const lastDay = weekUpTo(date).find((day) => final.has(day));
  if (previousDate === null || lastDay === undefined) return null;
  const before = addDays(lastDay, -weekDays);
  const previousLastDay = previousDate < before ? previousDate : before;
  const areFinal = [lastDay, previousLastDay].every((end) => weekUpTo(end).every((day) => final.has(day)));
  return areFinal ? { lastDay, previousLastDay } : null;
}

/** Newest first. */
function weekUpTo(lastDay: string): string[] {
  return Array.from({ length: weekDays }, (_, days) => addDays(lastDay, -days));
}
