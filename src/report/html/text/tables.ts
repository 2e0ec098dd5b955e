// Tables in plain HTML: captions, scoped headers, regions that scroll by keyboard.
import { type Content, html, type Markup } from './markup.ts';

interface Column {
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
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<caption${!hasTitle && html` class="unseen"`}>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col"${cellClass(column)}>${column.title}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, index) => renderCell(cell, columns[index], index))}</tr>`)}</tbody>
</table></div>`;
}

function renderCell(cell: Content, column: Column | undefined, index: number): Markup {
  const shape = column === undefined ? null : cellClass(column);
  return index === 0 ? html`<th scope="row"${shape}>${cell}</th>` : html`<td${shape}>${cell}</td>`;
}

function cellClass({ isNumber = false, isLong = false }: Column): Markup | null {
  const names = [isNumber ? 'right' : '', isLong ? 'long' : ''].filter(Boolean).join(' ');
  return names === '' ? null : html` class="${names}"`;
}
