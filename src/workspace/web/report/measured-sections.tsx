// The sections of what some projects have beside ranks: a grid on the map, measured clicks, AI answers.
import type { ReactNode } from 'react';
import type { GridMapAnswer, GridSums } from '../../../read/records.ts';
import { useAddress } from '../address.ts';
import { overviews } from '../answers.ts';
import type { List } from '../api.ts';
import { Answers } from '../pages/answers.tsx';
import { type Changes, ChangeTable, Effects, Findings } from '../pages/clicks.tsx';
import { Drawn, mostChecked, useMapColumns } from '../pages/places.tsx';
import { ClicksNote } from '../parts/clicks-note.tsx';
import { PartTitles } from '../parts/page-title.tsx';
import { PlainTable } from '../parts/plain-table.tsx';
import { useProject, useProjectAnswer } from '../project.tsx';
import { counted, days, number } from '../words.ts';
import { type ReportProps, TableLink } from './table-link.tsx';

export function MapOfFile({ facts }: ReportProps): ReactNode {
  const { query } = useAddress();
  const maps = useProjectAnswer<List<GridSums>>('grids', 'nothing').value?.data ?? [];
  const chosen = maps.find(({ id }) => id === query.get('map')) ?? mostChecked(maps);
  const columns = useMapColumns(maps);
  if (chosen === undefined) return <p className="soft">No point of the grid was checked.</p>;
  return (
    <>
      <h3>
        <bdi>{chosen.keyword}</bdi>{' '}
        <span className="aside">
          {chosen.device === 'mobile' ? 'phone' : chosen.device}, checked {number(chosen.checked)} of{' '}
          {counted(chosen.points, 'point')}
        </span>
      </h3>
      <OneMap key={chosen.id} id={chosen.id} />
      <PlainTable
        caption={counted(maps.length, 'map')}
        columns={columns}
        rows={maps}
        keyOf={({ id }) => id}
        name="sort10"
        initial="-share"
        isChosen={({ id }) => id === chosen.id}
        shownMax={20}
      />
      <p className="cover">
        Share of local voice: points in the top 3, of those that were checked. Average grid rank counts “not found” as
        the rank after all that were read.{' '}
        <TableLink facts={facts} table="grid">
          has every point.
        </TableLink>
      </p>
    </>
  );
}

function OneMap({ id }: { readonly id: string }): ReactNode {
  const map = useProjectAnswer<GridMapAnswer>(`grids/${encodeURIComponent(id)}`, 'nothing').value;
  return map === undefined ? null : <Drawn map={map} />;
}

/** The page of the workspace. */
export function AnswersOfFile({ facts, data }: ReportProps): ReactNode {
  // the overviews of keywords are in no list on paper
  const hasPrompts = data.answers?.rows.some(({ engine }) => engine !== overviews) === true;
  return (
    <PartTitles>
      <div className={hasPrompts ? 'stack gap-4' : 'stack gap-4 report-overviews'}>
        <Answers />
      </div>
      <p className="cover">
        <TableLink facts={facts} table="answers">
          has every period and prompt.
        </TableLink>
      </p>
    </PartTitles>
  );
}

export function ClicksOfFile({ facts }: ReportProps): ReactNode {
  const project = useProject();
  const byQuery = useProjectAnswer<Changes>('click-changes', 'nothing', { by: 'query' }).value;
  const byPage = useProjectAnswer<Changes>('click-changes', 'nothing', { by: 'page' }).value;
  if (byQuery === undefined) return null;
  const { period, previous, total, rows } = byQuery;
  return (
    <>
      <p className="sub">
        {number(total.clicks)} clicks of shown queries, {days(period.from, period.to)}, after{' '}
        {number(total.previousClicks)}, {days(previous.from, previous.to)}
        {period.stored !== previous.stored &&
          `; ${number(period.stored)} and ${number(previous.stored)} final days are stored: the change is partly that of missing days`}
      </p>
      <div className="lead">
        <Findings changes={byQuery} summary={undefined} by="query" untracked={[]} />
        <Effects changes={byQuery} />
      </div>
      <h3>By query</h3>
      <ChangeTable by="query" rows={rows} untracked={[]} name="sort11" />
      {byPage !== undefined && (
        <>
          <h3>By page</h3>
          <ChangeTable by="page" rows={byPage.rows} untracked={[]} name="sort12" />
        </>
      )}
      <ClicksNote facts={project.facts.clicks} />
      <p className="cover">
        <TableLink facts={facts} table="click-changes">
          has all changes.
        </TableLink>
      </p>
    </>
  );
}
