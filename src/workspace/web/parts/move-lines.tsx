// Lines from each result of the older page to its place on the newer one. Marks beside the results say the same.
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Move } from '../serp-moves.ts';
import type { ColourOf, Marks } from './serp-blocks.tsx';

interface Line {
  readonly move: Move;
  readonly width: number;
  readonly fromY: number;
  readonly toY: number;
}

interface Props {
  readonly moves: readonly Move[];
  readonly colourOf: ColourOf;
  /** By URL: what the move means for us. */
  readonly tones: Marks['tones'];
  /** The URL that is pointed at. */
  readonly hot: string | null;
}

/** Stands between the two pages, which name their results by `data-place`: `older 3`. */
export function MoveLines({ moves, colourOf, tones, hot }: Props): ReactNode {
  const drawing = useRef<SVGSVGElement>(null);
  const [lines, setLines] = useState<readonly Line[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew whenever the pages are
  useLayoutEffect(() => {
    if (drawing.current !== null) setLines(linesBetween(drawing.current, moves));
  }, [moves.length, moves[0]?.after]);
  useEffect(() => {
    const around = drawing.current?.parentElement;
    if (!around) return;
    const observer = new ResizeObserver(() => {
      if (drawing.current !== null) setLines(linesBetween(drawing.current, moves));
    });
    for (const page of around.children) observer.observe(page);
    return () => observer.disconnect();
  }, [moves]);
  return (
    <svg ref={drawing} className="move-lines" aria-hidden="true">
      {lines.map(({ move, width, fromY, toY }) => (
        <path
          key={`${move.after.rank} ${move.after.url}`}
          className={lineClass(move, tones, hot)}
          style={move.after.target !== null && !move.after.isOwn ? { stroke: colourOf(move.after.target) } : undefined}
          d={`M0 ${fromY}C${width / 2} ${fromY} ${width / 2} ${toY} ${width} ${toY}`}
        />
      ))}
    </svg>
  );
}

function lineClass({ after: { url, isOwn, target } }: Move, tones: Marks['tones'], hot: string | null): string {
  const tone = tones.get(url);
  return [
    isOwn ? 'line-own' : target !== null ? 'line-rival' : '',
    tone === undefined ? '' : `line-${tone}`,
    url === hot ? 'line-hot' : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function linesBetween(drawing: SVGSVGElement, moves: readonly Move[]): Line[] {
  const box = drawing.getBoundingClientRect();
  const middle = (place: string) => {
    const found = drawing.parentElement?.querySelector(`[data-place="${place}"]`)?.getBoundingClientRect();
    return found === undefined ? null : found.top + found.height / 2 - box.top;
  };
  return moves.flatMap((move) => {
    const { before, after, change } = move;
    if (before === null || change === null) return [];
    const [fromY, toY] = [middle(`older ${before.rank}`), middle(`newer ${after.rank}`)];
    return fromY === null || toY === null ? [] : [{ move, width: box.width, fromY, toY }];
  });
}
