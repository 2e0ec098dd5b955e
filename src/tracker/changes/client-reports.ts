// Reports for clients: when they are delivered and which days they cover; their look and words. Pure.
import { addDays, isDate } from '../schedule/local-time.ts';
import { previousSlot } from '../schedule/schedule.ts';

export const deliverySchedules = ['daily', 'weekly', 'monthly'] as const;
export type DeliverySchedule = (typeof deliverySchedules)[number];

export const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

export interface DeliveryRule {
  readonly every: DeliverySchedule;
  /** Weekday from 0, Sunday, or day of the month from 1; of a daily delivery null. */
  readonly day: number | null;
  /** Local time, `06:00`. */
  readonly at: string;
  readonly channels: readonly string[];
  /** Null: all. */
  readonly projects: readonly string[] | null;
  /** Of mails. */
  readonly attach: 'pdf' | 'html' | 'none';
}

/** A delivery that is due, with the local days that it covers. */
interface DueDelivery {
  /** UTC milliseconds. */
  readonly dueAt: number;
  readonly from: string;
  readonly to: string;
}

/** The newest delivery of a rule that is due at `now`; null: none ever was. */
export function dueDelivery({ every, day, at }: DeliveryRule, timezone: string, now: number): DueDelivery | null {
  const [hour = '0', minute = '0'] = at.split(':');
  const days = every === 'weekly' ? `* * ${day ?? 1}` : every === 'monthly' ? `${day ?? 1} * *` : '* * *';
  const slot = previousSlot(`${Number(minute)} ${Number(hour)} ${days}`, timezone, now);
  if (slot === null) return null;
  return { dueAt: slot.at, ...daysCovered(every, slot.key.slice(0, 'yyyy-mm-dd'.length)) };
}

/** A day covers itself; a week the seven days before; a month the whole month before. */
function daysCovered(every: DeliverySchedule, date: string): { readonly from: string; readonly to: string } {
  if (every === 'daily') return { from: date, to: date };
  if (every === 'weekly') return { from: addDays(date, -7), to: addDays(date, -1) };
  const to = addDays(`${date.slice(0, 'yyyy-mm'.length)}-01`, -1);
  return { from: `${to.slice(0, 'yyyy-mm'.length)}-01`, to };
}

/** Sections of report.html and the PDF, in their usual order. */
export const reportSections = [
  'overview',
  'movers',
  'competitors',
  'period',
  'keywords',
  'segments',
  'features',
  'map',
  'clicks',
  'answers',
  'spend',
  'problems',
  'about',
] as const;
type ReportSection = (typeof reportSections)[number];

/** Columns of the keyword table that a template may choose; the keyword is always there. */
export const keywordColumns = [
  'market',
  'target',
  'rank',
  'change',
  'trend',
  'bestRank',
  'volume',
  'clicks',
  'clicksChange',
  'url',
] as const;
type KeywordColumn = (typeof keywordColumns)[number];

export interface Logo {
  readonly type: 'image/png' | 'image/jpeg' | 'image/svg+xml';
  readonly base64: string;
}

/** A comment on the reports of some days. Local dates, both inclusive. */
interface PeriodComment {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Null: as rankledger has it. */
export interface ReportTemplate {
  readonly name: string | null;
  readonly logo: Logo | null;
  /** `#0b5394`; on white paper. */
  readonly accent: string | null;
  /** Colours of the lines of charts, in order; empty: the usual ones. */
  readonly series: readonly string[];
  readonly introduction: string | null;
  readonly comments: readonly PeriodComment[];
  readonly sections: readonly ReportSection[] | null;
  readonly columns: readonly KeywordColumn[] | null;
}

export const plainTemplate: ReportTemplate = {
  name: null,
  logo: null,
  accent: null,
  series: [],
  introduction: null,
  comments: [],
  sections: null,
  columns: null,
};

/** The days that `2026-11`, `2026-W47` or `2026-11-20` names; null: it names none. */
export function commentDays(period: string): { readonly from: string; readonly to: string } | null {
  if (isDate(period)) return { from: period, to: period };
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(period)) {
    const from = `${period}-01`;
    return { from, to: addDays(`${addDays(from, 31).slice(0, 'yyyy-mm'.length)}-01`, -1) };
  }
  const [, year, week] = /^(\d{4})-W(0[1-9]|[1-4]\d|5[0-3])$/.exec(period) ?? [];
  if (year === undefined || week === undefined) return null;
  // the first week of ISO 8601 is that of 4 January
  const fourth = `${year}-01-04`;
  const monday = addDays(fourth, -((new Date(`${fourth}T00:00:00Z`).getUTCDay() + 6) % 7));
  const from = addDays(monday, 7 * (Number(week) - 1));
  // of a year with 52 weeks, week 53 is the first of the next year
  return addDays(from, 3).startsWith(year) ? { from, to: addDays(from, 6) } : null;
}

/** The comments on any of these days, in the order of the template. */
export function commentsOn({ comments }: ReportTemplate, from: string, to: string): readonly string[] {
  return comments.filter((comment) => comment.from <= to && comment.to >= from).map(({ text }) => text);
}

/** Red, green and blue of `#0b5394`, 0 to 255. */
function parseRgb(hex: string): number[] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Relative luminance by WCAG 2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = parseRgb(hex).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours such as `#0b5394` by WCAG 2: 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
}

const stepsMax = 100;

/** The nearest mixture of a colour with black or white, whichever `paper` is not, that has this contrast on `paper`. */
export function withContrast(colour: string, paper: string, contrastMin: number): string {
  const end = luminance(paper) > 0.5 ? 0 : 255;
  for (let step = 0; step <= stepsMax; step += 1) {
    const mixed = parseRgb(colour).map((channel) => Math.round(channel + ((end - channel) * step) / stepsMax));
    const hex = `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
    if (contrast(hex, paper) >= contrastMin) return hex;
  }
  return end === 0 ? '#000000' : '#ffffff';
}
