// Queries worth tracking, and tracked keywords for which nothing is reported.
import { silentKeywords, suggestionPeriod, untrackedQueries } from '../../../jobs/clicks/suggestions.ts';
import type { SilentKeyword, UntrackedQuery } from '../../workspace/click-records.ts';
import type { App } from '../app.ts';
import { withClicks } from './with-clicks.ts';

export interface ProjectSuggestions {
  readonly project: string;
  /** Local dates of the numbers, inclusive: the newest 28 final days, else those of the newest export. */
  readonly from: string;
  readonly to: string;
  readonly untracked: readonly UntrackedQuery[];
  readonly withoutImpressions: readonly SilentKeyword[];
}

/** Throws UsageError. */
export function suggestQueries(app: App, impressionsMin: number, ids?: readonly string[]): ProjectSuggestions[] {
  return withClicks(app, ids, (project) => {
    const untracked = untrackedQueries(app.context, project, impressionsMin);
    const { from = '', to = '' } = suggestionPeriod(app.context, project) ?? {};
    return { from, to, untracked, withoutImpressions: silentKeywords(app.context, project) };
  });
}
