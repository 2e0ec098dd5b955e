// Saved views: those of the project's config, and those that this browser remembers.
import { useState } from 'preact/hooks';
import { pathOf } from '../address.js';
import { html } from '../html.js';
import { recall, remember } from '../storage.js';
import { Menu } from './menu.js';

/** @typedef {import('../address.js').Address} Address */
/** @typedef {{ readonly name: string, readonly view?: string, readonly query: string }} SavedView */

/** @param {{ address: Address, views: readonly SavedView[] }} props */
export function ViewMenu({ address: { project, view, query }, views }) {
  const key = `views.${project}`;
  const [own, setOwn] = useState(() => savedViews(recall(key)));
  const keep = (/** @type {SavedView[]} */ next) => {
    remember(key, next);
    setOwn(next);
  };
  const save = (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    if (name === '') return;
    keep([...own.filter((saved) => saved.name !== name), { name, view, query: query.toString() }]);
    event.currentTarget.reset();
  };
  const link = (/** @type {SavedView} */ saved) =>
    html`<a href=${pathOf(project, saved.view ?? view, new URLSearchParams(saved.query))}><bdi>${saved.name}</bdi></a>`;
  return html`<${Menu} label="Views">
    ${views.length > 0 && html`<h3>Of the project</h3><ul>${views.map((saved) => html`<li>${link(saved)}</li>`)}</ul>`}
    ${
      own.length > 0 &&
      html`<h3>In this browser</h3><ul>${own.map(
        (saved) => html`<li>${link(saved)}
          <button type="button" class="quiet" aria-label=${`Forget the view ${saved.name}`}
            onClick=${() => keep(own.filter((other) => other !== saved))}>×</button></li>`,
      )}</ul>`
    }
    <form onSubmit=${save}>
      <label>Save this view in this browser as <input name="name" required maxlength="60" /></label>
      <button type="submit" class="primary">Save</button>
    </form>
  </${Menu}>`;
}

/** @param {unknown} stored @returns {SavedView[]} */
function savedViews(stored) {
  if (!Array.isArray(stored)) return [];
  return stored.filter((view) => typeof view?.name === 'string' && typeof view?.query === 'string');
}
