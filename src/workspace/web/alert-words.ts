// Alerts as people read them: their rule, keyword and text in words. Pure.
import type { AlertRecord, ProjectFacts } from '../../read/records.ts';
import { datesIn } from './period.ts';
import { day, marketWords, month, plain, shortUrl, withoutOdds } from './words.ts';

const ruleWords: Readonly<Record<string, string>> = {
  'url-changed': 'Another page ranks',
  'other-url': 'Not the preferred page',
  'feature-won': 'SERP feature won',
  'feature-lost': 'SERP feature lost',
  'competitor-overtook': 'Overtaken by a competitor',
  'run-failed': 'Run failed',
  'nothing-checked': 'Nothing checked',
  'run-suspect': 'Suspect run',
  'update-suspected': 'Update suspected',
};
const moves: Readonly<Record<string, string>> = { up: 'Rose', down: 'Fell', any: 'Moved' };

/** `moved by 5 down` as `Fell by 5 or more`. A rule is named as src/tracker/changes/alerts.ts does. */
export function ruleText(rule: string): string {
  const [when = '', ...values] = rule.split(' ');
  if (when === 'dropped-out-of') return `Out of the top ${values[1]}`;
  if (when === 'moved') return `${moves[values[2] ?? ''] ?? 'Moved'} by ${values[1]} or more`;
  if (when === 'budget-share') return `${values[1]} % of the budget used`;
  if (when === 'visibility-fell') {
    const tags = rule.split(' of ')[1]?.replaceAll('|', ', ');
    return `Visibility fell by ${values[1]} %${tags === undefined ? '' : `, ${tags}`}`;
  }
  const checks = values[0] === 'checks' ? `, ${values[1]} checks in a row` : '';
  return `${ruleWords[when] ?? plain(when).replaceAll('-', ' ')}${checks}`;
}

const stateWords: Readonly<Record<string, string>> = {
  sent: 'sent',
  pending: 'waiting',
  failed: 'not delivered',
};

export function deliveryText(state: string): string {
  return stateWords[state] ?? plain(state);
}

/** What one finding said, and how it went on each channel. */
export interface SaidAlert {
  readonly key: string;
  readonly rule: string;
  /** In the time zone of the project. */
  readonly date: string;
  /** Null: it is about a run, a budget or the project. */
  readonly keyword: { readonly keyword: string; readonly market: string } | null;
  /** Of a keyword, unless it is the first own target. */
  readonly target: string | null;
  /** Without its keyword and target, and without what the rule says. */
  readonly text: string;
  readonly deliveries: readonly { readonly channel: string; readonly state: string }[];
}

/** Deliveries of one alert to several channels are one. In their order. */
export function saidAlerts(
  records: readonly AlertRecord[],
  { targets, timezone }: Pick<ProjectFacts, 'targets' | 'timezone'>,
): SaidAlert[] {
  const dateOf = datesIn(timezone);
  const groups = Map.groupBy(records, ({ runId, rule, subject }) => `${runId} ${rule} ${subject}`);
  return [...groups].flatMap(([key, deliveries]) => {
    const [first] = deliveries;
    if (first === undefined) return [];
    const { rule, text } = first;
    const date = dateOf(new Date(first.createdAt));
    const keyword = keywordOf(first.subject);
    const { target, rest } = keyword === null ? { target: null, rest: text } : withoutKeyword(text, targets);
    return [{ key, rule, date, keyword, target, text: inWords(rest, rule, date), deliveries }];
  });
}

/** Of an alert about a keyword: its keyword, market, device and target, then what it found, then `@ location`. */
function keywordOf(subject: string): SaidAlert['keyword'] {
  const parts = listOf(subject);
  const [keyword, country, language, device] = parts;
  if (parts.length < 5 || keyword === undefined || country === undefined || language === undefined) return null;
  const location = parts.findLast((part, index) => index > 4 && part.startsWith('@ '))?.slice(2);
  return { keyword, market: marketWords({ country, language, device: device ?? '', location }) };
}

function listOf(subject: string): string[] {
  try {
    const parts: unknown = JSON.parse(subject);
    return Array.isArray(parts) ? parts.map(String) : [];
  } catch {
    return []; // the subject is one word
  }
}

/** Of `"boots" (US, en, mobile), acme.com: up 10` the target, unless it is the first one, and `up 10`. */
function withoutKeyword(
  text: string,
  targets: readonly string[],
): { readonly target: string | null; readonly rest: string } {
  for (const [index, target] of targets.entries()) {
    const end = text.indexOf(`), ${target}: `);
    if (end < 0 || !text.startsWith('"')) continue;
    return { target: index === 0 ? null : shortUrl(target), rest: text.slice(end + `), ${target}: `.length) };
  }
  return { target: null, rest: text };
}

/** What a text begins with that its rule says already. */
const said: Readonly<Record<string, RegExp>> = {
  'update-suspected': /^update suspected: /,
  'url-changed': /^another URL ranks: /,
  'other-url': /^another URL ranks than the preferred one: /,
  'dropped-out-of': /^out of the top \d+: /,
  'run-suspect': /^the run is suspect: /,
  'nothing-checked': /^nothing was checked: /,
};

/** URLs, dates and names of features as people read them. */
function inWords(text: string, rule: string, beside: string): string {
  return withoutOdds(text)
    .replace(said[rule.split(' ')[0] ?? ''] ?? '', '')
    .replaceAll(/https?:\/\/(?:www\.)?/gi, '')
    .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, (date) => day(date, beside))
    .replace(/ of month (\d{4}-\d\d) /, (_, of) => ` of ${month(of)} `)
    .replaceAll(/[a-z_]+/g, (word, at, all) => (all.startsWith(' (', at + word.length) ? plain(word) : word));
}
