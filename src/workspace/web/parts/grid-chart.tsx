// A map of a grid without tiles: points at their places, with ranks in them, the center and a scale.
import type { CSSProperties, ReactNode } from 'react';
import type { GridMapAnswer } from '../../../read/records.ts';
import { type GridMeasure, pointLabel, pointMark, rankClasses } from '../grid-points.ts';
import { useKeywordPath } from '../project.tsx';

interface Props {
  readonly map: Pick<GridMapAnswer, 'grid' | 'mapPoints' | 'estimated'>;
  readonly measure: GridMeasure;
  readonly label: string;
}

export function GridChart({ map: { grid, mapPoints, estimated }, measure, label }: Props): ReactNode {
  const keywordPath = useKeywordPath();
  // a custom property is no known style
  const size = { '--points': grid.size } as CSSProperties;
  return (
    <figure className="grid-chart stack">
      <div className="grid-scroll">
        <ul className="grid-map" style={size} aria-label={label}>
          {mapPoints.map((point) => {
            const { text, kind } = pointMark(point, measure);
            return (
              <li key={point.id} style={{ gridRow: point.row, gridColumn: point.column }}>
                <a href={keywordPath(point.id)} className={`grid-point grid-${kind}`} title={pointLabel(point)}>
                  {text}
                  <span className="unseen">, {pointLabel(point)}</span>
                </a>
              </li>
            );
          })}
        </ul>
      </div>
      <figcaption>
        <Legend measure={measure} hasEstimates={estimated > 0} />
        <p className="grid-scale legend" style={size}>
          <span>
            <i aria-hidden="true" />
            {grid.spacing.replace(/(\d)([a-z])/, '$1 $2')}
          </span>
          <span>
            {grid.size} × {grid.size} points around {grid.center}, north is up
          </span>
        </p>
      </figcaption>
    </figure>
  );
}

function Legend({
  measure,
  hasEstimates,
}: {
  readonly measure: GridMeasure;
  readonly hasEstimates: boolean;
}): ReactNode {
  const entries =
    measure === 'change'
      ? [
          { kind: 'better', text: '+', label: 'better, or new' },
          { kind: 'worse', text: '−', label: 'worse, or lost' },
          { kind: 'same', text: '0', label: 'unchanged' },
          { kind: 'unknown', text: '?', label: 'not comparable' },
        ]
      : [
          ...rankClasses.map(({ kind, label }) => ({ kind, text: '', label })),
          { kind: 'absent', text: '–', label: 'not found' },
          ...(hasEstimates ? [{ kind: 'estimated', text: '~', label: 'not checked: estimated' }] : []),
          { kind: 'unknown', text: '?', label: 'not known' },
        ];
  return (
    <ul className="grid-legend legend">
      {entries.map(({ kind, text, label }) => (
        <li key={kind}>
          <i className={`grid-point grid-${kind}`} aria-hidden="true">
            {text}
          </i>
          {label}
        </li>
      ))}
    </ul>
  );
}
