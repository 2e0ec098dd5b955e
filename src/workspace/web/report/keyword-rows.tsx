// The keyword table of a report: filtered and sorted on screen, a plain table of the chosen columns on paper.

import type { ReactNode } from 'react';
import type { KeywordRow } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import type { List } from '../api.ts';
import { type KeywordColumn, shownColumns } from '../columns.tsx';
import { KeywordList } from '../pages/keywords.tsx';
import { useProject, useProjectAnswer } from '../project.tsx';
import { number } from '../words.ts';
import { hasTable, type ReportProps } from './table-link.tsx';

/** On paper, which they fill a page of; the file and its tables have the others. */
const printedMax = 40;
/** A section has the features; the target is that of the report. */
const notPrinted: readonly string[] = ['target', 'features'];
/** Bands and words need more room than on screen. */
const printedWidths: Readonly<Record<string, number>> = { rank: 120, trend: 90 };

export function KeywordRows({ facts, data }: ReportProps): ReactNode {
  const held = data.rows.length;
  const rest = hasTable(facts, 'rank-changes') && (
    <>
      ; all are in <a href="rank-changes.csv">rank-changes.csv</a>
    </>
  );
  return (
    <>
      <div className="screen-only">
        {held < facts.rowsTotal && (
          <p className="cover">
            The {number(held)} keywords with the most estimated clicks, of {number(facts.rowsTotal)}
            {rest}.
          </p>
        )}
        <KeywordList />
      </div>
      {facts.rowsTotal > printedMax && (
        <p className="cover paper-only">
          The {printedMax} with the most estimated clicks, of {number(facts.rowsTotal)}
          {rest}.
        </p>
      )}
      <PrintedRows />
    </>
  );
}

function widthOf({ name, width }: KeywordColumn): number {
  return printedWidths[name] ?? width;
}

function PrintedRows(): ReactNode {
  const { facts } = useProject();
  const { value } = useProjectAnswer<List<KeywordRow>>('keywords', 'nothing', {
    sort: '-estimatedClicks',
    limit: `${printedMax}`,
  });
  const columns = shownColumns(null, facts.columns, facts.clicks !== undefined).filter(
    ({ name }) => !notPrinted.includes(name),
  );
  const whole = sumOf(columns, widthOf);
  if (value === undefined) return null;
  return (
    <table className="paper-only report-keyword-table">
      <colgroup>
        {columns.map((column) => (
          <col key={column.name} style={{ width: `${(100 * widthOf(column)) / whole}%` }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map(({ name, label, isNumber }) => (
            <th key={name} scope="col" className={isNumber && 'right'}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {value.data.map((row) => (
          <PrintedRow key={row.id} row={row} columns={columns} />
        ))}
      </tbody>
    </table>
  );
}

function PrintedRow({
  row,
  columns,
}: {
  readonly row: KeywordRow;
  readonly columns: readonly KeywordColumn[];
}): ReactNode {
  return (
    <tr>
      {columns.map(({ name, isNumber, cell }) => (
        <td key={name} className={`cell-${name}${isNumber ? ' right' : ''}`}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}
