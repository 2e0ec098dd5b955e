// Texts of alerts: one line per alert, and a title per message.

import type {
  Alert,
  AlertMessage,
  AlertRanking,
  BudgetAlert,
  KeywordAlert,
  UpdateAlert,
  VisibilityAlert,
} from '../../tracker/changes/alerts.ts';
import { rankText, rounded, sumOf } from '../../tracker/figures.ts';

const titleCharactersMax = 150;
const urlCharactersMax = 300;
const causeCharactersMax = 200;

/** One line of text, without control characters. */
export function alertText(alert: Alert): string {
  return oneLine(sentence(alert));
}

/** A keyword's alert without its keyword: `down 8: rank 12, was rank 4`. */
export function keywordEvent(alert: KeywordAlert): string {
  return oneLine(`${whatHappened(alert)}${why(alert)}`);
}

/** `acme: 3 alerts, 2026-01-15T06:00`; a single alert is its own title. */
export function alertTitle({ project, run, warning, alerts }: AlertMessage): string {
  const [first] = alerts;
  const what =
    alerts.length === 1 && first !== undefined ? alertText(first.alert) : `${amount(countAlerts(alerts))} alerts`;
  const isSimulated = warning !== null && /simulated|replayed/.test(warning);
  const label = run === null ? '[test] ' : isSimulated ? '[simulated] ' : '';
  const title = `${label}${project}: ${what}${run === null || alerts.length === 1 ? '' : `, ${run.slot}`}`;
  return cut(oneLine(title), titleCharactersMax);
}

/** The location of the report; null: no report. */
export function reportLine({ report }: AlertMessage): string | null {
  return report === null ? null : `Report: ${report.url ?? report.directory}`;
}

/** The number of changes, including those that are only counted. */
function countAlerts(alerts: AlertMessage['alerts']): number {
  return sumOf(alerts, ({ alert }) => (alert.about === 'rest' ? alert.count : 1));
}

function sentence(alert: Alert): string {
  switch (alert.about) {
    case 'keyword':
      return `${describeKeyword(alert)}: ${whatHappened(alert)}${why(alert)}`;
    case 'visibility':
      return visibilityText(alert);
    case 'run':
      return runText(alert);
    case 'update':
      return updateText(alert);
    case 'budget':
      return budgetText(alert);
    case 'rest':
      return `and ${amount(alert.count)} more that match "${alert.rule}": see rank-changes.csv of the report`;
  }
}

/** `"running shoes" (US, en, desktop), acme.com` */
function describeKeyword({ keyword, country, language, device, location, target }: KeywordAlert): string {
  return `"${keyword}" (${[country, language, device, ...(location === undefined ? [] : [location])].join(', ')}), ${target}`;
}

function whatHappened(alert: KeywordAlert): string {
  const { now, before, competitor, feature, when } = alert;
  const since = before.date === null ? '' : ` on ${before.date}`;
  switch (when) {
    case 'dropped-out-of':
      return `out of the ${alert.rule.replace('dropped-out-of ', '')}: ${rankingText(now)}, was ${rankingText(before)}${since}`;
    case 'url-changed':
      return `another URL ranks: ${shownUrl(now.url)}, was ${shownUrl(before.url)}${since} (${rankingText(now)}, was ${rankingText(before)})`;
    case 'other-url':
      return `another URL ranks than the preferred one: ${shownUrl(now.url)}, not ${shownUrl(alert.preferredUrl ?? null)} (${rankingText(now)})`;
    case 'feature-won':
      return `won ${feature ?? 'a feature'} (${rankingText(now)})`;
    case 'feature-lost':
      return `lost ${feature ?? 'a feature'} (${rankingText(now)})`;
    case 'competitor-overtook': {
      const theirs = `${rankText(competitor?.rank ?? null, withWord)}, was ${rankText(competitor?.previousRank ?? null, withWord)}`;
      return `${competitor?.target ?? 'a competitor'} (${theirs}) overtook it (${rankingText(now)}, was ${rankingText(before)})${now.date === null ? '' : ` on ${now.date}`}`;
    }
    default:
      return `${moveText(now.rank, before.rank)}: ${rankingText(now)}, was ${rankingText(before)}${since}`;
  }
}

function why({ cause }: KeywordAlert): string {
  return cause === undefined ? '' : `; first cause: ${cut(cause.sentence, causeCharactersMax)}`;
}

function moveText(rank: number | null, previousRank: number | null): string {
  if (previousRank === null) return 'entered';
  if (rank === null) return 'dropped';
  const won = previousRank - rank;
  return won > 0 ? `up ${won}` : `down ${-won}`;
}

function rankingText({ rank, depth }: AlertRanking): string {
  if (rank !== null) return rankText(rank, withWord);
  return depth === null ? 'not found' : `not found in ${depth === 1 ? '1 page' : `${depth} pages`}`;
}

function shownUrl(url: string | null): string {
  return url === null ? 'unknown' : cut(url, urlCharactersMax);
}

function visibilityText({
  target,
  tags,
  visibility,
  previousVisibility,
  fellPercent,
  keywords,
}: VisibilityAlert): string {
  const which = tags === undefined ? '' : ` with the tags ${tags.join(', ')}`;
  const change = `${percent(previousVisibility)} to ${percent(visibility)}`;
  return `${target}: visibility fell by ${percent(fellPercent)}, from ${change}, over ${amount(keywords)} comparable ${keywords === 1 ? 'keyword' : 'keywords'}${which}`;
}

function updateText({ scope, name, date, compared, outside, usualShare }: UpdateAlert): string {
  const where = scope === 'project' ? '' : ` of ${scope} ${name}`;
  const share = `${amount(outside)} of ${amount(compared)} keywords${where} moved outside their noise bands on ${date}`;
  return `update suspected: ${share}, usually ${percent(100 * usualShare)}`;
}

function runText({ when, state, reason, heldBack, isUnwritten, isOver }: Extract<Alert, { about: 'run' }>): string {
  if (isOver === true) return reason;
  if (isUnwritten === true) return `the run is recorded, but ${reason}`;
  if (when === 'run-failed') return state === 'halted' ? `the run was halted: ${reason}` : `the run failed: ${reason}`;
  if (when === 'nothing-checked') return `nothing was checked: ${reason}`;
  const held = heldBack === 1 ? '1 alert about its ranks is' : `${amount(heldBack)} alerts about its ranks are`;
  return `the run is suspect: ${reason}; ${heldBack === 0 ? 'review its ranks before you trust them' : `${held} held back until a run confirms them`}`;
}

function budgetText({ currency, window, key, used, cap, isOver }: BudgetAlert): string {
  const isCredits = currency === 'serp_credit';
  const money = (units: number): string => (isCredits ? amount(units) : `${(units / 1_000_000).toFixed(2)} USD`);
  const what = isCredits ? 'SERP credits' : 'keyword data budget';
  const room = `have room again: ${money(used)}${cap === 0 ? '' : ` of ${money(cap)}`} used`;
  if (isOver === true) return `the ${what} of ${window} ${key} ${room}`;
  const share = cap === 0 ? 'all' : percent(Math.floor((1000 * used) / cap) / 10);
  return `${share} of the ${what} of ${window} ${key} are used: ${money(used)} of ${money(cap)}`;
}

function percent(number: number): string {
  return `${rounded(number, 2)} %`;
}

function amount(number: number): string {
  return number.toLocaleString('en-US');
}

function oneLine(text: string): string {
  return withoutControls(text).trim();
}

/** Removes control characters, which would break a line or a header, and direction overrides, which disguise text. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ').toWellFormed();
}

/** Truncates to `charactersMax` characters, with an ellipsis. */
export function cut(text: string, charactersMax: number): string {
  const characters = [...text];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join('')}…`;
}

function withWord(rank: number): string {
  return `rank ${rank}`;
}
