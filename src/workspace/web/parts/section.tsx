// A part of a page with its heading, what it covers, and what can be done with it.
import { type ReactNode, useId } from 'react';

interface Props {
  readonly title: ReactNode;
  /** What it covers, beside the heading. */
  readonly cover?: ReactNode;
  /** At the end of the heading's line: switches, export. */
  readonly end?: ReactNode;
  /** Where other parts of the page lead. */
  readonly id?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Section({ title, cover, end, id, className = '', children }: Props): ReactNode {
  const heading = useId();
  return (
    <section id={id} className={`section stack ${className}`} aria-labelledby={heading}>
      <div className="section-head across wraps">
        <h2 id={heading}>{title}</h2>
        {cover !== undefined && <p className="cover">{cover}</p>}
        {end !== undefined && <div className="screen-only section-end across wraps end">{end}</div>}
      </div>
      {children}
    </section>
  );
}
