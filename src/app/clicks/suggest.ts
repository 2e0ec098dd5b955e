// Queries worth tracking, and tracked keywords for which nothing is reported.
import { silentKeywords, untrackedQueries } from '../../../jobs/clicks/suggestions.ts';
import type { SilentKeyword, UntrackedQuery } from '../../workspace/click-records.ts';
import type { App } from '../app.ts';
import { withClicks } from './with-clicks.ts';

export interface ProjectSuggestions {
  readonly project: string;
  readonly untracked: readonly UntrackedQuery[];
  readonly withoutImpressions: readonly SilentKeyword[];
}

/** Throws UsageError. */
export function suggestQueries(app: App, impressionsMin: number, ids?: readonly string[]): ProjectSuggestions[] {
  return withClicks(app, ids, (project) => ({
    untracked: untrackedQueries(app.context, project, impressionsMin),
    withoutImpressions: silentKeywords(app.context, project),
  }));
}
