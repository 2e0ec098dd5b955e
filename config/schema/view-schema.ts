// The schema of saved views of a project.
import * as z from 'zod';
import type { SavedView } from '../../src/workspace/records.ts';
import { savedQuery, viewComplaint } from '../../src/workspace/saved-view.ts';
import { text } from './schema-parts.ts';

const nameCharactersMax = 60;
const queryCharactersMax = 2_000;

function viewNameComplaint(written: string): string | undefined {
  return written.trim() === '' || /\p{Cc}/u.test(written)
    ? 'is not a name: write one such as Top 10 on mobile'
    : undefined;
}

const viewSchema = z.strictObject({
  name: text(viewNameComplaint, nameCharactersMax).describe('Name of the view in menus and segments.'),
  query: text(viewComplaint, queryCharactersMax).describe(
    'Filters and order of the keyword table, as in the address of the page after "?": tag=shoes&rank=..10&sort=-searchVolume.',
  ),
});

export const viewsSchema = z
  .array(viewSchema)
  .max(100)
  .default([])
  .describe('Saved views of the keyword table, in `rankledger view` and its API.');

interface WrittenViews {
  readonly id: string;
  readonly views: z.output<typeof viewsSchema>;
}

/** The views by project. */
export function resolveViews(projects: readonly WrittenViews[]): ReadonlyMap<string, readonly SavedView[]> {
  return new Map(
    projects.map(({ id, views }) => [
      id,
      views.map(({ name, query }) => ({ name: name.trim(), query: savedQuery(query) })),
    ]),
  );
}
