// Which rows do I work on? Four numbers and a chart of the same rows, then the table.

import { Columns3 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { KeywordRow, SeriesAnswer, Summary } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { pathTo, useAddress, useChangeQuery } from '../address.ts';
import { apiPath, type List } from '../api.ts';
import { type KeywordColumn, keywordColumns, shownColumns } from '../columns.tsx';
import { AddKeywords, RowActions } from '../editing/row-actions.tsx';
import { chipsOf, withoutFilters } from '../filters.ts';
import { Chart, SharedCursor, sharedDomain } from '../parts/chart.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { KeywordTable, rowsText, SortChoice } from '../parts/keyword-table.tsx';
import { Panel } from '../parts/menu.tsx';
import { NoKeywords } from '../parts/no-keywords.tsx';
import { Delta, Figure } from '../parts/numbers.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { RowPanel } from '../parts/row-panel.tsx';
import { Empty, Failed, Unread, Waiting } from '../parts/states.tsx';
import { useProject, useProjectAnswer } from '../project.tsx';
import { recall, remember } from '../storage.ts';
import { counted, day, number, percent, percentText, percentTick, weighedText } from '../words.ts';

export function Keywords(): ReactNode {
  const { value: summary, error } = useProjectAnswer<Summary>('summary', 'table');
  const series = useProjectAnswer<SeriesAnswer>('series', 'chart');
  const measure = useMeasure(series.value);
  const hasNumbers = summary === undefined || summary.total > 0;
  return (
    <SharedCursor>
      <a className="screen-only skip" href="#rows">
        Skip to the rows
      </a>
      <div className="page-head side-by-side">
        <div>
          <PageTitle>Keywords</PageTitle>
          {summary === undefined && error === null && <Waiting shape="numbers" />}
          {summary !== undefined && summary.total > 0 && <Numbers summary={summary} measure={measure} />}
        </div>
        {series.value !== undefined && hasNumbers && <MeasureChart series={series.value} measure={measure} />}
        {series.value === undefined && <Unread shape="chart" error={series.error} />}
      </div>
      <KeywordList />
    </SharedCursor>
  );
}

/** Filters, columns, exports and rows. */
export function KeywordList(): ReactNode {
  const { facts } = useProject();
  const { query } = useAddress();
  const summary = useProjectAnswer<Summary>('summary', 'table');
  const rows = useProjectAnswer<List<KeywordRow>>('keywords', 'table', { limit: '1', fields: 'id' });
  const [chosen, setChosen] = useState(() => facts.columns ?? recall('columns'));
  const columns = shownColumns(query.get('cols'), chosen, facts.clicks !== undefined);
  const total = rows.value?.total;
  const error = summary.error ?? rows.error;
  const opened = query.get('open');
  const isUnchecked = facts.dates.length === 0;
  const caption = `Keywords on ${day(summary.value?.date)}: ${counted(total ?? 0, 'row')}`;
  return (
    <>
      {!isUnchecked && (
        <FilterBar>
          <span className="cover">
            {total === undefined || total === 0 ? '' : rowsText(total, summary.value?.comparable ?? 0)}
          </span>
          {total !== 0 && <SortChoice columns={columns} />}
          <ColumnPanel
            shown={columns.map(({ name }) => name)}
            onChoose={(names) => {
              remember('columns', names);
              setChosen(names);
            }}
          />
          <Export fields={[...new Set(columns.flatMap(({ fields }) => fields))]} />
          <AddKeywords />
        </FilterBar>
      )}
      {isUnchecked && <AddKeywords />}
      <RowActions total={total ?? 0} />
      {error !== null ? (
        <Failed error={error} />
      ) : total === undefined ? (
        <Waiting shape="rows" />
      ) : total === 0 ? (
        <NoRows />
      ) : (
        <div className={opened === null ? undefined : 'side-by-side gap-4'}>
          <KeywordTable
            columns={opened === null ? columns : columnsBesidePanel(columns)}
            total={total}
            caption={caption}
          />
          {opened !== null && <RowPanel id={opened} />}
        </div>
      )}
    </>
  );
}

/** The panel has what these say, and the others need their room. */
function columnsBesidePanel(columns: readonly KeywordColumn[]): readonly KeywordColumn[] {
  return columns.filter(({ name }) => name !== 'best' && name !== 'url').slice(0, 7);
}

const measures = {
  visibility: { label: 'Visibility of these rows, percent', values: (of: SeriesAnswer) => of.visibility },
  rank: { label: 'Average rank of these rows', values: (of: SeriesAnswer) => of.averageRank },
  top10: { label: 'Rows in the top 10', values: (of: SeriesAnswer) => rowsIn(of, ['1', '2-3', '4-10']) },
  clicks: { label: 'Estimated clicks a month', values: (of: SeriesAnswer) => of.estimatedClicks },
} as const;
type Measure = keyof typeof measures;

/** Rows in these buckets by date; null: nothing was checked. */
function rowsIn({ checked, buckets }: SeriesAnswer, names: readonly (keyof SeriesAnswer['buckets'])[]) {
  return checked.map((rows, date) => (rows === 0 ? null : sumOf(names, (of) => buckets[of][date] ?? 0)));
}

/** The measure of the chart: that of the address, else the first that these rows have. */
function useMeasure(series: SeriesAnswer | undefined): Measure {
  const written = useAddress().query.get('measure');
  const names = Object.keys(measures) as Measure[]; // of a literal
  const asked = names.find((name) => name === written);
  const hasValues = (name: Measure) => series === undefined || measures[name].values(series).some((of) => of !== null);
  return asked ?? names.find(hasValues) ?? 'visibility';
}

/** Four numbers, each of which the chart can show over time. */
function Numbers({ summary, measure }: { readonly summary: Summary; readonly measure: Measure }): ReactNode {
  const change = useChangeQuery();
  const { checked, total, comparable, visibilityOver, top3, top10 } = summary;
  const choice = (name: Measure) => ({ isChosen: name === measure, onChoose: () => change({ measure: name }) });
  return (
    <div className="figures figures-small">
      <Figure
        {...choice('visibility')}
        label="Visibility"
        value={percent(summary.visibility)}
        unit="%"
        change={<Delta value={summary.visibilityChange} digits={1} />}
        cover={
          summary.visibility === null
            ? 'needs searches a month'
            : `checked ${number(checked)} of ${number(total)}${weighedText(visibilityOver, checked)}`
        }
      />
      <Figure
        {...choice('rank')}
        label="Average rank"
        value={number(summary.averageRank, 1)}
        change={<Delta value={summary.averageRankChange} digits={1} />}
        cover={`${number(comparable)} comparable`}
      />
      <Figure
        {...choice('top10')}
        label="Top 3 / top 10"
        value={`${number(top3)} / ${number(top10)}`}
        change={<Delta value={summary.top10Change} />}
        cover={`of ${number(checked)}`}
      />
      <Figure
        {...choice('clicks')}
        label="Clicks a month"
        value={number(summary.estimatedClicks)}
        change={<Delta value={summary.estimatedClicksChange} />}
        cover={
          summary.estimatedClicks === null
            ? 'needs searches a month'
            : `estimated; change at equal searches a month${weighedText(visibilityOver, checked)}`
        }
      />
    </div>
  );
}

function MeasureChart({ series, measure }: { readonly series: SeriesAnswer; readonly measure: Measure }): ReactNode {
  const { label, values } = measures[measure];
  const isPercent = measure === 'visibility';
  const digits = measure === 'rank' ? 1 : 0;
  return (
    <Chart
      isSmall
      height={120}
      label={label}
      dates={series.dates}
      lines={[{ name: label, values: values(series), isOwn: true, over: series.checked }]}
      marks={series.notes}
      isRank={measure === 'rank'}
      {...(isPercent && { domain: sharedDomain(values(series), false, 100) })}
      format={(of) => (isPercent ? percentText(of) : number(of, digits))}
      tick={isPercent ? percentTick : (of) => number(of, digits)}
    />
  );
}

function NoRows(): ReactNode {
  const { name, facts } = useProject();
  const { query } = useAddress();
  if (chipsOf(query).length > 0)
    return (
      <Empty title="No keyword passes these filters">
        <p>
          <a href={pathTo(name, 'keywords', withoutFilters(query))}>Clear the filters</a>
        </p>
      </Empty>
    );
  if (facts.dates.length === 0)
    return (
      <Empty title="Nothing was checked yet">
        <p>
          <code>rankledger run</code> checks what is due.
        </p>
      </Empty>
    );
  return <NoKeywords />;
}

function ColumnPanel({
  shown,
  onChoose,
}: {
  readonly shown: readonly string[];
  readonly onChoose: (names: readonly string[]) => void;
}): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const [isDense, setDense] = useState(document.documentElement.dataset['rows'] === 'dense');
  const toggle = (name: string) => {
    const next = shown.includes(name) ? shown.filter((of) => of !== name) : [...shown, name];
    if (query.has('cols')) change({ cols: next.join(',') });
    else onChoose(next);
  };
  const setRows = (dense: boolean) => {
    if (dense) document.documentElement.dataset['rows'] = 'dense';
    else delete document.documentElement.dataset['rows'];
    remember('rows', dense ? 'dense' : null);
    setDense(dense);
  };
  return (
    <Panel
      title="Columns"
      className="button columns-button"
      align="end"
      label={
        <>
          <Columns3 size={15} aria-hidden="true" /> Columns
        </>
      }
    >
      <fieldset className="columns-panel">
        <legend>Columns</legend>
        {keywordColumns.slice(1).map(({ name, label }) => (
          <label key={name}>
            <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} /> {label}
          </label>
        ))}
      </fieldset>
      <label className="dense">
        <input type="checkbox" checked={isDense} onChange={(event) => setRows(event.target.checked)} /> Dense rows
      </label>
    </Panel>
  );
}

/** All rows of the filter with the columns of the table. */
function Export({ fields }: { readonly fields: readonly string[] }): ReactNode {
  const { name, asked } = useProject();
  const { query } = useAddress();
  return (
    <ExportMenu
      name="keywords"
      path={(parameters) =>
        apiPath(name, 'keywords', asked, 'table', {
          sort: query.get('sort'),
          fields: fields.join(','),
          ...parameters,
        })
      }
    />
  );
}
