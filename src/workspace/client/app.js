// The page: a header with the projects, and the view that the address names.
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { followLink, goTo, pathOf, useAddress } from './address.js';
import { useDocument } from './api.js';
import { sharedQuery } from './api-path.js';
import { html } from './html.js';
import { SignIn } from './parts/sign-in.js';
import { ThemeButton } from './parts/theme-button.js';
import { ViewTitle } from './parts/view-title.js';
import { startTheme } from './theme.js';
import { views } from './views.js';

function App() {
  const address = useAddress();
  const { value: projects, error, needsToken } = useDocument('/v1/projects?limit=10000');
  const { project, view } = address;
  const isKnown =
    project === null || projects === undefined || projects.data.some((/** @type {any} */ of) => of.project === project);
  // the API knows earlier ids of projects
  const { value: renamed, isLoading } = useDocument(isKnown ? null : `/v1/projects/${encodeURIComponent(project)}`);
  useEffect(() => {
    if (!isKnown && !isLoading && renamed !== undefined)
      goTo(pathOf(renamed.project, view, address.query), { replace: true });
  }, [isKnown, isLoading, renamed]);
  // what had the focus may be gone with the view before
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
  }, [project, view]);
  const View = (isKnown && views[view]?.component) || MissingPage;
  return html`
    <a class="skip" href="#main">Skip to the numbers</a>
    ${view === 'keywords' && html`<a class="skip" href="#rows">Skip to the table</a>`}
    <header>
      <a class="home" href="/">rankledger</a>
      ${project !== null && html`<${ProjectSwitcher} projects=${projects?.data ?? []} current=${project} view=${view} />`}
      ${project !== null && html`<${Navigation} project=${project} current=${view} query=${address.query} />`}
      <${ThemeButton} />
    </header>
    <main id="main" tabindex="-1">
      ${needsToken && error !== null && html`<${SignIn} problem=${error} />`}
      ${!needsToken && error !== null && html`<p class="problem" role="alert">${error}</p>`}
      ${!needsToken && html`<${View} ...${address} projects=${projects} />`}
    </main>
  `;
}

/** No view has this address. @param {import('./address.js').Address} address */
function MissingPage({ project, view }) {
  const missing = project === null || views[view] === undefined ? 'page' : html`project <q><bdi>${project}</bdi></q>`;
  return html`<${ViewTitle}>There is no such ${missing}</${ViewTitle}><p><a href="/">All projects</a></p>`;
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

/**
 * Dates and filters stay when the view changes.
 * @param {{ project: string, current: string, query: URLSearchParams }} props
 */
function Navigation({ project, current, query }) {
  const shared = sharedQuery(query);
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
