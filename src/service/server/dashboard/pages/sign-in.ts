// Signing in and out.
import { limits } from '../../../model/limits.ts';
import { HolderRefusal } from '../holders.ts';
import { form, openPage } from '../layout.ts';
import { html } from '../markup.ts';
import { passwordCharsMax } from '../password-rules.ts';
import {
  type DashboardAnswer,
  dropCookie,
  type HolderVisit,
  readDevice,
  redirect,
  signedIn,
  type Visit,
} from '../visit.ts';

export async function showSignIn(visit: Visit): Promise<DashboardAnswer> {
  return signInPage(visit);
}

export async function signIn(visit: Visit): Promise<DashboardAnswer> {
  const { desk, request } = visit;
  const field = (name: string) => request.form.get(name) ?? '';
  const claim = { account: field('account').trim(), password: field('password'), code: field('code') };
  try {
    const device = readDevice(request.cookies);
    const opened = await desk.holders.signIn({ ...claim, device, address: request.address, signal: request.signal });
    return signedIn(opened.wrongCodes === 0 ? '/account' : '/account?done=wrong-codes', opened);
  } catch (error) {
    if (error instanceof HolderRefusal) return signInPage(visit, error.message);
    throw error;
  }
}

export async function signOut({ desk, request, session }: HolderVisit): Promise<DashboardAnswer> {
  await desk.holders.signOut(session, request.address);
  return redirect('/account/sign-in?done=signed-out', dropCookie());
}

function signInPage(visit: Visit, problem?: string): DashboardAnswer {
  const account = visit.request.form.get('account') ?? '';
  const main = form(
    visit,
    '/account/sign-in',
    html`<p><label for="account">Account</label><input id="account" name="account" value="${account}" required maxlength="${limits.accountNameCharsMax}" autocomplete="username" autocapitalize="none" spellcheck="false"></p>
<p><label for="password">Password</label><input id="password" name="password" type="password" required maxlength="${passwordCharsMax}" autocomplete="current-password"></p>
<p><label for="code">Code <span class="hint">of your authenticator app, if you have set one up</span></label><input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10"></p>
<p><button>Sign in</button></p>`,
  );
  const hint = html`<p>No password yet, or lost it? Ask your provider for an invitation.</p>`;
  return openPage(visit, {
    title: 'Sign in',
    main: html`${main}${hint}`,
    problem,
    ...(problem !== undefined && { status: 403 }),
  });
}
