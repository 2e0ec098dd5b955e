// Lines from each result of the older page to its place on the newer one. Text beside the results says the same.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { html } from '../html.js';

/** @typedef {{ x: number, y: number, width: number, toY: number, tone: string }} Line */

/**
 * Measures the lists that it stands between; elements carry `data-place="older 3"`.
 * @param {{ moves: readonly import('../serp-moves.js').Move[] }} props
 */
export function MoveLines({ moves }) {
  const svg = useRef(/** @type {SVGSVGElement | null} */ (null));
  const [lines, setLines] = useState(/** @type {readonly Line[]} */ ([]));
  const measure = () => {
    if (svg.current !== null) setLines(linesBetween(svg.current, moves));
  };
  useLayoutEffect(measure, [moves]);
  useEffect(() => {
    const around = svg.current?.parentElement;
    if (!around) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(around);
    return () => observer.disconnect();
  }, [moves]);
  return html`<svg ref=${svg} class="move-lines" aria-hidden="true">
    ${lines.map(({ x, y, width, toY, tone }) => html`<path class=${tone} d=${`M${x} ${y}C${x + width / 2} ${y} ${x + width / 2} ${toY} ${x + width} ${toY}`} />`)}
  </svg>`;
}

/** @param {SVGSVGElement} svg @param {readonly import('../serp-moves.js').Move[]} moves @returns {Line[]} */
function linesBetween(svg, moves) {
  const box = svg.getBoundingClientRect();
  if (box.width === 0) return [];
  const middle = (/** @type {string} */ place) => {
    const found = svg.parentElement?.querySelector(`[data-place="${place}"]`)?.getBoundingClientRect();
    return found === undefined ? null : found.top + found.height / 2 - box.top;
  };
  return moves.flatMap(({ before, after, change }) => {
    if (before === null || change === null) return [];
    const [y, toY] = [middle(`older ${before.rank}`), middle(`newer ${after.rank}`)];
    if (y === null || toY === null) return [];
    const tone = [change > 0 ? 'up' : change < 0 ? 'down' : 'flat', after.isOwn ? 'own' : ''].join(' ');
    return [{ x: 0, y, width: box.width, toY, tone }];
  });
}
