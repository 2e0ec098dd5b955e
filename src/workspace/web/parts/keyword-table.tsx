// The rows of the filter, of which only those in sight are drawn and read: 100,000 scroll like 10.

import { keepPreviousData, useQueries } from '@tanstack/react-query';
import {
  columnResizingFeature,
  columnSizingFeature,
  createColumnHelper,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { KeywordRow } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { goTo, useAddress, useChangeQuery } from '../address.ts';
import { apiPath, type List, read } from '../api.ts';
import type { KeywordColumn } from '../columns.tsx';
import { useKeywordPath, useProject } from '../project.tsx';
import { counted } from '../words.ts';
import { Panel } from './menu.tsx';

const chunkRows = 100;
const cardHeight = 92;

interface Props {
  readonly columns: readonly KeywordColumn[];
  readonly total: number;
  readonly caption: string;
  /** Gives the rows in sight; default: those of the read API. */
  readonly useRows?: typeof useChunks;
}

const features = tableFeatures({ columnSizingFeature, columnResizingFeature });
const helper = createColumnHelper<typeof features, KeywordRow>();
const none: KeywordRow[] = [];

/** The row that was left for its page, and the address of its table: on the way back it has the focus again. */
let left: { readonly href: string; readonly index: number } | null = null;

export function KeywordTable({ columns, total, caption, useRows = useChunks }: Props): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const keywordPath = useKeywordPath();
  const opened = query.get('open');
  const body = useRef<HTMLTableElement>(null);
  const isPhone = useMedia('(max-width: 640px)');
  const rowHeight = isPhone ? cardHeight : document.documentElement.dataset['rows'] === 'dense' ? 28 : 36;
  const rows = useWindowVirtualizer({
    count: total,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: (body.current?.offsetTop ?? 0) + (isPhone ? 0 : 36),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: sizes are measured anew where rows become cards
  useEffect(() => rows.measure(), [rows, rowHeight]);
  const isPrinting = useIsPrinting();
  const inSight = rows.getVirtualItems();
  const rowAt = useRows(inSight[0]?.index ?? 0, inSight.at(-1)?.index ?? 0);
  const items = isPrinting ? readItems(inSight, total, rowHeight, rowAt) : inSight;
  const table = useTable({
    features,
    data: none,
    columns: useMemo(
      () => columns.map(({ name, width }) => helper.display({ id: name, size: width, minSize: 48 })),
      [columns],
    ),
    columnResizeMode: 'onChange',
  });
  const widthOf = (name: string) => `${((table.getColumn(name)?.getSize() ?? 0) / table.getTotalSize()) * 100}%`;
  const before = items[0] === undefined || isPrinting ? 0 : items[0].start - rows.options.scrollMargin;
  const after = isPrinting ? 0 : rows.getTotalSize() - before - sumOf(items, ({ size }) => size);
  const open = (row: KeywordRow, index: number, isWhole: boolean) => {
    if (isWhole || isPhone) {
      left = { href: location.href, index };
      goTo(keywordPath(row.id));
    } else change({ open: row.id === opened ? null : row.id }, { replace: true });
  };
  const back = left?.href === location.href ? left.index : null;
  useEffect(() => {
    if (back !== null) rows.scrollToIndex(back, { align: 'center' });
  }, [rows, back]);
  const isBack = back !== null && items.some(({ index }) => index === back) && rowAt(back) !== undefined;
  useEffect(() => {
    if (!isBack) return;
    body.current?.querySelector<HTMLElement>(`tr[data-row="${back}"] a`)?.focus();
    left = null;
  }, [isBack, back]);
  const keys = (event: KeyboardEvent<HTMLTableElement>) => {
    const at = Number((event.target as Element).closest('tr')?.dataset['row'] ?? 'NaN');
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || Number.isNaN(at)) return;
    event.preventDefault();
    rows.scrollToIndex(Math.min(total - 1, Math.max(0, at + step)));
    body.current?.querySelector<HTMLElement>(`tr[data-row="${at + step}"] a`)?.focus();
  };
  const [first = 0, last = 0] = [items[0]?.index, items.at(-1)?.index];
  return (
    <table ref={body} className="keyword-table" aria-rowcount={total + 1} onKeyDown={keys}>
      <caption className="unseen">{caption}</caption>
      <colgroup>
        {columns.map(({ name }) => (
          <col key={name} style={{ width: widthOf(name) }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map((column) => (
            <HeaderCell
              key={column.name}
              column={column}
              onResize={table
                .getFlatHeaders()
                .find(({ id }) => id === column.name)
                ?.getResizeHandler()}
            />
          ))}
        </tr>
      </thead>
      <tbody id="rows" tabIndex={-1}>
        {before > 0 && <tr className="space" style={{ height: before }} />}
        {items.map(({ index, key }) => {
          const row = rowAt(index);
          return row == null ? (
            <tr
              key={key}
              className={row === null ? undefined : 'row-waiting'}
              style={{ height: rowHeight }}
              data-row={index}
            >
              <td colSpan={columns.length}>{row === null ? 'could not be read' : <i />}</td>
            </tr>
          ) : (
            <Row key={key} row={row} index={index} columns={columns} isOpen={row.id === opened} onOpen={open} />
          );
        })}
        {after > 0 && <tr className="space" style={{ height: after }} />}
        {isPrinting && items.length < total && (
          <tr>
            <td colSpan={columns.length} className="cover">
              Rows {first + 1} to {last + 1} of {counted(total, 'row')}: an export has all.
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** Paper shows all rows of the pages that are read: it cannot wait for others. */
function readItems(
  inSight: readonly VirtualItem[],
  total: number,
  size: number,
  rowAt: ReturnType<typeof useChunks>,
): Pick<VirtualItem, 'index' | 'key' | 'start' | 'size'>[] {
  const from = Math.floor((inSight[0]?.index ?? 0) / chunkRows) * chunkRows;
  const to = Math.min(total, (Math.floor((inSight.at(-1)?.index ?? 0) / chunkRows) + 1) * chunkRows);
  return Array.from({ length: to - from }, (_, at) => from + at)
    .filter((index) => rowAt(index) !== undefined)
    .map((index) => ({ index, key: index, start: index * size, size }));
}

function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // the browser draws the paper when the listeners are done
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}

/** Reads the pages of rows that are in sight; undefined: the row is on its way; null: it could not be read. */
function useChunks(first: number, last: number): (index: number) => KeywordRow | null | undefined {
  const { name: project, asked } = useProject();
  const { query } = useAddress();
  const chunks: number[] = [];
  for (let chunk = Math.floor(first / chunkRows); chunk <= Math.floor(last / chunkRows); chunk += 1) chunks.push(chunk);
  const answers = useQueries({
    queries: chunks.map((chunk) => {
      const path = apiPath(project, 'keywords', asked, 'table', {
        sort: query.get('sort'),
        limit: `${chunkRows}`,
        offset: `${chunk * chunkRows}`,
      });
      // the API has this shape: src/read/records.ts
      return {
        queryKey: [path],
        queryFn: ({ signal }: { signal: AbortSignal }) => read(path, signal) as Promise<List<KeywordRow>>,
        placeholderData: keepPreviousData,
      };
    }),
  });
  return (index) => {
    const answer = answers[Math.floor(index / chunkRows) - (chunks[0] ?? 0)];
    return answer?.isError ? null : answer?.data?.data[index % chunkRows];
  };
}

function useMedia(media: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(media).matches);
  useEffect(() => {
    const list = matchMedia(media);
    const update = () => setMatches(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [media]);
  return matches;
}

interface HeaderProps {
  readonly column: KeywordColumn;
  readonly onResize: ((event: unknown) => void) | undefined;
}

/** A click sorts, another one turns the order around; Shift adds the column to the order. */
function HeaderCell({ column: { name, label, sort, isNumber, legend }, onResize }: HeaderProps): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const keys = (query.get('sort') ?? '').split(',').filter(Boolean);
  const key = keys.find((of) => of.replace(/^-/, '') === sort);
  const order = key === undefined ? 'none' : key.startsWith('-') ? 'descending' : 'ascending';
  const click = (event: MouseEvent) => {
    const next =
      key === undefined
        ? isNumber && name !== 'rank' && name !== 'best'
          ? `-${sort}`
          : `${sort}`
        : order === 'ascending'
          ? `-${sort}`
          : `${sort}`;
    const others = event.shiftKey ? keys.filter((of) => of !== key) : [];
    change({ sort: [...others, next].join(',') });
  };
  return (
    <th scope="col" className={isNumber ? 'right' : undefined} aria-sort={sort === undefined ? undefined : order}>
      {legend !== undefined ? (
        <Panel className="sort legend-button" label={label} title={`Legend: ${label}`} align="end">
          {legend}
        </Panel>
      ) : sort === undefined ? (
        label
      ) : (
        <button type="button" className="sort" onClick={click}>
          {label}
          <span aria-hidden="true">{order === 'none' ? '' : order === 'ascending' ? ' ↑' : ' ↓'}</span>
        </button>
      )}
      {onResize !== undefined && (
        <span className="resize" aria-hidden="true" onMouseDown={onResize} onTouchStart={onResize} />
      )}
    </th>
  );
}

interface RowProps {
  readonly row: KeywordRow;
  readonly index: number;
  readonly columns: readonly KeywordColumn[];
  readonly isOpen: boolean;
  readonly onOpen: (row: KeywordRow, index: number, isWhole: boolean) => void;
}

function Row({ row, index, columns, isOpen, onOpen }: RowProps): ReactNode {
  const keywordPath = useKeywordPath();
  const click = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || getSelection()?.type === 'Range') return;
    event.preventDefault();
    onOpen(row, index, event.detail === 0 || event.detail === 2);
  };
  return (
    <tr className={isOpen ? 'row row-open' : 'row'} data-row={index} aria-rowindex={index + 2} onClick={click}>
      {columns.map(({ name, label, isNumber, cell }) => (
        <td key={name} className={isNumber ? `cell-${name} right` : `cell-${name}`} data-label={label}>
          {name === 'keyword' ? (
            <a className="row-link" href={keywordPath(row.id)}>
              {cell(row)}
            </a>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

/** For cards, which have no header to click. */
export function SortChoice({ columns }: Pick<Props, 'columns'>): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  return (
    <label className="sort-choice">
      Sort by{' '}
      <select value={query.get('sort') ?? ''} onChange={(event) => change({ sort: event.target.value })}>
        <option value="">default order</option>
        {columns.flatMap(({ sort, label }) =>
          sort === undefined
            ? []
            : [
                <option key={sort} value={sort}>
                  {label} ↑
                </option>,
                <option key={`-${sort}`} value={`-${sort}`}>
                  {label} ↓
                </option>,
              ],
        )}
      </select>
    </label>
  );
}

/** For the line above the table. */
export function rowsText(total: number, comparable: number): string {
  return `${counted(total, 'row')} · ${counted(comparable, 'comparable', 'comparable')}`;
}
