// What every section of a report is given, and links to the files beside the page.
import type { ReactNode } from 'react';
import type { PageData } from '../../../report/html/data/page-data.ts';
import type { ReportFacts } from '../../../report/html/data/page-facts.ts';
import type { ReportTableName } from '../../../tracker/report-tables.ts';

export interface ReportProps {
  readonly facts: ReportFacts;
  readonly data: PageData;
}

export function hasTable({ tables }: ReportFacts, table: ReportTableName): boolean {
  return tables === null || tables.includes(table);
}

/** Nothing where the report was written without this table. */
export function TableLink({
  facts,
  table,
  children = 'has all rows.',
}: {
  readonly facts: ReportFacts;
  readonly table: ReportTableName;
  readonly children?: ReactNode;
}): ReactNode {
  if (!hasTable(facts, table)) return null;
  return (
    <>
      <a href={`${table}.csv`}>{table}.csv</a> {children}
    </>
  );
}
