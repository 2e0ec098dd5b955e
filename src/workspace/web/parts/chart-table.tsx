// The values of a chart as a table: for copying, and for those who do not see lines.
import type { ReactNode } from 'react';
import type { ChartLine } from '../chart-line.ts';
import { counted, day } from '../words.ts';

interface Props {
  readonly label: string;
  readonly dates: readonly string[];
  readonly lines: readonly ChartLine[];
  /** A value of a line as text. */
  readonly shown: (line: ChartLine, index: number) => string;
}

/** Newest first. */
export function ValueTable({ label, dates, lines, shown }: Props): ReactNode {
  const hasOver = lines.some(({ over }) => over !== undefined);
  return (
    <div className="scroll">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">Date</th>
            {lines.map(({ name }) => (
              <th key={name} scope="col" className="right">
                {name}
              </th>
            ))}
            {hasOver && (
              <th scope="col" className="right">
                Covers
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {dates
            .map((date, index) => (
              <tr key={date}>
                <th scope="row">{day(date)}</th>
                {lines.map((line) => (
                  <td key={line.name} className="right">
                    {shown(line, index)}
                  </td>
                ))}
                {hasOver && <td className="right">{counted(lines[0]?.over?.[index] ?? 0, 'row')}</td>}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </div>
  );
}
