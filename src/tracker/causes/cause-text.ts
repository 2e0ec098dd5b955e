// Causes in words, and where their evidence is shown. Pure: pages, commands, mails and tables say the same.
import { rounded } from '../figures.ts';
import type { Cause, CauseKind } from './causes.ts';

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

function move({ previousRank, rank }: Cause): string {
  return `${previousRank ?? 'below what was read'} → ${rank ?? 'below what was read'}`;
}

const scopeWords = {
  project: () => 'the project',
  market: (name: string) => `the market ${name}`,
  device: (name: string) => name,
  tag: (name: string) => `the tag ${name}`,
  page: (name: string) => `the page ${pathOf(name)}`,
} as const;

const quoted = (text: string | undefined): string => `“${text ?? ''}”`;
const signed = (value: number): string => (value > 0 ? `+${value}` : `${value}`);

const texts: Readonly<Record<CauseKind, (cause: Cause) => string>> = {
  other_source: ({ text }) => `not comparable: ${text ?? 'another source'}`,
  other_depth: ({ text }) => `not comparable: ${text ?? 'another depth'}`,
  suspect_run: ({ text }) => `the run is suspect: ${text ?? ''}`,
  second_look: () => 'a second look on the same day did not confirm it',
  noise: ({ strength }) =>
    strength >= 0.05 ? 'within what this keyword does anyway' : 'chance alone explains it hardly ever',
  gap: ({ days }) => `the first look after ${days ?? 0} days`,
  own_page_gone: ({ url, previousUrl }) =>
    url === undefined
      ? `our page ${pathOf(previousUrl)} left the results`
      : `our page ${pathOf(previousUrl)} left the results, ${pathOf(url)} ranks instead`,
  own_page: ({ url, previousUrl, moved = 0 }) =>
    `another page of ours ranks: ${pathOf(url)} instead of ${pathOf(previousUrl)}${moved > 1 ? ', they take turns' : ''}`,
  own_title: ({ before, after }) => `our title changed from ${quoted(before)} to ${quoted(after)}`,
  own_snippet: ({ after }) => `our snippet changed to ${quoted(after)}`,
  own_sitelinks: ({ before, after }) =>
    after === '' ? 'our sitelinks are gone' : `our sitelinks changed from ${quoted(before)} to ${quoted(after)}`,
  own_thumbnail: ({ after }) => (after === '' ? 'our thumbnail is gone' : 'our result shows a thumbnail now'),
  moved_alike: ({ moved, compared, scope = 'project', name = '' }) =>
    `not ours alone: ${moved} of ${compared} searches of ${scopeWords[scope](name)} moved that day`,
  competitors_alike: ({ moved, compared, text }) => `${moved} of ${compared} competitors moved alike: ${text}`,
  entered: ({ site, rank }) => `${site} entered at ${rank}`,
  passed: (cause) => `${cause.site} passed: ${move(cause)}`,
  left: ({ site, previousRank }) => `${site} left, it was at ${previousRank}`,
  overtaken: (cause) => `${cause.site} fell behind: ${move(cause)}`,
  others: ({ moved, places = 0 }) => `${moved} other results: ${signed(places)}`,
  feature_appeared: ({ feature = '' }) => `${featureWords(feature)} appeared`,
  feature_vanished: ({ feature = '' }) => `${featureWords(feature)} vanished`,
  feature_grew: ({ feature = '', before, after }) => `${featureWords(feature)} grew from ${before} to ${after} links`,
  demand: ({ volume = 0, previousVolume = 0, month, previousMonth }) =>
    `searches a month changed from ${rounded(previousVolume, 0)} (${previousMonth}) to ${rounded(volume, 0)} (${month})`,
  note: ({ date, text }) => `noted on ${date}: ${text}`,
};

/** One line without a full stop, lower case where a sentence may go on with it. */
export function causeText(cause: Cause): string {
  return texts[cause.kind](cause);
}

/** What the cause is shown by: a page of the workspace below `/p/PROJECT/`, with its parameters. */
export function evidencePath(
  { kind, scope, name, date }: Cause,
  { id, from, to }: { readonly id: string; readonly from: string | null; readonly to: string },
): string {
  const dates = { ...(from !== null && { against: from }), date: to };
  const at = (page: string, parameters: Readonly<Record<string, string>>): string =>
    `${page}?${new URLSearchParams(parameters)}`;
  switch (kind) {
    case 'moved_alike': {
      const filter = scope === 'tag' || scope === 'device' || scope === 'market' ? { [scope]: name ?? '' } : {};
      return at('keywords', { ...filter, to, significance: '!noise' });
    }
    case 'note':
      return at('home', { to: date ?? to });
    case 'demand':
    case 'noise':
    case 'gap':
    case 'second_look':
      return at('keyword', { id });
    case 'suspect_run':
    case 'other_source':
    case 'other_depth':
      return at('runs', { to });
    default:
      return at('serp', { id, ...dates });
  }
}
