// Measured clicks for the read API.
import type { Project } from '../../src/tracker/project.ts';
import type { ClickReader } from '../../src/workspace/click-records.ts';
import { readClickChanges } from '../clicks/click-changes.ts';
import { silentKeywords, untrackedQueries } from '../clicks/suggestions.ts';
import type { JobContext } from '../context.ts';

/** `projectOf`: throws NotFound. */
export function storedClicks(context: JobContext, projectOf: (id: string) => Project): ClickReader {
  return {
    changes: (query) => readClickChanges(context, projectOf(query.project), query),
    untracked: (project, impressionsMin) => untrackedQueries(context, projectOf(project), impressionsMin),
    silent: (project) => silentKeywords(context, projectOf(project)),
  };
}
