// Signing in and out, the invitation that sets the first password, and security: password, second factor, activity.
import type { AccountLogEntry } from '../../../access/account-store.ts';
import { limits } from '../../../model/limits.ts';
import { HolderRefusal, type Holders, type OpenedSession, type Proof } from '../holders.ts';
import { button, dollars, form, type Html, holderPage, html, input, moment, openPage, qrCode, table } from '../page.ts';
import { passwordCharsMax, passwordCharsMin } from '../password-rules.ts';
import { isTotpSecret, newTotpSecret, totpUri } from '../totp.ts';
import {
  type DashboardAnswer,
  field,
  type HolderVisit,
  readDevice,
  signedIn,
  signedOut,
  type Visit,
} from '../visit.ts';

const actionsShown = 50;
const issuer = 'Search Data Service';
const passwordsDiffer = 'The two passwords differ.';
const secretInput = `type="password" required maxlength="${passwordCharsMax}"`;
const codeInput = 'inputmode="numeric" maxlength="10" autocomplete="one-time-code"';

export async function signInPage(visit: Visit, problem?: string): Promise<DashboardAnswer> {
  const name = `required maxlength="${limits.accountNameCharsMax}" autocomplete="username" autocapitalize="none" spellcheck="false"`;
  const fields = html`${input('account', 'Account', name, { value: field(visit, 'account') })}
${input('password', 'Password', `${secretInput} autocomplete="current-password"`)}
${input('code', 'Code', codeInput, { hint: 'of your authenticator app, if you have set one up' })}${button('Sign in')}`;
  const main = html`${form(visit, '/account/sign-in', fields)}<p>No password yet, or lost it? Ask your provider for an invitation.</p>`;
  return openPage(visit, { title: 'Sign in', main, problem, status: 403 });
}

export async function signIn(visit: Visit): Promise<DashboardAnswer> {
  const { address, signal } = visit.request;
  const [password, code] = [field(visit, 'password'), field(visit, 'code')];
  const proof = { account: field(visit, 'account').trim(), password, code, device: readDevice(visit.request) };
  return await changed(
    async () => {
      const opened = await visit.desk.holders.signIn({ ...proof, address, signal });
      return signedIn(opened.wrongCodes === 0 ? '/account' : '/account?done=wrong-codes', opened);
    },
    (problem) => signInPage(visit, problem),
  );
}

export async function signOut({ desk, request, session }: HolderVisit): Promise<DashboardAnswer> {
  await desk.holders.signOut(session, request.address);
  return signedOut('/account/sign-in?done=signed-out');
}

export async function showInvitation(visit: Visit): Promise<DashboardAnswer> {
  return await invitationPage(visit, visit.request.query.get('token') ?? '');
}

export async function acceptInvitation(visit: Visit): Promise<DashboardAnswer> {
  const { address, signal } = visit.request;
  const [token, password] = [field(visit, 'token'), field(visit, 'new_password')];
  if (password !== field(visit, 'repeated')) return await invitationPage(visit, token, passwordsDiffer);
  return await changed(
    async () => signedIn('/account', await visit.desk.holders.accept(token, password, address, signal)),
    (problem) => invitationPage(visit, token, problem),
  );
}

/** The page again, with the reason, where the change is refused. */
async function changed(
  change: () => Promise<DashboardAnswer>,
  again: (problem: string) => Promise<DashboardAnswer>,
): Promise<DashboardAnswer> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof HolderRefusal) return await again(error.message);
    throw error;
  }
}

async function invitationPage(visit: Visit, token: string, problem?: string): Promise<DashboardAnswer> {
  const invitation = await visit.desk.holders.invitation(token);
  if (invitation === undefined) {
    const main = html`<p>Ask your provider for another one, or <a href="/account/sign-in">sign in</a>.</p>`;
    const title = 'Invitation';
    return openPage(visit, { title, main, problem: 'This invitation is used or has expired.', status: 404 });
  }
  const { account, expiresAt } = invitation;
  const fields = html`<input type="hidden" name="token" value="${token}">
${input('account', 'Account', 'readonly autocomplete="username"', { value: account })}
${newPasswordFields()}${button('Set password')}`;
  const main = html`<p>Set the password of the account <strong>${account}</strong>. The invitation works once, until ${moment(expiresAt)}.</p>
${form(visit, '/account/invitation', fields)}`;
  return openPage(visit, { title: 'Welcome', main, problem });
}

/** A new password, typed twice. */
function newPasswordFields(): Html {
  const hint = `${passwordCharsMin} to ${passwordCharsMax} characters of any kind, such as five random words. Common and breached passwords are refused.`;
  const attributes = `${secretInput} autocomplete="new-password"`;
  return html`${input('new_password', 'New password', `${attributes} minlength="${passwordCharsMin}"`, { hint })}
${input('repeated', 'Repeat new password', attributes)}`;
}

export async function changePassword(visit: HolderVisit): Promise<DashboardAnswer> {
  const password = field(visit, 'new_password');
  if (password !== field(visit, 'repeated')) return await securityPage(visit, passwordsDiffer);
  return await secured(visit, 'password', (holders, proof) => holders.changePassword(proof, password));
}

export async function turnTotpOn(visit: HolderVisit): Promise<DashboardAnswer> {
  const [secret, code] = [field(visit, 'secret'), field(visit, 'new_code')];
  if (!isTotpSecret(secret)) return await securityPage(visit, 'The key is not one of this page. Load the page again.');
  return await secured(visit, 'totp-on', (holders, proof) => holders.turnTotpOn(proof, secret, code));
}

export async function turnTotpOff(visit: HolderVisit): Promise<DashboardAnswer> {
  return await secured(visit, 'totp-off', (holders, proof) => holders.turnTotpOff(proof));
}

/** A change that needs the current password and code. */
async function secured(
  visit: HolderVisit,
  done: string,
  change: (holders: Holders, proof: Proof) => Promise<OpenedSession>,
): Promise<DashboardAnswer> {
  const { address, signal } = visit.request;
  const [password, code] = [field(visit, 'password'), field(visit, 'code')];
  const proof = { account: visit.account.name, address, signal, session: visit.session, password, code };
  return await changed(
    async () => signedIn(`/account/security?done=${done}`, await change(visit.desk.holders, proof)),
    (problem) => securityPage(visit, problem),
  );
}

export async function securityPage(visit: HolderVisit, problem?: string): Promise<DashboardAnswer> {
  const { desk, account, holder } = visit;
  const log = await desk.accounts.accountLog({ account: account.name, only: 'actions', limit: actionsShown });
  const actions = log.filter(({ event }) => event !== 'login-failed').map(toRow);
  // the hidden name is for password managers
  const password = html`<input type="hidden" name="username" value="${account.name}" autocomplete="username">
${proofFields('password', visit)}${newPasswordFields()}${button('Change password')}`;
  const main = html`<h2>Password</h2><p>Last change of password or second factor: ${moment(holder.changedAt)}. A new password signs out all other browsers.</p>
${form(visit, '/account/security/password', password)}
<h2>Two-factor sign-in</h2>${holder.totpSecret === undefined ? totpOffered(visit) : totpInUse(visit)}
<h2>Activity</h2>${table(`The newest ${actionsShown} changes and sign-ins`, ['At', 'What', 'API user', 'By', 'Facts'], actions, 'Nothing yet.')}`;
  return holderPage(visit, { title: 'Security', main, problem, status: 403 });
}

/** The current password, and a code if codes are on. `id` distinguishes the ids of two forms. */
function proofFields(id: string, { holder }: HolderVisit): Html {
  const current = `${secretInput} autocomplete="current-password"`;
  const code = { name: 'code' };
  return html`${input(`${id}-now`, 'Current password', current, { name: 'password' })}
${holder.totpSecret !== undefined && input(`${id}-code`, 'Code of your authenticator app', `required ${codeInput}`, code)}`;
}

function totpOffered(visit: HolderVisit): Html {
  const given = field(visit, 'secret');
  const secret = isTotpSecret(given) ? given : newTotpSecret();
  const uri = totpUri(secret, issuer, visit.account.name);
  const fields = html`<input type="hidden" name="secret" value="${secret}">
<p>Scan this code with your authenticator app, or open <a href="${uri}">the link for apps on this device</a>:</p>
${qrCode(uri, 'QR code of the key below')}
<p>Or type this key (time-based, 6 digits):</p>
<p class="secret"><code id="totp-secret">${secret.replace(/(.{4})(?=.)/g, '$1 ')}</code></p>
${input('new_code', 'Code that the app shows', 'inputmode="numeric" required autocomplete="off" maxlength="10"')}
${proofFields('totp', visit)}${button('Turn on codes')}`;
  return html`<p>With a second factor, the password alone is not enough to sign in.</p>${form(visit, '/account/security/totp-on', fields)}`;
}

function totpInUse(visit: HolderVisit): Html {
  const fields = html`${proofFields('totp', visit)}${button('Turn off codes')}`;
  return html`<p>Every sign-in requires a code of your authenticator app. If you lose the device, ask your provider for an invitation.</p>${form(visit, '/account/security/totp-off', fields)}`;
}

function toRow({ at, event, username, by, facts }: AccountLogEntry): (Html | string)[] {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  const words = known.map(([name, value]) => `${name}: ${factText(name, value)}`);
  // Hides user and host names of the operator from the holder.
  const actor = by?.startsWith('holder of ') === true ? by : 'operator';
  return [moment(at), event, username ?? '', actor, words.join(', ')];
}

function factText(name: string, value: unknown): string {
  if (name === 'expiresAt' && typeof value === 'number') return new Date(value).toISOString();
  if (name === 'microUsd' && typeof value === 'number') return dollars(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
