// `note`: notes on dates that explain changes: add, list and remove.
import type { KeptNote } from '../../app/reports/notes.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { usageError } from '../text/failure.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

interface Flags {
  readonly project?: string;
  readonly date?: string;
}

type Action = (context: Context) => Promise<void>;

const actions: ReadonlyMap<string, Action> = new Map([
  ['add', add],
  ['list', list],
  ['remove', remove],
]);

const columns: readonly Column<KeptNote>[] = [
  { title: 'note', value: ({ id }) => (id === null ? 'config' : String(id)) },
  { title: 'date', value: ({ date }) => date },
  { title: 'project', value: ({ project }) => project ?? 'all' },
  { title: 'text', value: ({ text }) => text },
];

export const command: CommandDefinition = {
  about: `Reports show a note where a comparison spans its date: in changed rows, in the summary and on charts. Notes under \`notes:\` in the config are
listed, too.`,
  examples: [
    { command: 'note add "core update"', does: 'for all projects, today' },
    { command: 'note add "relaunch of the shop" --project acme --date 2026-11-03', does: 'for one project' },
    { command: 'note list --project acme', does: 'notes of a project, and notes for all projects' },
    { command: 'note remove 3', does: 'remove a note' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe(command) {
    command
      .command('add')
      .description('add a note')
      .argument('<text>', 'short text of the note')
      .option('-p, --project <id>', 'only this project (default: all)')
      .option('--date <date>', 'date of the event, such as 2026-11-20 (default: today)');
    command
      .command('list')
      .description('show the notes, oldest first')
      .option('-p, --project <id>', 'notes of this project, and notes for all projects');
    command.command('remove').description('remove a note').argument('<note>', 'number of the note, from `note list`');
  },
  async run(context) {
    await actions.get(context.action ?? '')?.(context);
    return exitCodes.done;
  },
};

async function add(context: Context): Promise<void> {
  const { project, date } = context.flags<Flags>();
  const { timezone } = await context.config();
  const note = {
    date: date ?? localDate(context.host.now(), timezone),
    text: context.args[0] ?? '',
    project: project ?? null,
  };
  const addNote = await context.host.useCases.addNote();
  const kept = await context.withApp(async (app) => addNote(app, note));
  if (context.json) context.out.json(kept);
  else context.out.line(`Note ${kept.id} of ${kept.date}, ${shownProject(kept)}: ${printable(kept.text)}`);
}

async function list(context: Context): Promise<void> {
  const { project } = context.flags<Flags>();
  const listNotes = await context.host.useCases.listNotes();
  const notes = await context.withApp(async (app) => listNotes(app, project), { isReading: true });
  if (context.json) context.out.json({ notes });
  else if (notes.length === 0) context.out.line('There are no notes: rankledger note add "what happened"');
  else for (const line of tableLines(columns, notes)) context.out.line(line);
}

async function remove(context: Context): Promise<void> {
  const [written = ''] = context.args;
  if (!/^[1-9]\d{0,14}$/.test(written)) {
    throw usageError(`"${written}" is not the number of a note`, '`rankledger note list` shows the numbers.');
  }
  const removeNote = await context.host.useCases.removeNote();
  const gone = await context.withApp(async (app) => removeNote(app, Number(written)));
  if (context.json) context.out.json({ removed: gone });
  else context.out.line(`Removed note ${gone.id} of ${gone.date}: ${printable(gone.text)}`);
}

function shownProject({ project }: KeptNote): string {
  return project === null ? 'all projects' : project;
}
