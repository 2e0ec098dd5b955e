// attribution.csv: the change of clicks and visibility since the baseline, as effects that add up.
import type { AttributionGrouping, AttributionLine } from '../../tracker/causes/attribution.ts';
import { columnsOf, fieldColumns } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

export interface AttributionRow {
  /** What all lines share. */
  readonly of: {
    readonly project: string;
    readonly runId: number;
    readonly target: string;
    /** Local dates of the compared runs; null: there is no earlier run. */
    readonly from: string | null;
    readonly to: string;
    readonly ctrCurve: string;
    readonly warning: string | null;
  };
  readonly by: 'total' | AttributionGrouping;
  readonly line: AttributionLine;
}

const { text, number, day } = columnsOf<AttributionRow>();

function figure(
  column: string,
  name: Exclude<keyof AttributionLine, 'name'>,
  description: string,
): CsvColumn<AttributionRow> {
  return number(column, description, ({ line }) => line[name]);
}

export const attributionColumns: readonly CsvColumn<AttributionRow>[] = [
  ...fieldColumns(({ of }: AttributionRow) => of, 'project', 'target'),
  text('by', 'total, keyword, page, tag, market, device or competitor', ({ by }) => by),
  text(
    'name',
    'The keyword, page, tag, market, device or site. Empty: the total, or rows without a page or tag. Of competitors also (own movement) and (other effects)',
    ({ line: { name } }) => name || null,
  ),
  figure('keywords', 'keywords', 'Rows with a complete check and a volume on one of both dates'),
  figure(
    'clicks_before',
    'clicksBefore',
    'Estimated clicks a month on the earlier date; empty for competitors, which have effects only',
  ),
  figure(
    'clicks_after',
    'clicksAfter',
    'clicks_before + rank_effect + feature_effect + demand_effect + tracking_effect',
  ),
  figure('rank_effect', 'rankEffect', 'Clicks gained or lost through ranks'),
  figure('feature_effect', 'featureEffect', 'Through SERP features, where their effect on clicks is measured'),
  figure('demand_effect', 'demandEffect', 'Through search volumes'),
  figure(
    'tracking_effect',
    'trackingEffect',
    'Through rows that came, went, do not compare, or lack a check or a volume on one date',
  ),
  figure(
    'visibility_before',
    'visibilityBefore',
    'Visibility on the earlier date, in percent; a part of it in lines of groups',
  ),
  figure('visibility_after', 'visibilityAfter', 'visibility_before and its four effects'),
  figure('visibility_rank_effect', 'visibilityRankEffect', 'Percentage points gained or lost through ranks'),
  figure('visibility_feature_effect', 'visibilityFeatureEffect', 'Always 0: visibility does not regard features'),
  figure('visibility_demand_effect', 'visibilityDemandEffect', 'Through search volumes'),
  figure('visibility_tracking_effect', 'visibilityTrackingEffect', 'Through rows, like tracking_effect'),
  day('from', 'Local date of the earlier run; empty: there is none', ({ of }) => of.from),
  day('to', 'Local date of the run', ({ of }) => of.to),
  text('ctr_curve', 'Click-through curve of the clicks', ({ of }) => of.ctrCurve),
  ...fieldColumns(({ of }: AttributionRow) => of, 'runId'),
  text('warning', 'Warnings: a suspect run, simulated data', ({ of }) => of.warning),
];
