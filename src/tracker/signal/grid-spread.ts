// Spreads the checks of a grid: what neighbours would show as well is worth less.
import { likeness } from '../grid-field.ts';

/** A search at a point of a grid. */
export interface GridSpot {
  /** Searches that differ by their point only: a keyword and device. */
  readonly map: string;
  readonly row: number;
  readonly column: number;
}

/** In spacings: how far changes of rank are alike, before history says so. */
const likenessLength = 2;
/** Share of a point's changes that no other point shows. */
const ownShare = 0.1;

/**
 * For each point, the share of its uncertainty that is left when the points before it are bought. Points are taken one
 * after another, each time the one whose value x share is highest: a greedy choice of a Gaussian process (Krause,
 * Singh and Guestrin 2008, Near-optimal sensor placements). The first has 1.
 */
export function spreadShares(points: readonly (Omit<GridSpot, 'map'> & { readonly value: number })[]): number[] {
  const variances = points.map(() => 1);
  const factors: number[][] = points.map(() => []);
  const shares = points.map(() => 0);
  const left = new Set(points.keys());
  while (left.size > 0) {
    const shareOf = (index: number): number => ownShare + (1 - ownShare) * (variances[index] ?? 0);
    let chosen = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (const index of left) {
      const worth = (points[index]?.value ?? 0) * shareOf(index);
      if (worth > most) [chosen, most] = [index, worth];
    }
    left.delete(chosen);
    shares[chosen] = shareOf(chosen);
    condition(points, factors, variances, chosen, left);
  }
  return shares;
}

/** One step of an incremental Cholesky factorization: the variances of the others, given this point. */
function condition(
  points: readonly Omit<GridSpot, 'map'>[],
  factors: readonly number[][],
  variances: number[],
  chosen: number,
  left: ReadonlySet<number>,
): void {
  const [point, ofChosen = []] = [points[chosen], factors[chosen]];
  if (point === undefined) return;
  const scale = Math.sqrt((variances[chosen] ?? 0) + ownShare);
  const steps = ofChosen.length;
  for (const index of left) {
    const [other, ofOther] = [points[index], factors[index]];
    if (other === undefined || ofOther === undefined) continue;
    let covariance = likeness(point, other, likenessLength);
    for (let step = 0; step < steps; step += 1) covariance -= (ofChosen[step] ?? 0) * (ofOther[step] ?? 0);
    const factor = covariance / scale;
    ofOther.push(factor);
    variances[index] = Math.max(0, (variances[index] ?? 0) - factor * factor);
  }
}
