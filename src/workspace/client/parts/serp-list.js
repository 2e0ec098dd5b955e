// One stored results page: its results by rank, with features at the head of their page.
import { html } from '../html.js';
import { day, number, plain, signed } from '../words.js';
import { WebLink } from './state.js';

/** @typedef {import('../../records.ts').StoredSerpView} StoredSerpView */
/** @typedef {import('../serp-moves.js').Move} Move */

/** @param {{ serp: StoredSerpView, moves?: readonly Move[], side: 'older' | 'newer' }} props */
export function SerpList({ serp, moves, side }) {
  const pages = [...new Set([...serp.results, ...serp.features].map(({ page }) => page))].sort((a, b) => a - b);
  const moveOf = new Map(moves?.map((move) => [move.after, move]));
  return html`<section class="serp" data-side=${side}>
    <h2>${day(serp.date)}</h2>
    <p class="soft">${serp.source}, read ${serp.checkedAt.slice(0, 16).replace('T', ' ')} UTC, run ${serp.runId}</p>
    ${pages.map(
      (page) => html`
        <h3>Page ${page}</h3>
        <${Features} serp=${serp} page=${page} />
        ${page === 1 && serp.places.length > 0 && html`<${Places} places=${serp.places} />`}
        <ol class="results">
          ${serp.results
            .filter((result) => result.page === page)
            .map((result) => html`<${Result} result=${result} move=${moveOf.get(result)} side=${side} />`)}
        </ol>`,
    )}
    ${pages.length === 0 && html`<p>The pages show no results.</p>`}
  </section>`;
}

/** @param {{ serp: StoredSerpView, page: number }} props */
function Features({ serp, page }) {
  const shown = serp.features.filter((feature) => feature.page === page);
  if (shown.length === 0) return null;
  return html`<ul class="features" aria-label=${`Features of page ${page}`}>
    ${shown.map(
      ({ type, urls, targets, isOwn }) => html`<li class=${isOwn ? 'own' : targets.length > 0 ? 'rival' : null}>
        ${
          urls.length === 0
            ? plain(type)
            : html`<details><summary>${plain(type)}, ${number(urls.length)} ${urls.length === 1 ? 'link' : 'links'}${targets.length > 0 && html`: <bdi>${targets.join(', ')}</bdi>`}</summary>
          <ul>${urls.map((url) => html`<li><${WebLink} url=${url} /></li>`)}</ul></details>`
        }
      </li>`,
    )}
  </ul>`;
}

/** @param {{ places: StoredSerpView['places'] }} props */
function Places({ places }) {
  return html`<h4>Local results</h4>
    <ol class="results places">
      ${places.map(
        ({ rank, name, rating, reviews, address, category, website, target, isOwn }) => html`
          <li class=${isOwn ? 'own' : target === null ? null : 'rival'}>
            <span class="rank">${number(rank)}</span>
            <span class="url"><bdi>${name}</bdi>${target !== null && html` <small>${isOwn ? 'ours' : 'competitor'}: <bdi>${target}</bdi></small>`}${' '}
              <small class="soft">${[
                rating !== undefined &&
                  `${rating.toFixed(1)} of 5${reviews === undefined ? '' : ` (${number(reviews)} reviews)`}`,
                category,
                address,
              ]
                .filter(Boolean)
                .join(' · ')}</small>${website !== undefined && html` <${WebLink} url=${website} />`}</span>
          </li>`,
      )}
    </ol>`;
}

/** @param {{ result: import('../../records.ts').SerpResult, move: Move | undefined, side: string }} props */
function Result({ result, move, side }) {
  const { rank, url, target, isOwn } = result;
  return html`<li class=${isOwn ? 'own' : target === null ? null : 'rival'} data-rank=${rank} data-place=${`${side} ${rank}`}>
    <span class="rank">${number(rank)}</span>
    <span class="url"><${WebLink} url=${url} />${target !== null && html` <small>${isOwn ? 'ours' : 'competitor'}: <bdi>${target}</bdi></small>`}</span>
    ${move !== undefined && html`<${MoveMark} move=${move} />`}
  </li>`;
}

/** @param {{ move: Move }} props */
function MoveMark({ move: { kind, change, before } }) {
  if (kind === 'entered') return html`<span class="move up">new</span>`;
  if (kind === 'unknown' || change === null)
    return html`<span class="move flat" title="The older pages do not reach it">–</span>`;
  const [arrow, tone] = change > 0 ? ['▲', 'up'] : change < 0 ? ['▼', 'down'] : ['', 'flat'];
  return html`<span class=${`move ${tone}`}><span aria-hidden="true">${arrow} </span>${signed(change)}<span class="unseen"> from ${number(before?.rank)}</span></span>`;
}
