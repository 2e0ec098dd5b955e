// Causes in words, and where their evidence is shown. Pure: pages, commands, mails and tables say the same.
import { type NamedMarket, namedMarket } from '../project.ts';
import type { Cause, CauseKind, Explanation } from './causes.ts';

/** `ai_overview` -> `AI overview`. */
export function featureWords(feature: string): string {
  return feature.replaceAll('_', ' ').replace(/^ai\b/u, 'AI');
}

const pathMax = 60;

/** The path of a URL; of another text, the text. */
function pathOf(url: string | undefined): string {
  if (url === undefined) return 'a page';
  const path = url.replace(/^[a-z]+:\/\/[^/]*/iu, '') || '/';
  return path.length <= pathMax ? path : `${path.slice(0, pathMax - 1)}…`;
}

const unread = 'below the results that were read';

/** A result that is no longer ranked may be a part of the page. */
const stillShown = ({ feature }: Cause): string =>
  feature === undefined ? '' : `, still shown in ${featureWords(feature)}`;

/** `it went from 8 to 3`, of another result. */
function movement({ previousRank, rank }: Cause): string {
  if (previousRank === rank) return `it stayed at ${rank}`;
  return `it went from ${previousRank ?? unread} to ${rank ?? unread}`;
}

export const scopeWords = {
  project: () => 'the project',
  market: (name: string) => `the market ${name.replaceAll(',', '')}`,
  device: (name: string) => name,
  tag: (name: string) => `the tag ${name}`,
  page: (name: string) => `the page ${pathOf(name)}`,
} as const;

const quoted = (text = ''): string => `“${text}”`;

const texts: Readonly<Record<CauseKind, (cause: Cause) => string>> = {
  other_source: ({ text }) => `not comparable: ${text ?? 'another source'}`,
  other_depth: ({ text }) => `not comparable: ${text ?? 'another depth'}`,
  suspect_run: ({ text = '' }) => `the run is suspect: ${text}`,
  second_look: () => 'a second look on the same day did not confirm it',
  noise: ({ strength }) => (strength >= 0.05 ? 'within what this keyword does anyway' : 'rarely chance alone'),
  gap: ({ days = 0 }) => `the first look after ${days} ${days === 1 ? 'day' : 'days'}`,
  own_page_gone: (cause) => {
    const { url, previousUrl } = cause;
    const gone = `our page ${pathOf(previousUrl)} left the results${stillShown(cause)}`;
    return url === undefined ? gone : `${gone}, ${pathOf(url)} ranks instead`;
  },
  own_page: ({ url, previousUrl, turns = 0 }) =>
    `another page of ours ranks: ${pathOf(url)} instead of ${pathOf(previousUrl)}${turns > 1 ? ', they take turns' : ''}`,
  own_title: ({ before, after }) => `our title changed from ${quoted(before)} to ${quoted(after)}`,
  own_snippet: ({ after }) => `our snippet changed to ${quoted(after)}`,
  own_sitelinks: ({ before, after }) =>
    after === '' ? 'our sitelinks are gone' : `our sitelinks changed from ${quoted(before)} to ${quoted(after)}`,
  own_thumbnail: ({ after }) => (after === '' ? 'our thumbnail is gone' : 'our result shows a thumbnail now'),
  own_move: ({ moved, compared }) =>
    moved === compared
      ? 'our result moved, the others kept their order'
      : `our result moved: ${moved} of the ${compared} places, the others kept their order`,
  confirmed_update: ({ date, text = '' }) =>
    `the search engine announced an update on ${date}: ${text.replace(/^update confirmed: /, '')}`,
  moved_alike: ({ moved, compared, scope = 'project', name = '' }) =>
    `not ours alone: ${moved} of ${compared} keywords of ${scopeWords[scope](name)} moved beyond their noise`,
  competitors_alike: ({ moved, compared, text }) => `${moved} of ${compared} competitors moved alike: ${text}`,
  entered: ({ site, rank }) => `${site} entered at ${rank}`,
  passed: (cause) => `${cause.site} passed us: ${movement(cause)}`,
  left: (cause) => `${cause.site} left the results (was at ${cause.previousRank})${stillShown(cause)}`,
  overtaken: (cause) => `we passed ${cause.site}: ${movement(cause)}${stillShown(cause)}`,
  others: ({ moved }) => `${moved} other ${moved === 1 ? 'result' : 'results'}`,
  feature_appeared: ({ feature = '' }) => `${featureWords(feature)} appeared`,
  feature_vanished: ({ feature = '' }) => `${featureWords(feature)} vanished`,
  feature_grew: ({ feature = '', before, after }) => `${featureWords(feature)} grew from ${before} to ${after} links`,
  demand: ({ volume = 0, previousVolume = 0, month, previousMonth, ...measured }) =>
    measured.lastDay === undefined
      ? `searches a month changed from ${amount(previousVolume)} (${previousMonth}) to ${amount(volume)} (${month})`
      : `impressions in 7 days changed from ${amount(measured.previousImpressions)} (up to ${measured.previousLastDay}) to ${amount(measured.impressions)} (up to ${measured.lastDay})`,
  note: ({ date, text }) => `noted on ${date}: ${text}`,
};

/** As pages write numbers, with this many decimals at most: `11,000`. */
export function amount(value = 0, decimals = 0): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: decimals });
}

/** One line without a full stop, lower case where a sentence may go on with it. */
function causeText(cause: Cause): string {
  return texts[cause.kind](cause);
}

/** A cause as a sentence without its full stop, and the page below `/p/PROJECT/` that shows its evidence. */
export interface CauseRecord extends Cause {
  readonly sentence: string;
  readonly evidence: string;
}

/** Why one row changed between two dates, as files and the read API give it. */
export interface KeywordCauses extends NamedMarket, Omit<Explanation, 'causes'> {
  readonly project: string;
  readonly id: string;
  readonly keyword: string;
  readonly target: string;
  readonly causes: readonly CauseRecord[];
}

type ChangedRow = NamedMarket & Pick<KeywordCauses, 'project' | 'id' | 'keyword' | 'target'>;

export function keywordCauses(row: ChangedRow, { causes, ...explanation }: Explanation): KeywordCauses {
  const { project, id, keyword, target } = row;
  const search = { id, keyword, ...namedMarket(row), from: explanation.from, to: explanation.to };
  return {
    project,
    id,
    keyword,
    ...namedMarket(row),
    target,
    ...explanation,
    causes: causes.map((cause) => ({
      ...cause,
      sentence: causeText(cause),
      evidence: evidencePath(cause, search),
    })),
  };
}

/** Below it, a cause is a fact beside others, and no reason. */
export const reasonMin = 0.2;

/** Null: nothing known is a reason. */
export function firstReason({ causes: [first] }: Pick<KeywordCauses, 'causes'>): CauseRecord | null {
  return first === undefined || first.strength < reasonMin ? null : first;
}

type ChangedSearch = NamedMarket & Pick<KeywordCauses, 'id' | 'keyword' | 'from' | 'to'>;

/** Where the evidence is shown: a page of the workspace below `/p/PROJECT/`, with its parameters. */
function evidencePath({ kind, scope, name = '', date }: Cause, search: ChangedSearch): string {
  const { id, keyword, country, language, device, location, from, to } = search;
  const at = (page: string, parameters: Readonly<Record<string, string | null | undefined>>): string => {
    const written = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters)) if (value != null) written.set(key, value);
    return `${page}?${written}`;
  };
  switch (kind) {
    case 'moved_alike':
      return at('keywords', {
        from,
        to,
        significance: '!noise',
        tag: scope === 'tag' ? name : null,
        device: scope === 'device' ? name : null,
        url: scope === 'page' ? name : null,
        market: scope === 'market' ? `${country} ${language} ${device}` : null,
      });
    case 'note':
    case 'confirmed_update':
      return at('home', { from: date, to });
    case 'demand':
    case 'noise':
    case 'gap':
    case 'second_look':
      return at('keyword', { id });
    case 'suspect_run':
    case 'other_source':
    case 'other_depth':
      return at('runs', { from, to });
    default:
      return at('serp', { keyword, country, language, device, location, date: to, against: from });
  }
}
