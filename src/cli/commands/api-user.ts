// `api-user`: credentials for calling the service on an account: create, expire and revoke.
import type { Command } from '@commander-js/extra-typings';
import type { Accounts, SpendingCap } from '../../service/index.ts';
import type { CommandDefinition, Context, FlagsOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { microUsd, moment, wholeNumber } from '../parsed-command.ts';
import { isoText, openAccounts, userColumns, userDocument } from '../subcommands/accounts.ts';
import { usageError } from '../text/failure.ts';
import { factLines, tableLines } from '../text/table.ts';

const capMax = Number.MAX_SAFE_INTEGER;

type Action = (accounts: Accounts, context: Context) => Promise<void>;

const actions: ReadonlyMap<string, Action> = new Map([
  ['add', add],
  ['list', list],
  ['expire', expire],
  ['cap', cap],
  ['revoke', revoke],
]);

const describeAdd = (command: Command) =>
  command
    .command('add')
    .description('create credentials')
    .argument('[username]', 'username (default: generated)')
    .requiredOption('--account <name>', 'account that pays')
    .option('--expires <moment>', 'expiry, an ISO 8601 date and time with its zone', moment)
    .option(
      '--daily-credits <n>',
      'SERP credits that it may spend in a UTC day (default: no limit)',
      wholeNumber(0, capMax),
    )
    .option('--daily-usd <amount>', 'the same in US dollars, to six decimals', microUsd);

const describeList = (command: Command) =>
  command.command('list').description('show API users').option('--account <name>', 'only API users of this account');

const describeExpire = (command: Command) =>
  command
    .command('expire')
    .description('set when credentials expire')
    .argument('<username>', 'username of the API user')
    .option('--at <moment>', 'an ISO 8601 date and time with its zone', moment)
    .option('--never', 'remove the expiry');

const describeCap = (command: Command) =>
  command
    .command('cap')
    .description('limit what a user may spend per UTC day; without amounts, remove the limit')
    .argument('<username>', 'username of the API user')
    .option('--daily-credits <n>', 'SERP credits', wholeNumber(0, capMax))
    .option('--daily-usd <amount>', 'US dollars, to six decimals', microUsd);

export const command: CommandDefinition = {
  about: `\`add\` generates a password and shows it once; only its hash is stored. An account may have several users, so that credentials can be replaced
without downtime. Changes apply from the next request on, also in running servers.`,
  examples: [
    { command: 'api-user add crawler --account acme', does: 'print username and password, once' },
    { command: 'api-user add --account acme --json > credentials.json', does: 'the same with a generated username' },
    { command: 'api-user list --account acme', does: 'its API users with creation and expiry dates' },
    { command: 'api-user expire crawler --at 2026-12-31T23:59Z', does: 'refuse its requests from then on' },
    { command: 'api-user expire crawler --never', does: 'remove the expiry' },
    { command: 'api-user cap crawler --daily-credits 500', does: 'answer 402 after 500 pages a day' },
    { command: 'api-user revoke crawler', does: 'refuse its requests permanently' },
  ],
  readsConfig: true,
  asksServices: () => false,
  readsKeywordFiles: false,
  leavesOutBroken: true,
  describe(command) {
    describeAdd(command);
    describeList(command);
    describeExpire(command);
    describeCap(command);
    command
      .command('revoke')
      .description('revoke credentials permanently')
      .argument('<username>', 'username of the API user');
  },
  async run(context) {
    const act = actions.get(context.action ?? '');
    const keepsSchema = context.action === 'list';
    await context.withApp(async (app) => await act?.(await openAccounts(app), context), { keepsSchema });
    return exitCodes.done;
  },
};

async function add(accounts: Accounts, { args, flags, json, out }: Context): Promise<void> {
  const { account, expires: expiresAt, ...daily } = flags(describeAdd);
  const [username] = args;
  const credentials = await accounts.addUser(account, { username, expiresAt, ...capped(daily) });
  if (json) {
    out.json(credentials);
    return;
  }
  for (const line of factLines(Object.entries(credentials))) out.line(line);
  out.line('Save the password now: it is shown only once, and only its hash is stored.');
}

async function list(accounts: Accounts, { flags, host, json, out }: Context): Promise<void> {
  const { account } = flags(describeList);
  const users = (await accounts.listUsers(account)).map((user) => userDocument(user, host.now()));
  if (json) out.json(users);
  else if (users.length === 0) out.line('There are no API users: rankledger api-user add --account NAME');
  else for (const line of tableLines(userColumns, users)) out.line(line);
}

async function expire(accounts: Accounts, { args, flags, json, out }: Context): Promise<void> {
  const { at, never } = flags(describeExpire);
  if ((at === undefined) === (never === undefined)) {
    throw usageError('Give either --at with a moment, or --never.', 'Such as --at 2026-12-31T23:59Z');
  }
  const [username = ''] = args;
  await accounts.expireUser(username, at);
  const expiresAt = at === undefined ? null : isoText(at);
  if (json) out.json({ username, expiresAt });
  else out.line(expiresAt === null ? `${username} never expires.` : `${username} expires at ${expiresAt}.`);
}

/** Undefined if no amount was given. */
function capped({ dailyCredits, dailyUsd }: FlagsOf<typeof describeCap>): { readonly dailyCap?: SpendingCap } {
  if (dailyCredits === undefined && dailyUsd === undefined) return {};
  return { dailyCap: { serpCredits: dailyCredits, microUsd: dailyUsd } };
}

async function cap(accounts: Accounts, { args, flags, json, out }: Context): Promise<void> {
  const [username = ''] = args;
  const { dailyCap } = capped(flags(describeCap));
  await accounts.capUser(username, dailyCap);
  if (json) out.json({ username, dailyCap: dailyCap ?? null });
  else
    out.line(
      dailyCap === undefined
        ? `${username} has no daily limit; the balance of its account still applies.`
        : `${username} has a daily limit from now on.`,
    );
}

async function revoke(accounts: Accounts, { args, json, out }: Context): Promise<void> {
  const [username = ''] = args;
  await accounts.revokeUser(username);
  if (json) out.json({ username, revoked: true });
  else out.line(`${username} is revoked. All its requests are refused from now on.`);
}
