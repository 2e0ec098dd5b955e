// The page of an invitation link: sets the password of the account.

import { moment } from '../amounts.ts';
import { HolderRefusal } from '../holders.ts';
import { form, openPage } from '../layout.ts';
import { type Html, html } from '../markup.ts';
import { passwordCharsMax, passwordCharsMin } from '../password-rules.ts';
import { type DashboardAnswer, signedIn, type Visit } from '../visit.ts';

export async function showInvitation(visit: Visit): Promise<DashboardAnswer> {
  return await invitationPage(visit, visit.request.query.get('token') ?? '');
}

export async function acceptInvitation(visit: Visit): Promise<DashboardAnswer> {
  const { desk, request } = visit;
  const token = request.form.get('token') ?? '';
  const password = request.form.get('new_password') ?? '';
  if (password !== request.form.get('repeated')) return await invitationPage(visit, token, passwordsDiffer);
  try {
    return signedIn('/account', await desk.holders.accept(token, password, request.address, request.signal));
  } catch (error) {
    if (error instanceof HolderRefusal) return await invitationPage(visit, token, error.message);
    throw error;
  }
}

export const passwordsDiffer = 'The two passwords differ.';

/** Fields for a new password, typed twice. */
export function newPasswordFields(): Html {
  return html`<p><label for="new_password">New password <span class="hint">${passwordCharsMin} to ${passwordCharsMax} characters of any kind, such as five random words. Common and breached passwords are refused.</span></label>
<input id="new_password" name="new_password" type="password" required minlength="${passwordCharsMin}" maxlength="${passwordCharsMax}" autocomplete="new-password"></p>
<p><label for="repeated">Repeat new password</label><input id="repeated" name="repeated" type="password" required maxlength="${passwordCharsMax}" autocomplete="new-password"></p>`;
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
<p><label for="account">Account</label><input id="account" name="account" value="${account}" readonly autocomplete="username"></p>
${newPasswordFields()}<p><button>Set password</button></p>`;
  const main = html`<p>Set the password of the account <strong>${account}</strong>. The invitation works once, until ${moment(expiresAt)}.</p>
${form(visit, '/account/invitation', fields)}`;
  const status = problem === undefined ? 200 : 400;
  return openPage(visit, { title: 'Welcome', main, problem, status });
}
