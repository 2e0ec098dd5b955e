// The page: a header with the projects, and the view that the address names.
import { render } from 'preact';
import { followLink, goTo, pathOf, useAddress } from './address.js';
import { useDocument } from './api.js';
import { html } from './html.js';
import { SignIn } from './parts/sign-in.js';
import { ThemeButton } from './parts/theme-button.js';
import { startTheme } from './theme.js';
import { views } from './views.js';

function App() {
  const address = useAddress();
  const { value: projects, error, needsToken } = useDocument('/v1/projects?limit=10000');
  const { project, view } = address;
  const known = views[view] ?? views['portfolio'];
  const View = known?.component ?? null;
  return html`
    <a class="skip" href="#main">Skip to the numbers</a>
    <header>
      <a class="home" href="/">rankledger</a>
      ${project !== null && html`<${ProjectSwitcher} projects=${projects?.data ?? []} current=${project} view=${view} />`}
      ${project !== null && html`<${Navigation} project=${project} current=${view} query=${address.query} />`}
      <${ThemeButton} />
    </header>
    <main id="main" tabindex="-1">
      ${needsToken && error !== null && html`<${SignIn} problem=${error} />`}
      ${!needsToken && error !== null && html`<p class="problem" role="alert">${error}</p>`}
      ${!needsToken && View !== null && html`<${View} ...${address} projects=${projects} />`}
    </main>
  `;
}

/** @param {{ projects: readonly { readonly project: string }[], current: string, view: string }} props */
function ProjectSwitcher({ projects, current, view }) {
  const change = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    goTo(pathOf(currentTarget.value, views[view]?.label === undefined ? 'keywords' : view));
  return html`<label class="switcher"><span class="unseen">Project</span>
    <select value=${current} onChange=${change}>
      ${projects.map(({ project }) => html`<option value=${project}>${project}</option>`)}
    </select></label>`;
}

/** Dates and filters stay when the view changes. */
const sharedParameters = ['date', 'compare', 'from', 'to', 'granularity', 'tag', 'market', 'device', 'target'];

/** @param {{ project: string, current: string, query: URLSearchParams }} props */
function Navigation({ project, current, query }) {
  const shared = new URLSearchParams([...query].filter(([name]) => sharedParameters.includes(name)));
  const entries = Object.entries(views).filter(([, { label }]) => label !== undefined);
  return html`<nav aria-label="Views"><ul>
    ${entries.map(
      ([name, { label }]) =>
        html`<li><a href=${pathOf(project, name, shared)} aria-current=${name === current ? 'page' : null}>${label}</a></li>`,
    )}
  </ul></nav>`;
}

startTheme();
document.addEventListener('click', followLink);
const root = document.getElementById('app');
if (root !== null) render(html`<${App} />`, root);
