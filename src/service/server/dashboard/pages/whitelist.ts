// The addresses from which the API users of the account may call.
import { AccountError } from '../../../access/accounts.ts';
import { form, holderPage } from '../layout.ts';
import { html } from '../markup.ts';
import { administration, type DashboardAnswer, type HolderVisit, redirect } from '../visit.ts';

export async function showWhitelist(visit: HolderVisit): Promise<DashboardAnswer> {
  return whitelistPage(visit, visit.account.whitelist.join('\n'));
}

export async function setWhitelist(visit: HolderVisit): Promise<DashboardAnswer> {
  const written = visit.request.form.get('rules') ?? '';
  const rules = written.split(/[\s,;]+/).filter((rule) => rule !== '');
  return await replaced(visit, rules, written);
}

/** Adds the address of the browser. */
export async function addOwnAddress(visit: HolderVisit): Promise<DashboardAnswer> {
  const { account, request } = visit;
  const rules = [...account.whitelist, request.address];
  return await replaced(visit, rules, rules.join('\n'));
}

async function replaced(visit: HolderVisit, rules: readonly string[], written: string): Promise<DashboardAnswer> {
  try {
    await administration(visit).setWhitelist(visit.account.name, rules);
    return redirect('/account/whitelist?done=whitelist');
  } catch (error) {
    if (error instanceof AccountError) return whitelistPage(visit, written, error.message);
    throw error;
  }
}

function whitelistPage(visit: HolderVisit, written: string, problem?: string): DashboardAnswer {
  const { account, request } = visit;
  const now =
    account.whitelist.length === 0
      ? html`<p>The whitelist is empty: API users may call from every address.</p>`
      : html`<p>API users may call from the addresses below only. This dashboard can be used from every address.</p>`;
  const rules = html`<p><label for="rules">Addresses and networks <span class="hint">One a line: IPv4, IPv6 or CIDR, such as 203.0.113.7 or 2001:db8::/32. Empty: every address.</span></label>
<textarea id="rules" name="rules" rows="8" spellcheck="false">${written}</textarea></p><p><button>Save whitelist</button></p>`;
  const own = html`<p>Your address now: <code id="own-address">${request.address}</code></p><p><button>Add your address</button></p>`;
  const main = html`${now}${form(visit, '/account/whitelist', rules)}<h2>Your address</h2>${form(visit, '/account/whitelist/own-address', own)}`;
  return holderPage(visit, { title: 'Whitelist', main, problem, status: problem === undefined ? 200 : 400 });
}
