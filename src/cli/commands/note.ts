// `note`: notes on dates that explain changes: add, list and remove.

import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { confirmedUpdates } from '../../../jobs/read/rows/suspected-updates.ts';
import { importUpdates } from '../../app/import/announced-updates.ts';
import { addNote, removeNote } from '../../app/notes.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import { goesOn, type Note, noteSubject } from '../../tracker/changes/note.ts';
import { byText } from '../../tracker/figures.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { usageError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

type Action = (context: Context) => Promise<void>;

const actions: ReadonlyMap<string, Action> = new Map([
  ['add', add],
  ['list', list],
  ['remove', remove],
  ['import', importFeed],
]);

interface KeptNote extends Note {
  /** Null: it is in the config, or an announced update. */
  readonly id: number | null;
  readonly confirmed?: true;
}

const columns: readonly Column<KeptNote>[] = [
  { title: 'note', value: ({ id, confirmed }) => (confirmed ? 'feed' : id === null ? 'config' : String(id)) },
  { title: 'date', value: ({ date }) => date },
  { title: 'project', value: (note) => scopeText(note, 'all') },
  { title: 'text', value: ({ text }) => text },
];

const describeAdd = (command: Command) =>
  command
    .command('add')
    .description('add a note')
    .argument('<text>', 'short text of the note')
    .option('-p, --project <id>', 'only this project (default: all)')
    .option('--date <date>', 'date of the event, such as 2026-11-20 (default: today)')
    .option('--keyword <keyword>', 'only this keyword of the project')
    .option('--tag <tag>', 'only keywords of the project with this tag');

const describeList = (command: Command) =>
  command
    .command('list')
    .description('show the notes, oldest first')
    .option('-p, --project <id>', 'notes of this project, and notes for all projects');

export const command: CommandDefinition = {
  about: `Reports show a note where a comparison spans its date: in changed rows, in the summary and on charts. Notes under \`notes:\` in the config are
listed, too.`,
  examples: [
    { command: 'note add "core update"', does: 'for all projects, today' },
    { command: 'note add "relaunch of the shop" --project acme --date 2026-11-03', does: 'for one project' },
    { command: 'note add "new titles" --project acme --tag shoes', does: 'for the keywords with a tag' },
    { command: 'note list --project acme', does: 'notes of a project, and notes for all projects' },
    { command: 'note remove 3', does: 'remove a note' },
    { command: 'note import incidents.json', does: 'updates that a search engine has announced, from its status feed' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe(command) {
    describeAdd(command);
    describeList(command);
    command
      .command('import')
      .description('import announced updates of a search engine from its status feed; later imports add to them')
      .argument('<feed>', 'file or URL of the feed, in the form of incidents.json');
    command.command('remove').description('remove a note').argument('<note>', 'number of the note, from `note list`');
  },
  async run(context) {
    await actions.get(context.action ?? '')?.(context);
    return exitCodes.done;
  },
};

async function add({ args, flags, json, out, withApp }: Context): Promise<void> {
  const [text = ''] = args;
  const note = await withApp((app) => addNote(app, { text, ...flags(describeAdd) }));
  if (json) out.json(keptNote(note));
  else out.line(`Note ${note.id} of ${note.date}, ${scopeText(note, 'all projects')}: ${printable(note.text)}`);
}

/** By date. `--project`: its own notes and those for all projects. */
async function list({ flags, json, out, withApp }: Context): Promise<void> {
  const { project: named } = flags(describeList);
  const notes = await withApp(
    async ({ config, context }): Promise<KeptNote[]> => {
      const project = named === undefined ? undefined : projectsNamed(config, [named])[0]?.id;
      const isShown = (note: Note) => project === undefined || note.project === null || note.project === project;
      const configured = config.notes.filter(isShown).map((note) => ({ ...note, id: null }));
      const announced = confirmedUpdates(context.store, config.timezone).map((note) => ({ ...note, id: null }));
      return [...configured, ...announced, ...context.store.notes.list(project)]
        .map(keptNote)
        .sort((a, b) => byText(a.date, b.date));
    },
    { isReading: true },
  );
  if (json) out.json({ notes });
  else if (notes.length === 0) out.line('There are no notes: rankledger note add "what happened"');
  else for (const line of tableLines(columns, notes)) out.line(line);
}

async function importFeed({ args, json, out, host, withApp }: Context): Promise<void> {
  const [written = ''] = args;
  const source = /^https?:\/\//i.test(written) ? written : resolve(host.cwd, written);
  const found = await withApp((app) => importUpdates(app, source));
  if (json) out.json(found);
  else out.line(`${counted(found.updates, 'announced update')}, ${found.new} of them new; \`note list\` shows them`);
}

async function remove({ args, json, out, withApp }: Context): Promise<void> {
  const [written = ''] = args;
  const hint = '`rankledger note list` shows the numbers.';
  if (!/^[1-9]\d{0,14}$/.test(written)) throw usageError(`"${written}" is not the number of a note`, hint);
  const note = await withApp((app) => removeNote(app, Number(written)));
  if (json) out.json({ removed: keptNote(note) });
  else out.line(`Removed note ${note.id} of ${note.date}: ${printable(note.text)}`);
}

function keptNote({ id, date, text, project, keyword, tag, until, isConfirmed }: KeptNote): KeptNote {
  return {
    id,
    date,
    text,
    project,
    keyword,
    tag,
    ...(isConfirmed === true && { confirmed: isConfirmed, ...(until !== goesOn && { until }) }),
  };
}

function scopeText(note: KeptNote, all: string): string {
  const subject = noteSubject(note);
  return `${note.project ?? all}${subject === null ? '' : `, ${printable(subject)}`}`;
}
