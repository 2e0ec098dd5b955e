// Tables and figures of all sections: captions, scoped headers, regions that scroll by keyboard, cards on a phone.
import { type Content, html, type Markup } from '../text/markup.ts';

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** The column has sentences and needs a minimum width. */
  readonly isLong?: boolean;
}

/**
 * The first cell of a row is its header. `hasTitle`: whether the caption is visible; a heading with the same text makes
 * it redundant.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
  { hasTitle = true }: { readonly hasTitle?: boolean } = {},
): Markup {
  // two landmarks of a page never have one name
  const label = hasTitle ? caption : `${caption} as a table`;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table class="stacked">
<caption${!hasTitle && html` class="unseen"`}>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col"${cellClass(column)}>${column.title}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, index) => renderCell(cell, columns[index], index))}</tr>`)}</tbody>
</table></div>`;
}

function renderCell(cell: Content, column: Column | undefined, index: number): Markup {
  const shape = column === undefined ? null : cellClass(column);
  return index === 0
    ? html`<th scope="row"${shape}>${cell}</th>`
    : html`<td${shape} data-label="${column?.title ?? ''}"><span>${cell}</span></td>`;
}

function cellClass({ isNumber = false, isLong = false }: Column): Markup | null {
  const names = [isNumber ? 'numeric' : '', isLong ? 'long' : ''].filter(Boolean).join(' ');
  return names === '' ? null : html` class="${names}"`;
}

/** A chart, drawn by the script for screen and paper. Its table is for readers who cannot see it or have no scripts. */
export function figure(id: string, title: string, summary: string, numbers: Markup): Markup {
  const label = `${title}. ${summary}`;
  return html`<figure class="figure">
<figcaption><h3>${title}</h3><p>${summary}</p></figcaption>
<div id="${id}" data-label="${label}" hidden></div>
<details><summary>${title} as a table</summary>${numbers}</details>
</figure>`;
}
