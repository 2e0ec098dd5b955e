// A configured source: where each kind of answer comes from.
import type { AnswerSource } from './answer-source.ts';
import type { MetricsSource, SerpSource } from './source.ts';

/** Parts may be missing, such as metrics. */
export interface Source {
  readonly serp?: SerpSource;
  readonly metrics?: MetricsSource;
  readonly answers?: AnswerSource;
}
