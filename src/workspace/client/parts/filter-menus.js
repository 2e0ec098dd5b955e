// The menus of the toolbar that filter rows: one form for each group of fields.
import { goTo, pathOf } from '../address.js';
import { choiceState, filterMenus, textComplaint, valueText, withForm } from '../filters.js';
import { html } from '../html.js';
import { closeMenu, Menu } from './menu.js';

/** @typedef {import('../filters.js').Field} Field */
/** @typedef {import('../address.js').Address} Address */

/** @param {{ address: Address, facts: import('../filters.js').ProjectFacts }} props */
export function FilterMenus({ address, facts }) {
  return filterMenus(facts).map(
    ({ label, fields }) => html`<${FilterMenu} key=${label} label=${label} fields=${fields} address=${address} />`,
  );
}

/** @param {{ label: string, fields: readonly Field[], address: Address }} props */
function FilterMenu({ label, fields, address: { project, view, query } }) {
  const written = fields.map(({ name }) => query.getAll(name).join('&'));
  const submit = (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault();
    const next = withForm(query, fields, new FormData(event.currentTarget));
    closeMenu(event.currentTarget);
    if (next !== query) goTo(pathOf(project, view, next));
  };
  return html`<${Menu} label=${label} active=${written.some(Boolean)}>
    <form key=${written.join(' ')} onSubmit=${submit}>
      ${fields.map((field) => html`<${FilterField} key=${field.name} field=${field} query=${query} />`)}
      <button type="submit" class="primary">${fields[0]?.name === 'tag' ? 'Add condition' : 'Apply'}</button>
    </form>
  </${Menu}>`;
}

/** @param {{ field: Field, query: URLSearchParams }} props */
function FilterField({ field, query }) {
  const { name, label, kind } = field;
  if (kind === 'choice') return html`<${ChoiceField} field=${field} written=${query.getAll(name)} />`;
  if (kind === 'range') return html`<${RangeField} field=${field} written=${query.get(name) ?? ''} />`;
  if (kind === 'flag')
    return html`<label>${label}
      <select name=${name} defaultValue=${query.get(name) ?? ''}>
        ${[
          ['', 'no matter'],
          ['true', 'another URL ranks'],
          ['false', 'ranks'],
        ].map(
          ([value, text]) =>
            html`<option value=${value} selected=${value === (query.get(name) ?? '')}>${text}</option>`,
        )}
      </select></label>`;
  return html`<label>${label} contains
    <input name=${name} defaultValue=${query.get(name) ?? ''} placeholder="part, or /regex/" maxlength="200"
      onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => currentTarget.setCustomValidity(textComplaint(currentTarget.value) ?? '')} /></label>`;
}

/** Tags start empty: each submission adds a condition. @param {{ field: Field, written: readonly string[] }} props */
function ChoiceField({ field: { name, label, values = [] }, written }) {
  const isTag = name === 'tag';
  const { mode, chosen } = choiceState(isTag ? [] : written);
  const modes = [['any', 'any of'], ...(isTag ? [['all', 'all of']] : []), ['none', 'none of']];
  return html`<fieldset>
    <legend>${label}</legend>
    <label class="mode"><span class="unseen">${label}: keep rows with</span>
      <select name=${`${name}.mode`}>
        ${modes.map(([value, text]) => html`<option value=${value} selected=${value === mode}>${text}</option>`)}
      </select></label>
    <div class="options">${values.map(
      (value) => html`<label class="option">
        <input type="checkbox" name=${name} value=${value} defaultChecked=${chosen.includes(value)} />
        <bdi>${valueText(name, value)}</bdi></label>`,
    )}</div>
  </fieldset>`;
}

/** @param {{ field: Field, written: string }} props */
function RangeField({ field: { name, label }, written }) {
  const [from = '', to = from] = written.split('..');
  const input = (/** @type {string} */ end, /** @type {string} */ value) =>
    html`<label><span class="unseen">${label}, </span>${end}
      <input type="number" step="any" name=${`${name}.${end}`} defaultValue=${value} inputmode="decimal" /></label>`;
  return html`<fieldset class="range"><legend>${label}</legend>${input('from', from)} ${input('to', to)}</fieldset>`;
}
