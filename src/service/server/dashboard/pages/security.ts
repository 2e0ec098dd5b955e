// Password, second factor, and the recent actions on the account.
import type { AccountLogEntry } from '../../../access/account-store.ts';
import { dollars, moment } from '../amounts.ts';
import { HolderRefusal } from '../holders.ts';
import { form, holderPage, table } from '../layout.ts';
import { type Html, html } from '../markup.ts';
import { passwordCharsMax } from '../password-rules.ts';
import { qrCode } from '../qr-code.ts';
import { isTotpSecret, newTotpSecret, totpUri } from '../totp.ts';
import { type DashboardAnswer, type HolderVisit, signedIn } from '../visit.ts';
import { newPasswordFields, passwordsDiffer } from './invitation.ts';

const actionsShown = 50;
const issuer = 'Search Data Service';

export async function showSecurity(visit: HolderVisit): Promise<DashboardAnswer> {
  return await securityPage(visit);
}

export async function changePassword(visit: HolderVisit): Promise<DashboardAnswer> {
  const password = visit.request.form.get('new_password') ?? '';
  if (password !== visit.request.form.get('repeated')) return await securityPage(visit, passwordsDiffer);
  return await changed(visit, 'password', () => visit.desk.holders.changePassword(readProof(visit), password));
}

export async function turnTotpOn(visit: HolderVisit): Promise<DashboardAnswer> {
  const secret = visit.request.form.get('secret') ?? '';
  if (!isTotpSecret(secret)) return await securityPage(visit, 'The key is not one of this page. Load the page again.');
  const code = visit.request.form.get('new_code') ?? '';
  return await changed(visit, 'totp-on', () => visit.desk.holders.turnTotpOn(readProof(visit), secret, code));
}

export async function turnTotpOff(visit: HolderVisit): Promise<DashboardAnswer> {
  return await changed(visit, 'totp-off', () => visit.desk.holders.turnTotpOff(readProof(visit)));
}

function readProof({ account, request, session }: HolderVisit) {
  const field = (name: string) => request.form.get(name) ?? '';
  const { address, signal } = request;
  return { account: account.name, address, signal, session, password: field('password'), code: field('code') };
}

async function changed(
  visit: HolderVisit,
  done: string,
  change: () => Promise<{ readonly token: string; readonly device: string }>,
): Promise<DashboardAnswer> {
  try {
    return signedIn(`/account/security?done=${done}`, await change());
  } catch (error) {
    if (error instanceof HolderRefusal) return await securityPage(visit, error.message);
    throw error;
  }
}

async function securityPage(visit: HolderVisit, problem?: string): Promise<DashboardAnswer> {
  const { desk, account, holder } = visit;
  const log = await desk.accounts.accountLog({ account: account.name, only: 'actions', limit: actionsShown });
  const actions = log.filter(({ event }) => event !== 'login-failed').map(toRow);
  const password = html`${managerField(account.name)}${proofFields('password', visit)}${newPasswordFields()}<p><button>Change password</button></p>`;
  const main = html`<h2>Password</h2><p>Last change of password or second factor: ${moment(holder.changedAt)}. A new password signs out all other browsers.</p>
${form(visit, '/account/security/password', password)}
<h2>Two-factor sign-in</h2>${holder.totpSecret === undefined ? totpOffered(visit) : totpInUse(visit)}
<h2>Activity</h2>${table(`The newest ${actionsShown} changes and sign-ins`, ['At', 'What', 'API user', 'By', 'Facts'], actions, 'Nothing yet.')}`;
  return holderPage(visit, { title: 'Security', main, problem, status: problem === undefined ? 200 : 403 });
}

/** For password managers. */
function managerField(name: string): Html {
  return html`<input type="hidden" name="username" value="${name}" autocomplete="username">`;
}

/** The current password, and a code if codes are on. `id` distinguishes the ids of two forms. */
function proofFields(id: string, { holder }: HolderVisit): Html {
  const code = html`<p><label for="${id}-code">Code of your authenticator app</label><input id="${id}-code" name="code" inputmode="numeric" required autocomplete="one-time-code" maxlength="10"></p>`;
  return html`<p><label for="${id}-now">Current password</label><input id="${id}-now" name="password" type="password" required maxlength="${passwordCharsMax}" autocomplete="current-password"></p>
${holder.totpSecret !== undefined && code}`;
}

function totpOffered(visit: HolderVisit): Html {
  const given = visit.request.form.get('secret') ?? '';
  const secret = isTotpSecret(given) ? given : newTotpSecret();
  const uri = totpUri(secret, issuer, visit.account.name);
  const fields = html`<input type="hidden" name="secret" value="${secret}">
<p>Scan this code with your authenticator app, or open <a href="${uri}">the link for apps on this device</a>:</p>
${qrCode(uri, 'QR code of the key below')}
<p>Or type this key (time-based, 6 digits):</p>
<p class="secret"><code id="totp-secret">${secret.replace(/(.{4})(?=.)/g, '$1 ')}</code></p>
<p><label for="new_code">Code that the app shows</label><input id="new_code" name="new_code" inputmode="numeric" required autocomplete="off" maxlength="10"></p>
${proofFields('totp', visit)}<p><button>Turn on codes</button></p>`;
  return html`<p>With a second factor, the password alone is not enough to sign in.</p>${form(visit, '/account/security/totp-on', fields)}`;
}

function totpInUse(visit: HolderVisit): Html {
  const fields = html`${proofFields('totp', visit)}<p><button>Turn off codes</button></p>`;
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
