// One measured line of a benchmark: the target, the result, and whether it passes.

export interface BenchRow {
  name: string;
  /** The required figure, as text. */
  target: string;
  /** The measured factor. */
  ratio: number;
  detail: string;
  ok: boolean;
}
