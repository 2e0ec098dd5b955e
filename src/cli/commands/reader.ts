// `reader`: tokens for reading the API of `view` from other machines: create, list and revoke.
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { StoredReader } from '../../../db/accounts/readers.ts';
import type { App } from '../../app/app.ts';
import { operatorName } from '../../app/opening/machine.ts';
import { projectsNamed, rejectUnknown } from '../../app/opening/named-projects.ts';
import { type AdminAction, newToken, tokenHash } from '../../service/index.ts';
import { addDays, localDate, startOfDay } from '../../tracker/schedule/local-time.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { calendarDate } from '../parsed-command.ts';
import { isoText } from '../subcommands/accounts.ts';
import { usageError } from '../text/failure.ts';
import { type Column, factLines, printable, tableLines } from '../text/table.ts';

type Action = (context: Context) => Promise<void>;

const actions: ReadonlyMap<string, Action> = new Map([
  ['add', add],
  ['list', list],
  ['revoke', revoke],
]);

/** What a new reader may see, and until when; absent: everything, always. */
interface NewReader {
  readonly role?: StoredReader['role'];
  readonly project?: string;
  readonly tag?: string;
  readonly view?: string;
  /** The last local date on which the token is valid. */
  readonly until?: string;
}

interface ListedReader extends StoredReader {
  readonly state: 'active' | 'ended' | 'revoked';
  /** Local date; null: never. */
  readonly lastUsedOn: string | null;
}

const columns: readonly Column<ListedReader>[] = [
  { title: 'reader', value: ({ name }) => name, widthMax: 64 },
  { title: 'state', value: ({ state }) => state },
  { title: 'role', value: ({ role }) => role },
  { title: 'sees', value: scopeText, widthMax: 64 },
  { title: 'ends', value: ({ endsAt }) => (endsAt === null ? '' : isoText(endsAt)) },
  { title: 'created', value: ({ createdAt }) => isoText(createdAt) },
  { title: 'last used', value: ({ lastUsedOn }) => lastUsedOn ?? 'never' },
  { title: 'revoked', value: ({ revokedAt }) => (revokedAt === null ? '' : isoText(revokedAt)) },
];

const describeAdd = (command: Command) =>
  command
    .command('add')
    .description('create a token')
    .argument('<name>', 'name of a person or a program')
    .addOption(new Option('--role <role>', 'what the token allows').choices(['reader', 'editor']).default('reader'))
    .option('-p, --project <id>', 'only this project, without runs, alerts and costs (default: all projects)')
    .option('--tag <tag>', 'only keywords of the project with this tag')
    .option('--view <name>', 'only the rows of this saved view of the project')
    .option(
      '--until <date>',
      'the last date on which the token is valid, such as 2027-01-31 (default: it does not end)',
      calendarDate,
    )
    .option(
      '--url <address>',
      'address at which browsers reach the server, for the link',
      serverUrl,
      'http://127.0.0.1:8090',
    );

export const command: CommandDefinition = {
  about: `If \`view\` or \`mcp --http\` listens on an address that other machines can reach (--host), every request needs the token
of a reader. \`add\` shows a token once, with a link that opens the workspace with it; only its hash is stored. A reader can buy and change nothing; with --role editor it can, where
\`view --edit\` serves. With --project a reader sees this project alone, and no costs: a link for a client. Changes apply from the next request on, in running servers too, and
\`account log\` lists them.`,
  examples: [
    { command: 'reader add anna', does: 'print her token, once' },
    { command: 'reader add dashboard --json', does: 'the same as {"name": ..., "token": ..., "link": ...}' },
    { command: 'reader add acme-team --project acme --url https://ranks.example.com', does: 'a link for a client' },
    { command: 'reader add shoes --project acme --tag shoes --until 2027-01-31', does: 'for the keywords with a tag' },
    { command: 'reader add phones --project acme --view "On phones"', does: 'for the rows of a saved view' },
    { command: 'reader add ben --role editor', does: 'a token that may also edit, through `view --edit`' },
    { command: 'reader list', does: 'readers, with the dates on which they were added, last used and revoked' },
    { command: 'reader revoke anna', does: 'refuse her token from now on' },
  ],
  readsConfig: true,
  asksServices: () => false,
  readsKeywordFiles: false,
  leavesOutBroken: true, // a link is revoked whatever the config of another client says
  describe(command) {
    describeAdd(command);
    command.command('list').description('show readers');
    command.command('revoke').description('revoke a token permanently').argument('<name>', 'name of the reader');
  },
  async run(context) {
    await actions.get(context.action ?? '')?.(context);
    return exitCodes.done;
  },
};

async function add({ args: [name = ''], flags, json, out, withApp, reloadedConfig }: Context): Promise<void> {
  const { url, ...wanted } = flags(describeAdd);
  if (wanted.project !== undefined && wanted.tag !== undefined) {
    const projects = projectsNamed(await reloadedConfig({ readsKeywordFiles: true }), [wanted.project]);
    const tags = new Set(projects.flatMap(({ keywords }) => keywords.flatMap((keyword) => keyword.tags)));
    rejectUnknown('tag', [wanted.tag], tags, projects);
  }
  const added = await withApp((app) => {
    const { token } = addReader(app, name, wanted);
    return { name, token, link: `${new URL(url).origin}${pathOf(app, wanted)}#token=${token}` };
  });
  if (json) {
    out.json(added);
    return;
  }
  for (const line of factLines(Object.entries(added))) out.line(line);
  out.line('Save the token now, or the link with it: it is shown only once, and only its hash is stored.');
}

/** Of the page that shows what the reader may see. The token follows `#`, which browsers send to no server. */
function pathOf({ config }: App, { project, view }: NewReader): string {
  if (project === undefined) return '/';
  const [{ id } = { id: project }] = projectsNamed(config, [project]);
  const query = config.views.get(id)?.find(({ name }) => name === view)?.query;
  return `/p/${encodeURIComponent(id)}/${query === undefined ? 'home' : `keywords?${query}`}`;
}

/** The token is returned here only: it is stored as a hash. Throws UsageError. */
export function addReader(app: App, name: string, wanted: NewReader = {}): { name: string; token: string } {
  const { store, clock } = app.context;
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u.test(name)) {
    const form = 'A name begins with a letter or digit and has up to 64 letters, digits, spaces, and . _ @ -';
    throw usageError(`"${name}" cannot name a reader`, form);
  }
  const { role = 'reader', until } = wanted;
  const scope = checkedScope(app, wanted);
  const [token, createdAt] = [newToken(), clock.now()];
  const endsAt = until === undefined ? null : startOfDay(addDays(until, 1), app.config.timezone);
  if (endsAt !== null && endsAt <= createdAt) throw usageError(`--until ${until} is over`);
  const stored = { name, tokenHash: tokenHash(token), createdAt, role, endsAt, ...scope };
  const facts = {
    reader: name,
    ...(role === 'editor' && { role }),
    ...Object.fromEntries(Object.entries({ ...scope, until }).filter(([, value]) => value != null)),
  };
  if (store.readers.add(stored, toAdminAction('reader-add', facts, createdAt))) return { name, token };
  throw usageError(`there is a reader "${name}" already`, 'Choose another name, or revoke that one first.');
}

/** Throws UsageError for names that the config does not have; tags stand in keyword files, which are not read here. */
function checkedScope(
  { config }: App,
  { role, project: named, ...part }: NewReader,
): Pick<StoredReader, 'project' | 'tag' | 'view'> {
  const { tag = null, view = null } = part;
  if (named === undefined) {
    if (tag !== null || view !== null) throw usageError('--tag and --view need a --project');
    return { project: null, tag, view };
  }
  if (role === 'editor') throw usageError('an editor sees all projects: --role editor takes no --project');
  if (tag !== null && view !== null) throw usageError('a reader sees a tag or a view, not both');
  const projects = projectsNamed(config, [named]);
  const project = projects[0]?.id ?? named;
  const views = new Set(config.views.get(project)?.map(({ name }) => name));
  if (view !== null) rejectUnknown('view', [view], views, projects);
  return { project, tag, view };
}

/** From the next request on, also in servers that are running. */
export function revokeReader({ context: { store, clock } }: App, name: string): void {
  const now = clock.now();
  if (store.readers.revoke(name, now, toAdminAction('reader-revoke', { reader: name }, now))) return;
  throw usageError(`there is no reader "${name}"`, '`rankledger reader list` lists all readers');
}

function serverUrl(written: string): string {
  const isServer = /^https?:\/\//i.test(written) && URL.canParse(written) && new URL(written).pathname === '/';
  if (isServer) return written;
  throw new InvalidArgumentError('Write an address without a path, such as https://ranks.example.com.');
}

function scopeText({ project, tag, view }: Pick<StoredReader, 'project' | 'tag' | 'view'>): string {
  if (project === null) return 'everything';
  return `project ${project}${tag === null ? '' : `, tag ${tag}`}${view === null ? '' : `, view ${view}`}`;
}

function toAdminAction(action: 'reader-add' | 'reader-revoke', facts: AdminAction['facts'], at: number): AdminAction {
  return { action, account: undefined, username: undefined, by: operatorName(), facts, at };
}

async function list({ json, out, withApp }: Context): Promise<void> {
  const readers = await withApp(
    ({ config: { timezone }, context: { store, clock } }) =>
      store.readers.list().map((reader): ListedReader => {
        const { lastUsedAt: at } = reader;
        return {
          ...reader,
          state: stateOf(reader, clock.now()),
          lastUsedOn: at === null ? null : localDate(at, timezone),
        };
      }),
    { isReading: true },
  );
  if (json) {
    const documents = readers.map(
      ({ name, state, role, project, tag, view, createdAt, endsAt, lastUsedOn, revokedAt }) => ({
        name,
        state,
        role,
        project,
        tag,
        view,
        createdAt: isoText(createdAt),
        endsAt: endsAt === null ? null : isoText(endsAt),
        lastUsedOn,
        revokedAt: revokedAt === null ? null : isoText(revokedAt),
      }),
    );
    out.json({ readers: documents });
  } else if (readers.length === 0) out.line('There are no readers: rankledger reader add NAME');
  else for (const line of tableLines(columns, readers)) out.line(line);
}

function stateOf({ endsAt, revokedAt }: StoredReader, now: number): ListedReader['state'] {
  if (revokedAt !== null) return 'revoked';
  return endsAt !== null && endsAt <= now ? 'ended' : 'active';
}

async function revoke({ args: [name = ''], json, out, withApp }: Context): Promise<void> {
  await withApp((app) => revokeReader(app, name));
  if (json) out.json({ name, revoked: true });
  else out.line(`${printable(name)} is revoked. Its token is refused from now on.`);
}
