// A few numbers as bars with their values above and their names below.
import type { ReactNode } from 'react';
import { missing } from '../words.ts';
import './bars.css';

interface Bar {
  readonly name: string;
  readonly value: number | null;
}

interface Props {
  /** What they show, with the unit. */
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}

const barHeight = 44;
/** More have no room for their values. */
const labelledMax = 13;

export function Bars({ label, bars, format }: Props): ReactNode {
  const most = Math.max(1, ...bars.map(({ value }) => value ?? 0));
  const shown = (value: number | null) => (value === null ? missing : format(value));
  return (
    <ol className={bars.length > labelledMax ? 'bars bars-many' : 'bars'} aria-label={label}>
      {bars.map(({ name, value }) => (
        <li key={name} title={`${name}: ${shown(value)}`}>
          <span className="bar-value">{shown(value)}</span>
          <i
            className={value === null ? 'bar unproven' : 'bar'}
            style={{ height: `${((value ?? most) / most) * barHeight}px` }}
          />
          <span className="bar-name">{name}</span>
        </li>
      ))}
    </ol>
  );
}
