// Every path through which editors write, with the fields of its body: the table for routing and documentation.
import { z } from 'zod';
import type { HistoryReader } from '../../read/contract.ts';
import { checkNames } from '../../read/queries.ts';
import { devices } from '../../tracker/project.ts';
import * as records from '../edit-records.ts';
import { tableOf } from '../mcp/tool.ts';
import { type EditedKeyword, type Editor, EditRefused } from './editor.ts';

export interface EditEndpoint {
  readonly method: 'GET' | 'POST';
  /** Segments in braces are parameters. */
  readonly path: string;
  readonly about: string;
  readonly body: z.ZodObject;
  readonly answer: z.ZodObject;
  readonly bytesMax: number;
  readonly edit: (editor: Editor, request: EditRequest<unknown>) => Promise<object>;
}

interface EditRequest<Body> {
  /** Empty if the path does not name one. */
  readonly project: string;
  readonly body: Body;
  readonly by: string;
  readonly reader: HistoryReader;
  /** Limits the regular expressions of a filter. */
  readonly limited: <Result>(work: () => Result) => Result;
}

const charactersMax = 2_000;
const tagsMax = 50;
const keywordsMax = 10_000;
const checkedMax = 200;
const listsMax = 20;
const listBytesMax = 8_388_608;
const smallBytesMax = 65_536;

const text = (about: string) => z.string().min(1).max(charactersMax).describe(about);
const tags = (about: string) => z.array(text('tag')).max(tagsMax).default([]).describe(about);
const keywordTexts = (max: number) => z.array(text('keyword')).min(1).max(max);
const hash = z.string().max(100).optional().describe('of the preview that is to be written; absent: a preview');

const list = z.strictObject({
  name: text('name of the file, with its ending').default('pasted.txt'),
  text: z.string().max(listBytesMax).optional(),
  base64: z.base64().max(listBytesMax).optional(),
});

function endpoint<Shape extends z.ZodRawShape>(definition: {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly about: string;
  readonly body: Shape;
  readonly answer: EditEndpoint['answer'];
  readonly bytesMax?: number;
  readonly edit: (editor: Editor, request: EditRequest<z.infer<z.ZodObject<Shape, z.core.$strict>>>) => Promise<object>;
}): EditEndpoint {
  const { method = 'POST', bytesMax = smallBytesMax, body, edit, ...rest } = definition;
  const schema = z.strictObject(body);
  return {
    ...{ method, bytesMax, ...rest },
    body: schema,
    edit: (editor, request) => edit(editor, { ...request, body: schema.parse(request.body) }),
  };
}

export const editEndpoints: readonly EditEndpoint[] = [
  endpoint({
    method: 'GET',
    path: '/v1/projects/{project}/edits',
    answer: records.editState,
    about: 'What an editor needs to know: the keyword file, paused keywords, notes with their ids, what can be undone',
    body: {},
    edit: (editor, { project }) => editor.state(project),
  }),
  endpoint({
    path: '/v1/notes',
    answer: records.noteEdit,
    about: 'Adds a note on a date, to all projects, one, or a keyword or tag of one',
    body: {
      text: text('what happened, at most 200 characters'),
      date: text('local date; default: today').optional(),
      project: text('only this project; default: all').optional(),
      keyword: text('only this keyword of the project').optional(),
      tag: text('only keywords of the project with this tag').optional(),
    },
    edit: (editor, { body, by }) => editor.addNote(body, by),
  }),
  endpoint({
    path: '/v1/notes/remove',
    answer: records.noteEdit,
    about: 'Removes a note',
    body: { id: z.int().min(1).describe('of the note') },
    edit: (editor, { body, by }) => editor.removeNote(body.id, by),
  }),
  endpoint({
    path: '/v1/projects/{project}/keywords',
    answer: records.keywordAddition,
    about: 'Tracks the keywords of pasted lists and exports of other tools, as `keywords add` does',
    bytesMax: listBytesMax + smallBytesMax,
    body: {
      lists: z
        .array(list)
        .min(1)
        .max(listsMax)
        .describe('{"name", "text"} or {"name", "base64"}: lists of one keyword a line, or files of other tools'),
      columns: z
        .record(z.string(), text('column'))
        .default({})
        .describe('{"keyword": "Query"}: columns by their names'),
      country: text('of rows without one; default: that of the project').optional(),
      language: text('of rows without one; default: that of the project').optional(),
      devices: z.array(z.enum(devices)).min(1).max(2).optional().describe('of rows without one'),
      location: text('of rows without one').optional(),
      tags: tags('tags of all added keywords'),
      withoutTags: tags('suggested tags, and tags of the lists, that are not wanted'),
      suggest: z
        .array(z.enum(['file', 'folder', 'cluster']))
        .default(['folder', 'cluster'])
        .describe('how to suggest tags'),
      preferredUrls: z.boolean().default(true).describe('whether to suggest preferred URLs'),
      hash,
    },
    edit: (editor, { project, body, by }) => {
      const { hash: preview, lists, suggest, preferredUrls, ...options } = body;
      const keywords = {
        ...options,
        lists: lists.map(listBytes),
        suggests: suggest,
        suggestsUrls: preferredUrls,
      };
      return editor.addKeywords(project, keywords, preview, by);
    },
  }),
  endpoint({
    path: '/v1/projects/{project}/keywords/change',
    answer: records.keywordEdit,
    about: 'Adds and removes tags of keywords, pauses, resumes or removes them, in the keyword file',
    bytesMax: listBytesMax,
    body: {
      filter: z.string().max(charactersMax).optional().describe('rows of the keyword table: tag=shoes&device=mobile'),
      date: text('of the table that is filtered; default: the newest').optional(),
      compare: text('what that table is compared with; default: the check before').optional(),
      keywords: keywordTexts(keywordsMax).optional().describe('texts of keywords, instead of a filter'),
      addTags: tags('tags to add'),
      removeTags: tags('tags to remove'),
      state: z.enum(['tracked', 'paused', 'removed']).optional().describe('default: as it is'),
      hash,
    },
    edit: (editor, request) => {
      const { project, body, by } = request;
      const { filter, date, compare, keywords, hash: preview, ...change } = body;
      const table = filter === undefined ? undefined : { filter, date, compare };
      return editor.changeKeywords(project, wantedKeywords(table, keywords, request), change, preview, by);
    },
  }),
  endpoint({
    path: '/v1/projects/{project}/keywords/undo',
    answer: records.fileChange,
    about: 'Undoes the last write of the keyword file by this server; again, the one before',
    body: { hash },
    edit: (editor, { project, body, by }) => editor.undo(project, body.hash, by),
  }),
  endpoint({
    path: '/v1/projects/{project}/checks',
    answer: records.checkAnswer,
    about: 'Checks keywords now, within the budget: the price, or with `creditsAtMost` the check',
    body: {
      keywords: keywordTexts(checkedMax).describe('texts of tracked keywords; all their markets are checked'),
      creditsAtMost: z.int().min(0).optional().describe('`creditsAtMost` of the price; absent: only the price'),
      confirm: z.string().max(100).optional().describe('`confirm` of the price, which buys once'),
    },
    edit: (editor, { project, body, by }) => editor.checkNow(project, body, by),
  }),
];

function listBytes({ name, text: written, base64 }: z.infer<typeof list>) {
  if ((written === undefined) === (base64 === undefined))
    throw new EditRefused(400, `lists: ${name} needs either text or base64`);
  return { name, bytes: written === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(written) };
}

/** Throws InvalidQuery for a wrong filter. */
function wantedKeywords(
  table: Parameters<typeof tableOf>[0] | undefined,
  keywords: readonly string[] | undefined,
  { project, reader, limited }: Pick<EditRequest<unknown>, 'project' | 'reader' | 'limited'>,
): EditedKeyword[] {
  if ((table === undefined) === (keywords === undefined))
    throw new EditRefused(400, 'name the keywords either by filter or by keywords');
  if (table === undefined) return (keywords ?? []).map((keyword) => ({ keyword }));
  const rows = limited(() => {
    const query = tableOf(table);
    const own = reader.of(project);
    checkNames(own, query);
    return own.keywords(query);
  });
  return rows.map((row) => ({
    keyword: row.keyword,
    search: { country: row.country, language: row.language, location: row.location, device: row.device },
  }));
}
