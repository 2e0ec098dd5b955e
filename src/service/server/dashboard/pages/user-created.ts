// A new API user: username and password, shown once, with instructions.
import type { NewCredentials } from '../../../access/accounts.ts';
import { code, holderPage } from '../layout.ts';
import { html } from '../markup.ts';
import type { DashboardAnswer, HolderVisit } from '../visit.ts';
import { exampleLinks } from './examples.ts';

export function createdPage(visit: HolderVisit, { username, password }: NewCredentials): DashboardAnswer {
  const settings = `export SERVICE_API_USER='${username}'\nexport SERVICE_API_PASSWORD='${password}'`;
  const main = html`<p class="message good" role="status">Keep the password now: it is shown this once, and only its hash is kept.</p>
<dl><dt>Username</dt><dd><code id="username">${username}</code></dd><dt>Password</dt><dd><code id="password">${password}</code></dd></dl>
<h2>Use it</h2><p>The user works from now on. Keep credentials out of code: programs read them from the environment.</p>
${code('Environment of a shell', settings)}
<p>Then run one of these examples:</p>${exampleLinks(username)}
<p><a href="/account/users">All API users</a></p>`;
  return holderPage(visit, { title: 'API user created', main });
}
