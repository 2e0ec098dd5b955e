// One measured line of a benchmark: what was asked, what came out, and whether it holds.

export interface BenchRow {
  name: string;
  /** What the figure has to be, in words. */
  target: string;
  /** The measured factor. */
  ratio: number;
  detail: string;
  ok: boolean;
}
