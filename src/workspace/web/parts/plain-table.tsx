// A table of rows that are all here. Any column sorts it, and the order is in the address; on phones rows are cards.
import type { MouseEvent, ReactNode } from 'react';
import { useAddress, useChangeQuery } from '../address.ts';
import { missing, number } from '../words.ts';

type Sortable = string | number | null | undefined;

export interface PlainColumn<Row> {
  /** In the address. */
  readonly name: string;
  readonly label: string;
  /** What it sorts by, and shows without `cell`. */
  readonly value: (row: Row) => Sortable;
  readonly cell?: (row: Row) => ReactNode;
  /** Of the number that is shown; default: 0. */
  readonly decimals?: number;
  readonly isNumber?: boolean;
  /** Ranks: the first click puts the smallest first. */
  readonly isLowerBetter?: boolean;
  /** Takes the room that others leave, and is cut off where that is too little. */
  readonly isWide?: boolean;
  /** Left out of the cards of phones, and on paper. */
  readonly isMinor?: boolean;
  /** On cards beside the name of the row. */
  readonly isMain?: boolean;
  /** What it means, on hover. */
  readonly about?: string;
}

interface Props<Row> {
  readonly caption: string;
  /** The first names the row. */
  readonly columns: readonly PlainColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Parameter of the order, where a page has several tables: `sort`, `sort2`. */
  readonly name?: string;
  /** The order unless the address has one; absent: that of the rows. */
  readonly initial?: string;
  /** Rows before "Show more". */
  readonly shownMax?: number;
  readonly isChosen?: (row: Row) => boolean;
}

export function PlainTable<Row>(props: Props<Row>): ReactNode {
  const { caption, columns, rows, keyOf, name = 'sort', initial = '', shownMax = 50, isChosen } = props;
  const { query } = useAddress();
  const change = useChangeQuery();
  const written = query.get(name) ?? initial;
  const countName = name.replace('sort', 'rows');
  const count = Math.max(shownMax, Number(query.get(countName)) || 0);
  const shown = sortedRows(rows, columns, written).slice(0, count);
  return (
    <div className="plain">
      <SortMenu columns={columns} written={written} onSort={(sort) => change({ [name]: sort })} />
      <div className="plain-scroll">
        <table className="plain-table">
          <caption className="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <SortHeader
                  key={column.name}
                  column={column}
                  written={written}
                  onSort={(sort) => change({ [name]: sort })}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)} aria-current={isChosen?.(row) || undefined}>
                {columns.map((column, index) => (
                  <Cell
                    key={column.name}
                    column={column}
                    row={row}
                    isFirst={index === 0}
                    change={changeAfter(columns, index)}
                    isBeside={changeAfter(columns, index - 1) !== null}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > count && (
        <p className="screen-only plain-more">
          <button type="button" className="button" onClick={() => change({ [countName]: `${count + 200}` })}>
            Show more
          </button>{' '}
          <span className="cover">
            {number(count)} of {number(rows.length)}
          </span>
        </p>
      )}
    </div>
  );
}

/** The column of a number's change: cards show it beside the number. */
function changeAfter<Row>(columns: readonly PlainColumn<Row>[], index: number): PlainColumn<Row> | null {
  const [column, next] = [columns[index], columns[index + 1]];
  return column?.isNumber && next?.isNumber && next.label === 'Change' ? next : null;
}

interface CellProps<Row> {
  readonly column: PlainColumn<Row>;
  readonly row: Row;
  readonly isFirst: boolean;
  readonly change: PlainColumn<Row> | null;
  /** It is the change of the number before. */
  readonly isBeside: boolean;
}

function contentOf<Row>({ value, cell, decimals }: PlainColumn<Row>, row: Row): ReactNode {
  const known = value(row);
  return cell?.(row) ?? (typeof known === 'number' ? number(known, decimals) : known || missing);
}

function Cell<Row>({ column, row, isFirst, change, isBeside }: CellProps<Row>): ReactNode {
  const { label, isNumber, isWide, isMinor, isMain } = column;
  const content = contentOf(column, row);
  const className = classesOf({ right: isNumber, wide: isWide, minor: isMinor, main: isMain, beside: isBeside });
  if (isFirst)
    return (
      <th scope="row" className={className}>
        {content}
      </th>
    );
  return (
    <td className={className} data-label={label}>
      {content}
      {change !== null && <span className="card-change">{contentOf(change, row)}</span>}
    </td>
  );
}

function classesOf(given: Readonly<Record<string, boolean | undefined>>): string | undefined {
  const names = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  return names.length === 0 ? undefined : names.join(' ');
}

interface SortProps<Row> {
  readonly written: string;
  readonly onSort: (written: string) => void;
  readonly column: PlainColumn<Row>;
}

/** A click sorts, another one turns the order around; Shift adds the column to the order. */
export function SortHeader<Row>({ column, written, onSort }: SortProps<Row>): ReactNode {
  const { label, isNumber, isWide, isMinor, about } = column;
  const order = orderOf(written, column.name);
  const className = classesOf({ right: isNumber, wide: isWide, minor: isMinor });
  return (
    <th scope="col" className={className} aria-sort={order} title={about}>
      <button
        type="button"
        className="sort"
        onClick={({ shiftKey }: MouseEvent) => onSort(nextOrder(written, column, shiftKey))}
      >
        {label}
        <span aria-hidden="true">{order === 'none' ? '' : order === 'ascending' ? ' ↑' : ' ↓'}</span>
      </button>
    </th>
  );
}

/** Phones show cards, which have no headers to sort by. */
function SortMenu<Row>({
  columns,
  written,
  onSort,
}: {
  readonly columns: readonly PlainColumn<Row>[];
  readonly written: string;
  readonly onSort: (written: string) => void;
}): ReactNode {
  const chosen = written.split(',')[0]?.replace(/^-/, '') ?? '';
  return (
    <label className="screen-only plain-sort">
      Sorted by{' '}
      <select
        value={chosen}
        onChange={({ target }) => {
          const column = columns.find((of) => of.name === target.value);
          if (column !== undefined) onSort(nextOrder('', column, false));
        }}
      >
        {chosen === '' && <option value="">as listed</option>}
        {columns.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function orderOf(written: string, name: string): 'none' | 'ascending' | 'descending' {
  const key = written.split(',').find((of) => of.replace(/^-/, '') === name);
  return key === undefined ? 'none' : key.startsWith('-') ? 'descending' : 'ascending';
}

function nextOrder<Row>(written: string, column: PlainColumn<Row>, isAdded: boolean): string {
  const { name, isNumber = false, isLowerBetter = false } = column;
  const order = orderOf(written, name);
  const isDescending = order === 'none' ? isNumber && !isLowerBetter : order === 'ascending';
  const others = written.split(',').filter((of) => of !== '' && of.replace(/^-/, '') !== name);
  return [...(isAdded ? others : []), `${isDescending ? '-' : ''}${name}`].join(',');
}

const collator = new Intl.Collator('en', { numeric: true });

/** Rows without a value come last in either order; equal rows keep their order. */
export function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly PlainColumn<Row>[],
  written: string,
): readonly Row[] {
  const orders = written.split(',').flatMap((key) => {
    const column = columns.find(({ name }) => name === key.replace(/^-/, ''));
    return column === undefined ? [] : [{ value: column.value, isDescending: key.startsWith('-') }];
  });
  return rows.toSorted((a, b) => {
    for (const { value, isDescending } of orders) {
      const order = compareValues(value(a), value(b), isDescending);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function compareValues(a: Sortable, b: Sortable, isDescending: boolean): number {
  if (a == null || b == null) return Number(a == null) - Number(b == null);
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
  return isDescending ? -order : order;
}
