// `account`: accounts that pay for the service: create, top up, restrict, and explain credit by credit.
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { Account, Accounts, Balance, StatementEntry } from '../../service/index.ts';
import { hourMs } from '../../tracker/schedule/time-units.ts';
import type { CommandDefinition, Context, FlagsOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { microUsd, wholeNumber } from '../parsed-command.ts';
import {
  accountColumns,
  balanceDocument,
  balanceText,
  entryColumns,
  entryDocument,
  isoText,
  logColumns,
  logDocument,
  openAccounts,
  userColumns,
  userDocument,
  whitelistText,
} from '../subcommands/accounts.ts';
import { usageError } from '../text/failure.ts';
import { factLines, tableLines } from '../text/table.ts';

type Action = (accounts: Accounts, context: Context) => Promise<void>;

const entriesAtOnce = 1_000;
const logEntriesDefault = 100;
const logEntriesMax = 100_000;
const invitationHoursDefault = 72;
const invitationHoursMax = 720;
/** The default address of `serve`. */
const dashboardUrlDefault = 'http://127.0.0.1:8080';
const entryIdMax = Number.MAX_SAFE_INTEGER;

const actions: ReadonlyMap<string, Action> = new Map([
  ['create', create],
  ['list', list],
  ['show', show],
  ['credit', credit],
  ['whitelist', whitelist],
  ['statement', statement],
  ['invite', invite],
  ['log', log],
]);

const named = (command: Command, name: string, does: string) =>
  command.command(name).description(does).argument('<name>', 'name of the account');

const serpCreditsOption = new Option('--serp-credits <n>', 'SERP credits, one per page (default: 0)').argParser(
  wholeCredits,
);
const usdOption = new Option('--usd <amount>', 'US dollars for keyword data, to six decimals (default: 0)').argParser(
  microUsd,
);

const describeCreate = (command: Command) =>
  named(command, 'create', 'open an account').addOption(serpCreditsOption).addOption(usdOption);

const describeCredit = (command: Command) =>
  named(command, 'credit', 'top up; negative amounts deduct')
    .addOption(serpCreditsOption)
    .addOption(usdOption)
    .option('--note <text>', 'why');

const describeWhitelist = (command: Command) =>
  named(command, 'whitelist', 'set the addresses that its users may call from; without rules, show them')
    .argument('[rules...]', 'addresses and networks; they replace the current ones')
    .option('--clear', 'allow every address');

const describeStatement = (command: Command) =>
  named(command, 'statement', 'explain every credit, oldest first')
    .option('--after <entry>', 'only entries after this one', wholeNumber(0, entryIdMax), 0)
    .option('--limit <n>', 'maximum number of entries', wholeNumber(1, entryIdMax));

const describeInvite = (command: Command) =>
  named(command, 'invite', 'print a link that sets the password of the dashboard (see serve --dashboard)')
    .option('--hours <n>', 'how long the link works', wholeNumber(1, invitationHoursMax), invitationHoursDefault)
    .option('--url <address>', 'address of the server for browsers', dashboardUrl, dashboardUrlDefault)
    .option('--withdraw', "end the account's invitation, password and sessions instead");

const describeLog = (command: Command) =>
  command
    .command('log')
    .description('show admin actions and failed logins, newest first')
    .argument('[name]', 'only this account (default: all accounts, and logins of unknown users)')
    .option('--limit <n>', 'maximum number of entries', wholeNumber(1, logEntriesMax), logEntriesDefault);

export const command: CommandDefinition = {
  about: `An account pays for requests of its API users to \`rankledger serve\`. It also pays for your own runs if services.<name>.account names it.
Accounts are stored in the database of the config. A SERP page costs one credit; keyword data costs US dollars.`,
  examples: [
    { command: 'account create acme --serp-credits 1000 --usd 5', does: 'an account with its first credits' },
    { command: 'account list', does: 'every account and its balance' },
    { command: 'account show acme --json', does: 'balance and API users, for scripts' },
    { command: 'account credit acme --serp-credits 500 --note "invoice 7"', does: 'top up the account' },
    { command: 'account credit acme --usd -2.50', does: 'deduct; a balance never falls below zero' },
    { command: 'account whitelist acme 203.0.113.7 2001:db8::/32', does: 'accept requests from these addresses only' },
    { command: 'account whitelist acme --clear', does: 'accept requests from every address' },
    { command: 'account invite acme', does: 'a single-use link that sets the password of the dashboard' },
    {
      command: 'account invite acme --withdraw',
      does: 'end the invitation, the password and all sessions of the dashboard',
    },
    { command: 'account statement acme', does: 'every charge, refund and top-up' },
    { command: 'account log acme', does: 'changes to the account and its API users, and failed logins' },
  ],
  readsConfig: true,
  asksServices: () => false,
  readsKeywordFiles: false,
  leavesOutBroken: true,
  describe(command) {
    describeCreate(command);
    command.command('list').description('show every account');
    named(command, 'show', 'show balance, addresses and API users');
    describeCredit(command);
    describeWhitelist(command);
    describeStatement(command);
    describeInvite(command);
    describeLog(command);
  },
  async run(context) {
    const act = actions.get(context.action ?? '');
    const keepsSchema = onlyReads(context);
    await context.withApp(async (app) => await act?.(await openAccounts(app), context), { keepsSchema });
    return exitCodes.done;
  },
};

/** Except that refunds of what a dead process left open come first. */
function onlyReads({ action = '', args, flags }: Context): boolean {
  if (action === 'whitelist') return args.length < 2 && flags(describeWhitelist).clear !== true;
  return ['list', 'show', 'statement', 'log'].includes(action);
}

async function create(accounts: Accounts, context: Context): Promise<void> {
  const { serpCredits = 0, usd = 0 } = context.flags(describeCreate);
  const { name } = await accounts.create(accountName(context), { serpCredits, microUsd: usd });
  if (context.json) return await show(accounts, context);
  context.out.line(`Created ${name} with ${balanceText({ serpCredits, microUsd: usd })}.`);
  context.out.line(`Next, create credentials: rankledger api-user add --account ${name}`);
}

async function list(accounts: Accounts, { json, out }: Context): Promise<void> {
  const all = await accounts.list();
  if (json) out.json(all.map((account) => ({ name: account.name, ...balanceDocument(account) })));
  else if (all.length === 0) out.line('There are no accounts yet: rankledger account create NAME');
  else for (const line of tableLines(accountColumns, all)) out.line(line);
}

async function show(accounts: Accounts, context: Context): Promise<void> {
  const account = await accounts.find(accountName(context));
  const users = (await accounts.listUsers(account.name)).map((user) => userDocument(user, context.host.now()));
  const { json, out } = context;
  if (json) {
    out.json({ name: account.name, ...balanceDocument(account), users });
    return;
  }
  out.line(out.styled('bold', account.name));
  for (const line of factLines(listFacts(account))) out.line(line);
  out.line();
  if (users.length === 0) out.line(`No API users yet: rankledger api-user add --account ${account.name}`);
  for (const line of tableLines(userColumns, users)) out.line(line);
}

function listFacts(account: Account): (readonly [string, string])[] {
  return [
    ['balance', balanceText(account)],
    ['called from', whitelistText(account.whitelist)],
    ['created', isoText(account.createdAt)],
  ];
}

async function credit(accounts: Accounts, context: Context): Promise<void> {
  const { note, ...amounts } = context.flags(describeCredit);
  const { serpCredits = 0, usd: microUsd = 0 } = amounts;
  if (!('serpCredits' in amounts) && !('usd' in amounts))
    throw usageError('Give an amount: --serp-credits, --usd, or both.', 'Negative amounts deduct.');
  if (serpCredits === 0 && microUsd === 0)
    throw usageError('An amount of 0 changes nothing.', 'Negative amounts deduct.');
  const name = accountName(context);
  const balance: Balance = await accounts.credit(name, { serpCredits, microUsd }, note);
  if (context.json) context.out.json({ name, ...balanceDocument(balance) });
  else context.out.line(`${name} now has ${balanceText(balance)}.`);
}

async function whitelist(accounts: Accounts, context: Context): Promise<void> {
  const { clear } = context.flags(describeWhitelist);
  const name = accountName(context);
  const rules = context.args.slice(1);
  if (clear === true && rules.length > 0) throw usageError('--clear takes no rules.');
  const isChange = clear === true || rules.length > 0;
  const current = isChange ? await accounts.setWhitelist(name, rules) : (await accounts.find(name)).whitelist;
  if (context.json) context.out.json({ name, whitelist: current });
  else context.out.line(`API users of ${name} may call from ${whitelistText(current)}.`);
}

async function invite(accounts: Accounts, context: Context): Promise<void> {
  const { hours, url: base, withdraw } = context.flags(describeInvite);
  const { json, out } = context;
  const name = accountName(context);
  if (withdraw === true) {
    await accounts.withdrawAccess(name);
    if (json) out.json({ name, withdrawn: true });
    else out.line(`The dashboard of ${name} is closed until the next invitation. Its API users go on.`);
    return;
  }
  const { token, expiresAt } = await accounts.invite(name, hours * hourMs);
  const url = new URL('/account/invitation', base);
  url.searchParams.set('token', token);
  if (json) {
    out.json({ name, url: url.href, expiresAt: isoText(expiresAt) });
    return;
  }
  out.line(url.href);
  out.line(
    `Send this link to the holder of ${name} only: it sets the password, works once, and ends at ${isoText(expiresAt)}.`,
  );
}

async function log(accounts: Accounts, { args, flags, json, out }: Context): Promise<void> {
  const [account] = args;
  const { limit } = flags(describeLog);
  const entries = await accounts.log({ limit, account });
  if (json) out.json(entries.map(logDocument));
  else if (entries.length === 0) out.line('No admin actions and no failed logins are recorded.');
  else for (const line of tableLines(logColumns, entries)) out.line(line);
}

/** Written block by block: a statement may be longer than memory. */
async function statement(accounts: Accounts, context: Context): Promise<void> {
  const { json, out, signal } = context;
  const name = accountName(context);
  let written = 0;
  for await (const entries of readBlocks(accounts, name, context.flags(describeStatement))) {
    signal.throwIfAborted();
    if (json) await out.chunk(jsonBlock(name, entries, written));
    else if (entries.length > 0) await out.chunk(`${tableLines(entryColumns, entries).join('\n')}\n`);
    else out.line(`Account ${name} has no entries: no top-ups and no charges.`);
    written += entries.length;
  }
  if (json) out.line('\n  ]\n}');
}

/** One empty block if there are no entries. */
async function* readBlocks(
  accounts: Accounts,
  name: string,
  { after, limit = Number.POSITIVE_INFINITY }: FlagsOf<typeof describeStatement>,
): AsyncGenerator<StatementEntry[]> {
  let afterId = after;
  let left = limit;
  for (let isFirst = true; left > 0; isFirst = false) {
    const entries = await accounts.statement(name, { afterId, limit: Math.min(left, entriesAtOnce) });
    if (entries.length > 0 || isFirst) yield entries;
    if (entries.length < entriesAtOnce) return;
    left -= entries.length;
    afterId = entries.at(-1)?.id ?? afterId;
  }
}

/** A part of `{ name, entries }`, indented like all our JSON; the caller writes the end. */
function jsonBlock(name: string, entries: readonly StatementEntry[], written: number): string {
  const head = written === 0 ? `{\n  "name": ${JSON.stringify(name)},\n  "entries": [` : '';
  const lines = entries.map((entry, at) => {
    const comma = written + at === 0 ? '' : ',';
    return `${comma}\n    ${JSON.stringify(entryDocument(entry))}`;
  });
  return head + lines.join('');
}

function accountName({ args }: Context): string {
  return args[0] ?? '';
}

function wholeCredits(written: string): number {
  if (/^-?\d{1,15}$/.test(written)) return Number(written);
  throw new InvalidArgumentError('Write a whole number of at most 15 digits.');
}

function dashboardUrl(written: string): string {
  if (URL.canParse(written) && ['http:', 'https:'].includes(new URL(written).protocol)) return written;
  throw new InvalidArgumentError('Write an address such as https://search.example.com.');
}
