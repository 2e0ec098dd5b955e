// Stored results of a search: of one date, or of two dates side by side with what moved.
import { goTo, pathOf, withChanges } from '../address.js';
import { useDocument } from '../api.js';
import { apiPath, sharedQuery } from '../api-path.js';
import { html } from '../html.js';
import { MoveLines } from '../parts/move-lines.js';
import { SerpList } from '../parts/serp-list.js';
import { Answer, DataWarning, WebLink } from '../parts/state.js';
import { ViewTitle } from '../parts/view-title.js';
import { featureMoves, serpMoves } from '../serp-moves.js';
import { counted, day, number, plain } from '../words.js';

/** @typedef {import('../../records.ts').StoredSerpView} StoredSerpView */

const searchNames = ['keyword', 'country', 'language', 'device', 'location'];

/** @param {import("../address.js").Address & { project: string, projects: any }} address */
export function Serp(address) {
  const { project, query } = address;
  const isNamed = searchNames.every((name) => name === 'location' || query.get(name));
  const dates = useDocument(isNamed ? apiPath(project, 'serp/dates', query, searchNames) : null);
  if (!isNamed) {
    return html`<${ViewTitle}>Stored results</${ViewTitle}>
      <p>Choose a keyword in the <a href=${pathOf(project, 'keywords', sharedQuery(query))}>keyword table</a>.</p>`;
  }
  return html`
    <${ViewTitle}>Results for <q><bdi>${query.get('keyword')}</bdi></q></${ViewTitle}>
    <p class="soft">${searchNames
      .slice(1)
      .map((name) => query.get(name))
      .join(' ')}</p>
    <${DataWarning} projects=${address.projects} project=${project} />
    <${Answer} answer=${dates} what="the dates" show=${(/** @type {{ dates: string[] }} */ value) => html`<${DatedResults} address=${address} search=${query} dates=${value.dates} />`} />
  `;
}

/**
 * Results of a date of the address, beside those of another one. `search` names the search, `dates` are those with
 * results, newest first.
 * @param {{ address: import('../address.js').Address, search: URLSearchParams, dates: readonly string[] }} props
 */
export function DatedResults({ address, search, dates }) {
  const { project, query } = address;
  const asked = query.get('date') ?? '9999';
  const shownDate = dates.find((date) => date <= asked) ?? null;
  const written = query.get('against');
  const earlier = dates.filter((date) => shownDate !== null && date < shownDate);
  const against =
    written === 'none' ? null : ((written === null ? earlier[0] : dates.find((date) => date <= written)) ?? null);
  const ofDate = (/** @type {string | null} */ date) =>
    date === null ? null : apiPath(project ?? '', 'serp', search, searchNames, { date });
  const newer = useDocument(ofDate(shownDate));
  const older = useDocument(ofDate(against));
  if (shownDate === null) return html`<p>No results are stored on or before this date.</p>`;
  return html`
    ${dates.length > 2 && html`<${DateChoice} address=${address} dates=${dates} shown=${shownDate} against=${against} />`}
    <${Answer} answer=${newer} what="the results" show=${(/** @type {{ serp: StoredSerpView | null }} */ { serp }) => {
      if (serp === null) return html`<p>No results are stored.</p>`;
      if (against === null) return html`<div class="serps one"><${SerpList} serp=${serp} side="newer" /></div>`;
      return html`<${Answer} answer=${older} what="the older results" show=${(
        /** @type {{ serp: StoredSerpView | null }} */ before,
      ) => before.serp !== null && html`<${SideBySide} before=${before.serp} after=${serp} />`} />`;
    }} />
  `;
}

/**
 * @param {{ address: import('../address.js').Address, dates: readonly string[], shown: string,
 *   against: string | null }} props
 */
function DateChoice({ address: { project, view, query }, dates, shown, against }) {
  const choose =
    (/** @type {string} */ name) =>
    (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
      goTo(pathOf(project, view, withChanges(query, { [name]: currentTarget.value })));
  return html`<p class="choices">
    <label>Date <select value=${shown} onChange=${choose('date')}>
      ${dates.map((date) => html`<option value=${date}>${day(date)}</option>`)}</select></label>
    <label>Compare with <select value=${against ?? 'none'} onChange=${choose('against')}>
      <option value="none">nothing</option>
      ${dates.filter((date) => date !== shown).map((date) => html`<option value=${date}>${day(date)}</option>`)}</select></label>
  </p>`;
}

/** @param {{ before: StoredSerpView, after: StoredSerpView }} props */
function SideBySide({ before, after }) {
  const { moves, left } = serpMoves(before.results, after.results);
  const { gained, lost } = featureMoves(before, after);
  const entered = moves.filter(({ kind }) => kind === 'entered').length;
  const moved = moves.filter(({ change }) => change !== null && change !== 0).length;
  return html`
    <p>${counted(moved, 'result')} moved, ${number(entered)} entered, ${number(left.length)} left.
      ${gained.length > 0 && html` Features gained: ${gained.map(plain).join(', ')}.`}
      ${lost.length > 0 && html` Features lost: ${lost.map(plain).join(', ')}.`}</p>
    ${before.source !== after.source && html`<p class="problem">The sources differ: ${before.source} and ${after.source}. Ranks are not comparable.</p>`}
    <div class="serps">
      <${SerpList} serp=${before} side="older" />
      <${MoveLines} moves=${moves} />
      <${SerpList} serp=${after} moves=${moves} side="newer" />
    </div>
    ${
      left.length > 0 &&
      html`<section class="panel"><h2>Left the results</h2>
      <ul>${left.map(({ rank, url }) => html`<li>${number(rank)} <${WebLink} url=${url} /></li>`)}</ul></section>`
    }
  `;
}
