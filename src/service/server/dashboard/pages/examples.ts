// Ready-to-run examples, to read and to download.
import { type ExampleName, exampleFile } from '../example-files.ts';
import { code, holderPage } from '../layout.ts';
import { type Html, html } from '../markup.ts';
import { administration, type DashboardAnswer, type HolderVisit } from '../visit.ts';

export async function showExamples(visit: HolderVisit): Promise<DashboardAnswer> {
  const { origin } = visit.request;
  const main = html`<p>Both read the credentials of an <a href="/account/users">API user</a> from the environment. All operations and errors: <a href="/docs">documentation</a>.</p>
${exampleLinks()}
<h2>Shell with curl</h2>${code('Example for a shell', exampleFile('search.sh', origin))}
<h2>TypeScript</h2><p>Run it with <code>node search.ts</code>, Node.js 24 or later. It needs no package.</p>${code('Example in TypeScript', exampleFile('search.ts', origin))}`;
  return holderPage(visit, { title: 'Examples', main });
}

/** Links to both files, with an API user filled in if one is named. */
export function exampleLinks(username?: string): Html {
  const query = username === undefined ? '' : `?${new URLSearchParams({ user: username })}`;
  return html`<ul><li><a href="/account/examples/search.sh${query}" download>search.sh, with curl</a></li>
<li><a href="/account/examples/search.ts${query}" download>search.ts, for Node.js</a></li></ul>`;
}

export async function downloadExample(visit: HolderVisit): Promise<DashboardAnswer> {
  const { account, request } = visit;
  const name: ExampleName = request.path.endsWith('.sh') ? 'search.sh' : 'search.ts';
  return {
    status: 200,
    account: account.name,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'content-disposition': `attachment; filename="${name}"` },
    body: exampleFile(name, request.origin, await namedUser(visit)),
  };
}

/** The parameter `user` if it names a user of this account: no other text of the URL gets into a file. */
async function namedUser(visit: HolderVisit): Promise<string | undefined> {
  const users = await administration(visit).listUsers(visit.account.name);
  return users.find(({ username }) => username === visit.request.query.get('user'))?.username;
}
