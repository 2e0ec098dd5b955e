// The tool that edits: new keywords of a project. It exists only where the operator allows edits.
import { z } from 'zod';
import { devices } from '../../tracker/project.ts';
import { project } from './tool.ts';

const keywordsMax = 500;
const tagsMax = 50;
const charactersMax = 200;
const line = () =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .regex(/^[^\r\n]*$/, 'one line');

export const trackKeywordsTool = {
  name: 'track_keywords',
  title: 'Track keywords',
  about: `Adds keywords to the keyword file of a project, which makes each run cost more. Call it without "confirm" first: it
writes nothing, and says which lines it would add, which keywords are tracked already, and what a month costs before and
after in SERP credits (creditsPerMonth, at worst) and dollars (pagesMicroUsdPerMonth, by list price; null: free or unknown).
Show the user the keywords and the cost, and ask before you call it with the "confirm" of that answer and the same input.`,
  schema: z.strictObject({
    project,
    keywords: z.array(line()).min(1).max(keywordsMax).describe('as people search'),
    tags: z.array(line()).max(tagsMax).default([]).describe('tags of all of them'),
    country: line().optional().describe('such as US; default: that of the project'),
    language: line().optional().describe('such as en; default: that of the project'),
    devices: z.array(z.enum(devices)).min(1).max(2).optional().describe('default: those of the project'),
    location: line().optional().describe('default: that of the project'),
    confirm: line().optional().describe('of the first answer, once the user has agreed; absent: nothing is written'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

export type TrackKeywordsRequest = z.infer<typeof trackKeywordsTool.schema>;

/** `by`: the editor, for the audit trail. Throws InvalidQuery or NotFound with what an assistant may read. */
export type TrackKeywords = (request: TrackKeywordsRequest, by: string) => Promise<object>;
