// The columns of every table of a report, by the name of its file without its ending.
import type { ReportTableName } from '../../tracker/report-tables.ts';
import type { CsvColumn } from '../formats/csv.ts';
import { answerColumns } from './answers.ts';
import { cannibalizationTable } from './cannibalization.ts';
import { clickChangeColumns } from './click-changes.ts';
import { competitorColumns } from './competitors.ts';
import { destinationColumns } from './destinations.ts';
import { discoveredColumns } from './discovered-competitors.ts';
import { gridColumns, gridSumColumns } from './grid.ts';
import { intentColumns } from './intents.ts';
import { localPackColumns } from './local-pack.ts';
import { moverColumns } from './movers.ts';
import { periodColumns } from './period.ts';
import { problemColumns } from './problems.ts';
import { rankChangeColumns } from './rank-changes.ts';
import { featureTable } from './serp-features.ts';
import { movementTable } from './serp-movement.ts';
import { spendColumns } from './spend.ts';
import { summaryColumns } from './summary.ts';
import { volumeColumns } from './volumes.ts';

export const tableColumns: Readonly<Record<ReportTableName, readonly CsvColumn<never>[]>> = {
  'rank-changes': rankChangeColumns,
  summary: summaryColumns,
  movers: moverColumns,
  intents: intentColumns,
  grid: gridColumns,
  'grid-summary': gridSumColumns,
  problems: problemColumns,
  spend: spendColumns,
  volumes: volumeColumns,
  answers: answerColumns,
  'click-changes': clickChangeColumns,
  competitors: competitorColumns,
  'serp-features': featureTable.columns,
  'serp-movement': movementTable.columns,
  cannibalization: cannibalizationTable.columns,
  'discovered-competitors': discoveredColumns,
  'local-pack': localPackColumns,
  destinations: destinationColumns,
  period: periodColumns,
};
