// API users of the account: create, set an expiry, revoke; the addresses they may call from; examples for them.
import { readFileSync } from 'node:fs';
import { AccountError, type ApiUserFacts, userState } from '../../../access/accounts.ts';
import { newUsername } from '../../../access/login/passwords.ts';
import { limits } from '../../../model/limits.ts';
import { button, code, dollars, form, type Html, holderPage, html, input, moment, table } from '../page.ts';
import { administration, type DashboardAnswer, field, type HolderVisit, redirect } from '../visit.ts';

export async function usersPage(visit: HolderVisit, problem?: string): Promise<DashboardAnswer> {
  const { account, request, desk } = visit;
  const users = await administration(visit).listUsers(account.name);
  const rows = users.map((user) => [
    html`<a href="/account/users/user?${new URLSearchParams({ name: user.username }).toString()}">${user.username}</a>`,
    userState(user, desk.clock.now()),
    moment(user.createdAt),
    expiryOf(user),
  ]);
  const attributes = `required maxlength="${limits.accountNameCharsMax}" autocomplete="off" autocapitalize="none" spellcheck="false"`;
  const hint = `The username is “${usernamePrefix(account.name)}” and this name: letters, digits, dots, dashes and underscores.`;
  const fields = html`${input('name', 'Name', attributes, { hint, value: request.form.get('name') ?? newUsername() })}
${expiryField(field(visit, 'expires'))}${button('Create API user')}`;
  const main = html`<p>Programs call the service as API users.</p>
${table('API users', ['API user', 'State', 'Created', 'Expires'], rows, 'There are no API users yet.')}
<h2>Create an API user</h2><p>The service generates the password and shows it once.</p>${form(visit, '/account/users', fields)}`;
  return holderPage(visit, { title: 'API users', main, problem });
}

/** Answers without a redirect, because the password is stored nowhere. If the form is sent twice, the name is taken. */
export async function createUser(visit: HolderVisit): Promise<DashboardAnswer> {
  const name = field(visit, 'name').trim();
  const expiresAt = parseMoment(field(visit, 'expires'));
  if (name === '') return await usersPage(visit, 'Give the API user a name.');
  if (expiresAt === null) return await usersPage(visit, unreadableMoment);
  const release = await visit.desk.creation.acquire();
  try {
    const { account } = visit;
    const users = await administration(visit).listUsers(account.name);
    const usable = users.filter(({ revokedAt }) => revokedAt === undefined).length;
    if (usable >= limits.dashboardUsersMax)
      return await usersPage(visit, `An account has at most ${limits.dashboardUsersMax} API users. Revoke one first.`);
    if (users.length >= limits.dashboardUsersEverMax)
      return await usersPage(visit, 'The account has had too many API users. Ask your provider.');
    const username = `${usernamePrefix(account.name)}${name}`;
    const { password } = await administration(visit).addUser(account.name, { username, expiresAt });
    return createdPage(visit, username, password);
  } catch (error) {
    if (error instanceof AccountError) return await usersPage(visit, `${error.message} ${error.hint}`);
    throw error;
  } finally {
    release();
  }
}

/** Username and password, shown once, with instructions. */
function createdPage(visit: HolderVisit, username: string, password: string): DashboardAnswer {
  const settings = `export SERVICE_API_USER='${username}'\nexport SERVICE_API_PASSWORD='${password}'`;
  const main = html`<p class="message good" role="status">Keep the password now: it is shown this once, and only its hash is kept.</p>
<dl><dt>Username</dt><dd><code id="username">${username}</code></dd><dt>Password</dt><dd><code id="password">${password}</code></dd></dl>
<h2>Use it</h2><p>The user works from now on. Keep credentials out of code: programs read them from the environment.</p>
${code('Environment of a shell', settings)}
<p>Then run one of these examples:</p>${exampleLinks(username)}
<p><a href="/account/users">All API users</a></p>`;
  return holderPage(visit, { title: 'API user created', main });
}

export async function showUser(visit: HolderVisit): Promise<DashboardAnswer> {
  return await userPage(visit, visit.request.query.get('name') ?? '');
}

export async function expireUser(visit: HolderVisit): Promise<DashboardAnswer> {
  const username = field(visit, 'username');
  if ((await ownUser(visit, username)) === undefined) return await userPage(visit, username);
  const expiresAt = parseMoment(field(visit, 'expires'));
  if (expiresAt === null) return await userPage(visit, username, unreadableMoment);
  await administration(visit).expireUser(username, expiresAt);
  return redirect(`/account/users/user?${new URLSearchParams({ name: username, done: 'expiry' })}`);
}

export async function revokeUser(visit: HolderVisit): Promise<DashboardAnswer> {
  const username = field(visit, 'username');
  if ((await ownUser(visit, username)) === undefined) return await userPage(visit, username);
  if (field(visit, 'sure') !== 'yes')
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

async function ownUser(visit: HolderVisit, username: string | null): Promise<ApiUserFacts | undefined> {
  const users = await administration(visit).listUsers(visit.account.name);
  return users.find((user) => user.username === username);
}

async function userPage(visit: HolderVisit, username: string, problem?: string): Promise<DashboardAnswer> {
  const user = await ownUser(visit, username);
  const back = html`<p><a href="/account/users">All API users</a></p>`;
  if (user === undefined)
    return holderPage(visit, { title: 'API user', main: back, status: 404, problem: 'There is no such API user.' });
  const { serpCredits, microUsd } = user.dailyCap ?? {};
  const cap = [serpCredits !== undefined && `${serpCredits} SERP credits`, microUsd !== undefined && dollars(microUsd)];
  const facts = html`<dl><dt>State</dt><dd>${userState(user, visit.desk.clock.now())}</dd>
<dt>Created</dt><dd>${moment(user.createdAt)}</dd>
<dt>Expires</dt><dd>${expiryOf(user)}</dd>
${user.revokedAt !== undefined && html`<dt>Revoked</dt><dd>${moment(user.revokedAt)}</dd>`}
<dt>Limit a day</dt><dd>${cap.filter(Boolean).join(', ') || 'none'}</dd></dl>`;
  const main = html`${facts}${user.revokedAt === undefined && changeForms(visit, user)}${back}`;
  return holderPage(visit, { title: username, main, problem });
}

function changeForms(visit: HolderVisit, { username, expiresAt }: ApiUserFacts): Html {
  const who = html`<input type="hidden" name="username" value="${username}">`;
  const written = expiresAt === undefined ? '' : new Date(expiresAt).toISOString().slice(0, 16);
  const revoke = html`${who}<p class="check"><input type="checkbox" id="sure" name="sure" value="yes" required> <label for="sure">Reject its requests from now on; this cannot be undone</label></p>${button('Revoke')}`;
  return html`<h2>Expiry</h2>${form(visit, '/account/users/expire', html`${who}${expiryField(written)}${button('Set expiry')}`)}
<h2>Revoke</h2>${form(visit, '/account/users/revoke', revoke)}`;
}

function expiryField(value: string): Html {
  const hint = 'The service rejects its requests from this moment on. Empty: never.';
  return input('expires', 'Expires (UTC)', 'type="datetime-local"', { hint, value });
}

function expiryOf({ expiresAt }: ApiUserFacts): Html | string {
  return expiresAt === undefined ? 'never' : moment(expiresAt);
}

export async function showWhitelist(visit: HolderVisit): Promise<DashboardAnswer> {
  return whitelistPage(visit, visit.account.whitelist.join('\n'));
}

export async function setWhitelist(visit: HolderVisit): Promise<DashboardAnswer> {
  const written = field(visit, 'rules');
  return await replaceWhitelist(visit, written.split(/[\s,;]+/).filter(Boolean), written);
}

/** Adds the address of the browser. */
export async function addOwnAddress(visit: HolderVisit): Promise<DashboardAnswer> {
  const rules = [...visit.account.whitelist, visit.request.address];
  return await replaceWhitelist(visit, rules, rules.join('\n'));
}

async function replaceWhitelist(visit: HolderVisit, rules: readonly string[], written: string) {
  try {
    await administration(visit).setWhitelist(visit.account.name, rules);
    return redirect('/account/whitelist?done=whitelist');
  } catch (error) {
    if (error instanceof AccountError) return whitelistPage(visit, written, error.message);
    throw error;
  }
}

function whitelistPage(visit: HolderVisit, written: string, problem?: string): DashboardAnswer {
  const now =
    visit.account.whitelist.length === 0
      ? 'The whitelist is empty: API users may call from every address.'
      : 'API users may call from the addresses below only. This dashboard can be used from every address.';
  const rules = html`<p><label for="rules">Addresses and networks <span class="hint">One a line: IPv4, IPv6 or CIDR, such as 203.0.113.7 or 2001:db8::/32. Empty: every address.</span></label>
<textarea id="rules" name="rules" rows="8" spellcheck="false">${written}</textarea></p>${button('Save whitelist')}`;
  const own = html`<p>Your address now: <code id="own-address">${visit.request.address}</code></p>${button('Add your address')}`;
  const main = html`<p>${now}</p>${form(visit, '/account/whitelist', rules)}<h2>Your address</h2>${form(visit, '/account/whitelist/own-address', own)}`;
  return holderPage(visit, { title: 'Whitelist', main, problem });
}

/** A script for sh with curl, and a program for Node.js 24 or later without packages. */
type ExampleName = 'search.sh' | 'search.ts';

/** With the server's address and an API user filled in. Credentials come from the environment, never from a file. */
function exampleFile(name: ExampleName, { request }: HolderVisit, username = '<API_USER>'): string {
  const template = readFileSync(new URL(`../files/${name}.txt`, import.meta.url), 'utf8');
  return template.replaceAll('{base_url}', request.origin).replaceAll('{api_user}', username);
}

export async function showExamples(visit: HolderVisit): Promise<DashboardAnswer> {
  const main = html`<p>Both read the credentials of an <a href="/account/users">API user</a> from the environment. All operations and errors: <a href="/docs">documentation</a>.</p>
${exampleLinks()}
<h2>Shell with curl</h2>${code('Example for a shell', exampleFile('search.sh', visit))}
<h2>TypeScript</h2><p>Run it with <code>node search.ts</code>, Node.js 24 or later. It needs no package.</p>${code('Example in TypeScript', exampleFile('search.ts', visit))}`;
  return holderPage(visit, { title: 'Examples', main });
}

/** Links to both files, with an API user filled in if one is named. */
function exampleLinks(username?: string): Html {
  const query = username === undefined ? '' : `?${new URLSearchParams({ user: username })}`;
  return html`<ul><li><a href="/account/examples/search.sh${query}" download>search.sh, with curl</a></li>
<li><a href="/account/examples/search.ts${query}" download>search.ts, for Node.js</a></li></ul>`;
}

export async function downloadExample(visit: HolderVisit): Promise<DashboardAnswer> {
  const { account, request } = visit;
  const name: ExampleName = request.path.endsWith('.sh') ? 'search.sh' : 'search.ts';
  // no text of the URL gets into a file, only the name of a user of this account
  const user = await ownUser(visit, request.query.get('user'));
  return {
    status: 200,
    account: account.name,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'content-disposition': `attachment; filename="${name}"` },
    body: exampleFile(name, visit, user?.username),
  };
}
