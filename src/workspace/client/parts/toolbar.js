// The toolbar of all views of a project: search, dates, filters, saved views, and what is active.
import { useEffect, useRef, useState } from 'preact/hooks';
import { goTo, pathOf } from '../address.js';
import { isFile } from '../api.js';
import { changed, chipsOf, textComplaint, withoutFilters } from '../filters.js';
import { html } from '../html.js';
import { FilterMenus } from './filter-menus.js';
import { PeriodBar } from './period-bar.js';
import { ViewMenu } from './view-menu.js';

/** @typedef {import('../address.js').Address} Address */

/**
 * `facts`: undefined while they are read. `filters: false`: of one row, without search and filters. `children` stand
 * beside the dates.
 * @param {{ address: Address, facts: import('../../records.ts').ProjectFacts | undefined, filters?: boolean,
 *   children?: unknown }} props
 */
export function Toolbar({ address, facts, filters = true, children }) {
  return html`<section class="toolbar" aria-label="Dates and filters">
    ${!isFile() && html`<${PeriodBar} address=${address} dates=${facts?.dates ?? []} hasGranularity=${filters}>${children}</${PeriodBar}>`}
    ${
      filters &&
      html`<div class="filters">
        <${SearchField} address=${address} />
        ${facts !== undefined && html`<${FilterMenus} address=${address} facts=${facts} />`}
        <${UrlProblem} url=${address.query.get('url') ?? ''} />
        ${facts !== undefined && html`<${ViewMenu} address=${address} views=${facts.views} />`}
      </div>
      <${Chips} address=${address} />`
    }
  </section>`;
}

const typingMs = 250;

/** Filters while it is typed in. A search is one entry of the browser's history. @param {{ address: Address }} props */
function SearchField({ address: { project, view, query } }) {
  const current = query.get('q') ?? '';
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const isTyping = useRef(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  useSlash(input);
  const complaint = textComplaint(typed ?? current);
  const search = (/** @type {string} */ text) => {
    if (text.trim() === current || textComplaint(text) !== null) return;
    goTo(pathOf(project, view, changed(query, { q: text.trim() || null })), { replace: isTyping.current });
    isTyping.current = true;
  };
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(() => search(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    const goBack = () => setTyped(null);
    addEventListener('popstate', goBack);
    return () => removeEventListener('popstate', goBack);
  }, []);
  const leave = () => {
    if (typed !== null) search(typed);
    isTyping.current = false;
    if (typed === null || textComplaint(typed) === null) setTyped(null);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    leave();
  };
  return html`<form role="search" onSubmit=${submit}>
    <label><span class="unseen">Find keywords</span>
      <input type="search" ref=${input} value=${typed ?? current} maxlength="200" placeholder="Words, or /regex/  ( / )"
        aria-keyshortcuts="/" aria-invalid=${complaint !== null} aria-describedby=${complaint === null ? null : 'search-problem'} onBlur=${leave}
        onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setTyped(currentTarget.value)} />
    </label>${complaint !== null && html`<span class="problem" id="search-problem" role="alert">${complaint}</span>`}</form>`;
}

/** Of an address: the menu refuses such a filter. @param {{ url: string }} props */
function UrlProblem({ url }) {
  const complaint = textComplaint(url);
  return complaint !== null && html`<span class="problem" role="alert">URL: ${complaint}</span>`;
}

/** The key `/` focuses the search. @param {{ readonly current: HTMLInputElement | null }} input */
function useSlash(input) {
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Active filters; each can be removed. @param {{ address: Address }} props */
function Chips({ address: { project, view, query } }) {
  const chips = chipsOf(query);
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  if (chips.length === 0) return null;
  const remove = (/** @type {URLSearchParams} */ without) => {
    list.current?.focus();
    goTo(pathOf(project, view, without));
  };
  return html`<ul class="chips" aria-label="Active filters" tabindex="-1" ref=${list}>
    ${chips.map(
      ({
        label,
        text,
        without,
      }) => html`<li><button type="button" class="chip" aria-label=${`Remove the filter ${label}: ${text}`}
        onClick=${() => remove(without)}><span>${label}:</span> <bdi>${text}</bdi> <span aria-hidden="true">×</span></button></li>`,
    )}
    <li><button type="button" class="quiet" onClick=${() => remove(withoutFilters(query))}>Clear all</button></li>
  </ul>`;
}
