// API users of the account: create, set an expiry, revoke.
import { AccountError, type ApiUserFacts } from '../../../access/accounts.ts';
import { newUsername } from '../../../access/login/passwords.ts';
import { limits } from '../../../model/limits.ts';
import { dollars, moment } from '../amounts.ts';
import { form, holderPage, table } from '../layout.ts';
import { type Html, html } from '../markup.ts';
import { administration, type DashboardAnswer, type HolderVisit, redirect } from '../visit.ts';
import { createdPage } from './user-created.ts';

export async function showUsers(visit: HolderVisit): Promise<DashboardAnswer> {
  return await usersPage(visit);
}

/** Answers without a redirect, because the password is stored nowhere. If the form is sent twice, the name is taken. */
export async function createUser(visit: HolderVisit): Promise<DashboardAnswer> {
  const { request } = visit;
  const name = (request.form.get('name') ?? '').trim();
  const expiresAt = parseMoment(request.form.get('expires') ?? '');
  if (name === '') return await usersPage(visit, 'Give the API user a name.');
  if (expiresAt === null) return await usersPage(visit, unreadableMoment);
  const release = await visit.desk.creation.acquire();
  try {
    return await createWithinLimits(visit, name, expiresAt);
  } finally {
    release();
  }
}

async function createWithinLimits(
  visit: HolderVisit,
  name: string,
  expiresAt: number | undefined,
): Promise<DashboardAnswer> {
  const { account } = visit;
  const users = await administration(visit).listUsers(account.name);
  const usable = users.filter(({ revokedAt }) => revokedAt === undefined).length;
  if (usable >= limits.dashboardUsersMax)
    return await usersPage(visit, `An account has at most ${limits.dashboardUsersMax} API users. Revoke one first.`);
  if (users.length >= limits.dashboardUsersEverMax)
    return await usersPage(visit, 'The account has had too many API users. Ask your provider.');
  try {
    const username = `${usernamePrefix(account.name)}${name}`;
    const credentials = await administration(visit).addUser(account.name, {
      username,
      ...(expiresAt !== undefined && { expiresAt }),
    });
    return createdPage(visit, credentials);
  } catch (error) {
    return await usersPage(visit, accountProblem(error));
  }
}

export async function showUser(visit: HolderVisit): Promise<DashboardAnswer> {
  return await userPage(visit, visit.request.query.get('name') ?? '');
}

export async function expireUser(visit: HolderVisit): Promise<DashboardAnswer> {
  const username = visit.request.form.get('username') ?? '';
  if ((await ownUser(visit, username)) === undefined) return await userPage(visit, username);
  const expiresAt = parseMoment(visit.request.form.get('expires') ?? '');
  if (expiresAt === null) return await userPage(visit, username, unreadableMoment);
  await administration(visit).expireUser(username, expiresAt);
  return redirect(`/account/users/user?${new URLSearchParams({ name: username, done: 'expiry' })}`);
}

export async function revokeUser(visit: HolderVisit): Promise<DashboardAnswer> {
  const username = visit.request.form.get('username') ?? '';
  if ((await ownUser(visit, username)) === undefined) return await userPage(visit, username);
  if (visit.request.form.get('sure') !== 'yes')
    return await userPage(visit, username, 'Confirm that the API user is to be revoked for good.');
  await administration(visit).revokeUser(username);
  return redirect(`/account/users/user?${new URLSearchParams({ name: username, done: 'revoked' })}`);
}

/** The prefix of names: usernames are unique over all accounts, and no account may learn the names of another. */
function usernamePrefix(account: string): string {
  return `${account}.`;
}

const unreadableMoment = 'Write the expiry as a date and a time, such as 2026-12-31T23:59.';

/** UTC. Undefined: no expiry. Null: not a moment. */
function parseMoment(written: string): number | undefined | null {
  const text = written.trim();
  if (text === '') return undefined;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** The error as a sentence for the holder; other errors are rethrown. */
function accountProblem(error: unknown): string {
  if (error instanceof AccountError) return `${error.message} ${error.hint}`;
  throw error;
}

async function ownUser(visit: HolderVisit, username: string): Promise<ApiUserFacts | undefined> {
  const users = await administration(visit).listUsers(visit.account.name);
  return users.find((user) => user.username === username);
}

async function usersPage(visit: HolderVisit, problem?: string): Promise<DashboardAnswer> {
  const { account, request, desk } = visit;
  const users = await administration(visit).listUsers(account.name);
  const rows = users.map((user) => [
    html`<a href="/account/users/user?${new URLSearchParams({ name: user.username }).toString()}">${user.username}</a>`,
    userState(user, desk.clock.now()),
    moment(user.createdAt),
    user.expiresAt === undefined ? 'never' : moment(user.expiresAt),
  ]);
  const name = request.form.get('name') ?? newUsername();
  const fields = html`<p><label for="name">Name <span class="hint">The username is “${usernamePrefix(account.name)}” and this name: letters, digits, dots, dashes and underscores.</span></label>
<input id="name" name="name" value="${name}" required maxlength="${limits.accountNameCharsMax}" autocomplete="off" autocapitalize="none" spellcheck="false"></p>
${expiryField(request.form.get('expires') ?? '')}<p><button>Create API user</button></p>`;
  const main = html`<p>Programs call the service as API users.</p>
${table('API users', ['API user', 'State', 'Created', 'Expires'], rows, 'There are no API users yet.')}
<h2>Create an API user</h2><p>The service generates the password and shows it once.</p>${form(visit, '/account/users', fields)}`;
  return holderPage(visit, { title: 'API users', main, problem, status: problem === undefined ? 200 : 400 });
}

async function userPage(visit: HolderVisit, username: string, problem?: string): Promise<DashboardAnswer> {
  const user = await ownUser(visit, username);
  const back = html`<p><a href="/account/users">All API users</a></p>`;
  if (user === undefined)
    return holderPage(visit, { title: 'API user', main: back, status: 404, problem: 'There is no such API user.' });
  const cap = [
    ...(user.dailyCap?.serpCredits === undefined ? [] : [`${user.dailyCap.serpCredits} SERP credits`]),
    ...(user.dailyCap?.microUsd === undefined ? [] : [dollars(user.dailyCap.microUsd)]),
  ];
  const facts = html`<dl><dt>State</dt><dd>${userState(user, visit.desk.clock.now())}</dd>
<dt>Created</dt><dd>${moment(user.createdAt)}</dd>
<dt>Expires</dt><dd>${user.expiresAt === undefined ? 'never' : moment(user.expiresAt)}</dd>
${user.revokedAt !== undefined && html`<dt>Revoked</dt><dd>${moment(user.revokedAt)}</dd>`}
<dt>Limit a day</dt><dd>${cap.length === 0 ? 'none' : cap.join(', ')}</dd></dl>`;
  const main = html`${facts}${user.revokedAt === undefined && changeForms(visit, user)}${back}`;
  return holderPage(visit, { title: username, main, problem, status: problem === undefined ? 200 : 400 });
}

function changeForms(visit: HolderVisit, { username, expiresAt }: ApiUserFacts): Html {
  const who = html`<input type="hidden" name="username" value="${username}">`;
  const written = expiresAt === undefined ? '' : new Date(expiresAt).toISOString().slice(0, 16);
  const revoke = html`${who}<p class="check"><input type="checkbox" id="sure" name="sure" value="yes" required> <label for="sure">Reject its requests from now on; this cannot be undone</label></p><p><button>Revoke</button></p>`;
  return html`<h2>Expiry</h2>${form(visit, '/account/users/expire', html`${who}${expiryField(written)}<p><button>Set expiry</button></p>`)}
<h2>Revoke</h2>${form(visit, '/account/users/revoke', revoke)}`;
}

function expiryField(value: string): Html {
  return html`<p><label for="expires">Expires (UTC) <span class="hint">The service rejects its requests from this moment on. Empty: never.</span></label><input id="expires" name="expires" type="datetime-local" value="${value}"></p>`;
}

function userState({ expiresAt, revokedAt }: ApiUserFacts, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}
