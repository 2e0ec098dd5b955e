// False pages and false sources: what is refused, what stays right, and what would be silently wrong.
import { tortureOfPages } from './truth-pages.ts';
import { tortureOfWorlds } from './truth-world.ts';

/** Each part resolves with its violations, and reports its findings as lines. */
type Part = (report: (line: string) => void, options: TruthTortureOptions) => Promise<number>;

export interface TruthTortureOptions {
  readonly quick: boolean;
}

const parts: readonly Part[] = [tortureOfPages, tortureOfWorlds];

export async function truthTorture(
  report: (line: string) => void,
  options: TruthTortureOptions = { quick: false },
): Promise<number> {
  let violations = 0;
  for (const part of parts) violations += await part(report, options);
  return violations;
}
