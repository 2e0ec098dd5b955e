// The keywords section: filters, the table with its first rows as HTML, and the details dialog.
import { changeClasses } from '../../tracker/change.ts';
import { keywordRow, marketText } from './client/keyword-row.js';
import { html, type Markup } from './client/markup.js';
import { rowAt } from './client/page-rows.js';
import { classWords, number, statusWords } from './client/words.js';
import type { PageData } from './page-data.ts';
import type { PageFacts } from './page-facts.ts';

/** Rows written as HTML, for readers without scripts. */
const writtenRows = 50;
const pageSizes = [25, 50, 100, 250];

export function keywordSection({ data, rowsTotal }: PageFacts): Markup {
  const count = data.rows.keyword.length;
  const shape = { axis: data.axis, hasMarkets: data.markets.length > 1, hasTargets: data.targets.length > 1 };
  const shown = Math.min(writtenRows, count);
  return html`${
    count < rowsTotal &&
    html`<p class="lead">The ${number(count)} keywords with the most estimated clicks, of ${number(rowsTotal)}; all are in <a href="rank-changes.csv">rank-changes.csv</a>.</p>`
  }
${filters(data)}
<div class="scroll" role="region" aria-label="Keywords" tabindex="0"><table id="keyword-table" class="keywords">
<caption>Keywords, by the size of their change in estimated clicks</caption>
<thead><tr>
${header('keyword', 'Keyword')}
${shape.hasMarkets && header('market', 'Market', 'market')}
${shape.hasTargets && header('target', 'Target', 'target')}
${header('rank', 'Rank', 'number')}
${header('change', 'Change', 'number')}
<th scope="col" class="trend">Trend</th>
${header('bestRank', 'Best', 'number minor')}
${header('volume', 'Volume', 'number')}
${header('clicks', 'Clicks', 'number')}
${header('clicksChange', 'Δ clicks', 'number')}
${header('url', 'Ranking URL', 'url minor')}
</tr></thead>
<tbody>${Array.from({ length: shown }, (_, index) => keywordRow(rowAt(data, index), shape))}</tbody>
</table></div>
<p class="print-only" id="print-note">Keywords 1 to ${shown} of ${number(rowsTotal)}; all are in rank-changes.csv.</p>
<div class="pager" id="pager" hidden>
  <p id="shown" role="status"></p>
  <label>Keywords per page <select id="page-size">${pageSizes.map((size) => html`<option${size === writtenRows && html` selected`}>${size}</option>`)}</select></label>
  <span class="buttons"><button type="button" id="page-before">Previous</button><button type="button" id="page-after">Next</button></span>
</div>
<noscript><p class="lead">Without scripts, only the first ${shown} of ${number(rowsTotal)} keywords are shown; all are in rank-changes.csv.</p></noscript>
<dialog id="details" aria-labelledby="details-title"></dialog>`;
}

function header(key: string, title: string, shape = ''): Markup {
  return html`<th scope="col" data-sort="${key}" class="${shape}"><button type="button">${title}</button><span class="on-paper" aria-hidden="true">${title}</span></th>`;
}

function filters({ markets, tags, targets }: PageData): Markup {
  return html`<form id="filters" class="filters" role="search" aria-label="Filter keywords" hidden>
<label class="wide">Keyword or URL <input type="search" name="text" autocomplete="off" spellcheck="false"></label>
${
  tags.length > 0 &&
  choice(
    'tag',
    'Tag',
    tags.map((tag, id) => [`${id}`, tag]),
  )
}
${
  markets.length > 1 &&
  choice(
    'market',
    'Market',
    markets.map((market, id) => [`${id}`, marketText(market)]),
  )
}
${
  targets.length > 1 &&
  choice(
    'target',
    'Target',
    targets.map((target, id) => [`${id}`, target]),
  )
}
${choice('status', 'Status', Object.entries(statusWords))}
${choice('changeClass', 'Change', [['moved', 'any change'], ...changeClasses.map((name): [string, string] => [name, classWords[name] ?? name])])}
<button type="reset" class="quiet">Clear</button>
</form>`;
}

function choice(name: string, title: string, options: readonly (readonly [string, string])[]): Markup {
  return html`<label>${title} <select name="${name}"><option value="">all</option>${options.map(
    ([value, label]) => html`<option value="${value}">${label}</option>`,
  )}</select></label>`;
}
