// Numbers with their unit, direction and coverage.
import type { ReactNode } from 'react';
import { missing, number, percent, signed } from '../words.ts';

interface DeltaProps {
  readonly value: number | null | undefined;
  readonly digits?: number;
  /** A smaller number is better, as of ranks: its arrow still points to the better. */
  readonly isLowerBetter?: boolean;
  /** Inside the noise band: drawn quiet. */
  readonly isQuiet?: boolean;
  /** Beyond doubt: drawn strong. */
  readonly isCertain?: boolean;
  /** Neither good nor bad, as of what was spent. */
  readonly isNeutral?: boolean;
  /** Where its direction does not say whether it is good: the rank of another site. */
  readonly tone?: 'good' | 'bad' | 'soft';
}

/** A change beside its number: an arrow and a colour for its direction, a weight for its certainty. */
export function Delta({
  value,
  digits = 0,
  isLowerBetter,
  isQuiet,
  isCertain,
  isNeutral,
  tone: given,
}: DeltaProps): ReactNode {
  if (value == null) return null;
  const shown = Number(value.toFixed(digits));
  if (shown === 0) return <span className="delta quiet">0</span>;
  const isUp = shown > 0;
  const isGood = isUp !== (isLowerBetter ?? false);
  const tone = given ?? (isQuiet || isNeutral ? 'quiet' : isGood ? 'good' : 'bad');
  return (
    <span className={`delta ${tone}${isCertain ? ' certain' : ''}`}>
      <span aria-hidden="true">{isUp ? '▲' : '▼'}</span>
      <span className="unseen">{signed(shown, digits)}</span>
      <span aria-hidden="true">{number(Math.abs(shown), digits)}</span>
    </span>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly unit?: string;
  readonly change?: ReactNode;
  /** What the number covers; a number without coverage is not shown big. */
  readonly cover: string;
  readonly href?: string;
  /** Shows its history in the chart beside it. */
  readonly onChoose?: () => void;
  readonly isChosen?: boolean;
}

/** One of the headline numbers. */
export function Figure({ label, value, unit, change, cover, href, onChoose, isChosen }: FigureProps): ReactNode {
  const content = (
    <>
      <span className="figure-label">{label}</span>
      <span className={value === missing ? 'figure-value missing' : 'figure-value'}>
        {value}
        {unit !== undefined && value !== missing && <span className="unit"> {unit}</span>} {change}
      </span>
      <span className="cover">{cover}</span>
    </>
  );
  if (onChoose !== undefined)
    return (
      <button type="button" className="figure" aria-pressed={isChosen} onClick={onChoose}>
        {content}
      </button>
    );
  return href === undefined ? (
    <div className="figure">{content}</div>
  ) : (
    <a className="figure" href={href}>
      {content}
    </a>
  );
}

export function Percent({ value }: { readonly value: number | null | undefined }): ReactNode {
  if (value == null) return missing;
  return (
    <>
      {percent(value)} <span className="unit">%</span>
    </>
  );
}
