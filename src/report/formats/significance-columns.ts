// The columns that tell noise from change.
import type { Significance } from '../../tracker/signal/significance.ts';
import type { CsvColumn } from './csv.ts';

/** What a change weighs against the keyword's noise band. */
export function significanceColumns<Row>(read: (row: Row) => Significance | null): readonly CsvColumn<Row>[] {
  return [
    {
      name: 'significance',
      kind: 'text',
      description: 'noise, likely or certain: the change against the noise band; empty without a comparable change',
      value: (row) => read(row)?.class ?? null,
    },
    {
      name: 'band_best',
      kind: 'number',
      description: 'Noise band: the best usual rank of the keyword; empty for a target that did not rank before',
      value: (row) => read(row)?.band?.best ?? null,
    },
    {
      name: 'band_worst',
      kind: 'number',
      description: 'Noise band: the worst usual rank of the keyword',
      value: (row) => read(row)?.band?.worst ?? null,
    },
    {
      name: 'band_observations',
      kind: 'number',
      description: 'Earlier ranks that decide the band, the baseline included',
      value: (row) => read(row)?.observations ?? null,
    },
  ];
}
