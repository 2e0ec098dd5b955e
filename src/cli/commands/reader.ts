// `reader`: tokens for reading the API of `view` from other machines: create, list and revoke.
import { Option } from 'commander';
import type { StoredReader } from '../../../db/accounts/readers.ts';
import type { App } from '../../app/app.ts';
import { operatorName } from '../../app/opening/machine.ts';
import { type AdminAction, newToken, tokenHash } from '../../service/index.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { isoText } from '../subcommands/accounts.ts';
import { usageError } from '../text/failure.ts';
import { type Column, factLines, printable, tableLines } from '../text/table.ts';

type Action = (context: Context) => Promise<void>;

const actions: ReadonlyMap<string, Action> = new Map([
  ['add', add],
  ['list', list],
  ['revoke', revoke],
]);

const columns: readonly Column<StoredReader>[] = [
  { title: 'reader', value: ({ name }) => name, widthMax: 64 },
  { title: 'state', value: ({ revokedAt }) => (revokedAt === null ? 'active' : 'revoked') },
  { title: 'role', value: ({ role }) => role },
  { title: 'created', value: ({ createdAt }) => isoText(createdAt) },
  { title: 'revoked', value: ({ revokedAt }) => (revokedAt === null ? '' : isoText(revokedAt)) },
];

export const command: CommandDefinition = {
  about: `If \`view\` or \`mcp --http\` listens on an address that other machines can reach (--host), every request needs the token
of a reader. \`add\` shows a token once; only its hash is stored. A reader can buy and change nothing; with --role editor it can, where \`view --edit\` serves. Changes apply from the
next request on, in running servers too, and \`account log\` lists them.`,
  examples: [
    { command: 'reader add anna', does: 'print her token, once' },
    { command: 'reader add dashboard --json', does: 'the same as {"name": ..., "token": ...}' },
    { command: 'reader add ben --role editor', does: 'a token that may also edit, through `view --edit`' },
    { command: 'reader list', does: 'readers, with the dates on which they were added and revoked' },
    { command: 'reader revoke anna', does: 'refuse her token from now on' },
  ],
  readsConfig: true,
  asksServices: () => false,
  readsKeywordFiles: false,
  describe(command) {
    command
      .command('add')
      .description('create a token')
      .argument('<name>', 'name of a person or a program')
      .addOption(new Option('--role <role>', 'what the token allows').choices(['reader', 'editor']).default('reader'));
    command.command('list').description('show readers');
    command.command('revoke').description('revoke a token permanently').argument('<name>', 'name of the reader');
  },
  async run(context) {
    await actions.get(context.action ?? '')?.(context);
    return exitCodes.done;
  },
};

async function add({ args: [name = ''], flags, json, out, withApp }: Context): Promise<void> {
  const { role } = flags<Pick<StoredReader, 'role'>>();
  const reader = await withApp((app) => addReader(app, name, role));
  if (json) {
    out.json(reader);
    return;
  }
  for (const line of factLines(Object.entries(reader))) out.line(line);
  out.line('Save the token now: it is shown only once, and only its hash is stored.');
}

/** The token is returned here only: it is stored as a hash. */
export function addReader(
  { context: { store, clock } }: App,
  name: string,
  role: StoredReader['role'] = 'reader',
): { name: string; token: string } {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u.test(name)) {
    const form = 'A name begins with a letter or digit and has up to 64 letters, digits, spaces, and . _ @ -';
    throw usageError(`"${name}" cannot name a reader`, form);
  }
  const [token, createdAt] = [newToken(), clock.now()];
  const stored = { name, tokenHash: tokenHash(token), createdAt, role };
  const facts = { reader: name, ...(role === 'editor' && { role }) };
  if (store.readers.add(stored, toAdminAction('reader-add', facts, createdAt))) return { name, token };
  throw usageError(`there is a reader "${name}" already`, 'Choose another name, or revoke that one first.');
}

/** From the next request on, also in servers that are running. */
export function revokeReader({ context: { store, clock } }: App, name: string): void {
  const now = clock.now();
  if (store.readers.revoke(name, now, toAdminAction('reader-revoke', { reader: name }, now))) return;
  throw usageError(`there is no reader "${name}"`, '`rankledger reader list` lists all readers');
}

function toAdminAction(action: 'reader-add' | 'reader-revoke', facts: AdminAction['facts'], at: number): AdminAction {
  return { action, account: undefined, username: undefined, by: operatorName(), facts, at };
}

async function list({ json, out, withApp }: Context): Promise<void> {
  const readers = await withApp(({ context }) => context.store.readers.list(), { isReading: true });
  if (json) {
    const documents = readers.map(({ name, createdAt, revokedAt, role }) => ({
      name,
      role,
      createdAt: isoText(createdAt),
      revokedAt: revokedAt === null ? null : isoText(revokedAt),
    }));
    out.json({ readers: documents });
  } else if (readers.length === 0) out.line('There are no readers: rankledger reader add NAME');
  else for (const line of tableLines(columns, readers)) out.line(line);
}

async function revoke({ args: [name = ''], json, out, withApp }: Context): Promise<void> {
  await withApp((app) => revokeReader(app, name));
  if (json) out.json({ name, revoked: true });
  else out.line(`${printable(name)} is revoked. Its token is refused from now on.`);
}
