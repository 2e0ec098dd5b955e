// Every shared part in every state, in development only: `npx vite`, then /parts. It needs no server behind it.
import { Bell, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api.ts';
import { Change, keywordColumns, Rank, shownColumns } from '../columns.tsx';
import { Chart, SharedCursor } from '../parts/chart.tsx';
import { DayBars } from '../parts/day-bars.tsx';
import { FeatureIcon } from '../parts/features.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { KeywordTable } from '../parts/keyword-table.tsx';
import { ActionMenu, Panel } from '../parts/menu.tsx';
import { Delta, Figure } from '../parts/numbers.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { PeriodButton } from '../parts/period-button.tsx';
import { PlainTable } from '../parts/plain-table.tsx';
import { RunTable } from '../parts/run-table.tsx';
import { Section } from '../parts/section.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { Empty, Failed, Waiting } from '../parts/states.tsx';
import { Switch } from '../parts/switch.tsx';
import { askedOf, periodOf } from '../period.ts';
import { ProjectContext } from '../project.tsx';
import { missing, number, plain } from '../words.ts';
import { dates, exampleRow, facts, line, oddRows, runs, yearDates } from './parts-examples.ts';
import './parts.css';

const query = new URLSearchParams();
const period = periodOf(query, facts.dates);
const project = { name: facts.project, scope: null, facts, overview: undefined, period, asked: askedOf(query, period) };
const failure = new ApiError('The database is locked. Try again in a minute.');

export function Parts(): ReactNode {
  return (
    <ProjectContext value={project}>
      <SharedCursor>
        <div>
          <PageTitle>Parts</PageTitle>
          <p className="sub">Every shared part in every state. Its numbers are made up.</p>
        </div>
        <Tokens />
        <Controls />
        <Numbers />
        <Charts />
        <States />
        <Tables />
      </SharedCursor>
    </ProjectContext>
  );
}

/** A part in one state. */
function Specimen({ state, children }: { readonly state: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="parts-specimen">
      <p className="cover">{state}</p>
      {children}
    </div>
  );
}

const colours = ['ground', 'surface', 'sunken', 'hover', 'hairline', 'outline', 'ink', 'soft', 'faint'];
const meanings = ['accent', 'accent-wash', 'good', 'good-wash', 'bad', 'bad-wash', 'warning', 'warning-wash'];
const sizes = [40, 28, 20, 16, 14, 13, 12];

function Tokens(): ReactNode {
  const swatch = (name: string) => (
    <li key={name}>
      <i style={{ background: `var(--${name})` }} /> {name}
    </li>
  );
  return (
    <Section title="Type and colour">
      <div className="parts-type">
        {sizes.map((size) => (
          <span key={size} style={{ fontSize: `var(--size-${size})` }}>
            {size} <b>Rank 12</b>
          </span>
        ))}
      </div>
      {[colours, meanings, Array.from({ length: 8 }, (_, index) => `series-${index + 1}`)].map((names) => (
        <ul key={names[0]} className="parts-swatches">
          {names.map(swatch)}
        </ul>
      ))}
    </Section>
  );
}

function Controls(): ReactNode {
  return (
    <Section title="Controls">
      <div className="parts-row">
        <button type="button" className="button">
          Button
        </button>
        <button type="button" className="button primary">
          Primary
        </button>
        <button type="button" className="button icon-button" aria-label="Alerts">
          <Bell size={15} aria-hidden="true" />
        </button>
        <button type="button" className="quiet-button">
          <Search size={14} aria-hidden="true" /> Quiet
        </button>
        <ActionMenu
          label="Menu"
          actions={[
            { label: 'Chosen', run: () => {}, isChosen: true },
            { label: 'Other', run: () => {} },
          ]}
        />
        <Panel title="Panel" label="Panel">
          <p>What it holds</p>
        </Panel>
        <PeriodButton />
        <Switch
          name="switch"
          label="Switch"
          options={[
            { value: 'one', label: 'One' },
            { value: 'two', label: 'Two' },
          ]}
        />
        <fieldset className="choices">
          <legend className="unseen">Choices</legend>
          <button type="button" className="choice" aria-pressed="true">
            7 days
          </button>
          <button type="button" className="choice" aria-pressed="false">
            30 days
          </button>
        </fieldset>
        <input aria-label="Field" placeholder="Field" />
        <label>
          <input type="checkbox" defaultChecked /> Chosen
        </label>
        <span className="label">simulated data</span>
      </div>
      <FilterBar />
    </Section>
  );
}

function Numbers(): ReactNode {
  return (
    <Section title="Numbers">
      <div className="parts-row">
        <Specimen state="certain">
          <Delta value={3} isCertain />
        </Specimen>
        <Specimen state="likely">
          <Delta value={-3} />
        </Specimen>
        <Specimen state="noise">
          <Delta value={-3} isQuiet />
        </Specimen>
        <Specimen state="unchanged">
          <Delta value={0} />
        </Specimen>
        <Specimen state="lower is better">
          <Delta value={-1.2} digits={1} isLowerBetter />
        </Specimen>
        <Specimen state="neither">
          <Delta value={120} isNeutral />
        </Specimen>
        {oddRows.map((odd, index) => (
          <Specimen key={`${odd.status} ${odd.changeClass}`} state={plain(odd.changeClass ?? 'unproven')}>
            <Rank row={{ ...exampleRow(1), ...oddRows[index] }} /> <Change row={{ ...exampleRow(1), ...odd }} />
          </Specimen>
        ))}
        {(['shown', 'owned', 'lost'] as const).map((state) => (
          <Specimen key={state} state={`feature, ${state}`}>
            <FeatureIcon feature="featured_snippet" state={state} />
          </Specimen>
        ))}
      </div>
      <div className="figures">
        <Figure
          label="Known"
          value="19.2"
          unit="%"
          change={<Delta value={3.1} digits={1} />}
          cover="checked 71 of 71"
        />
        <Figure label="Partial" value="19.2" unit="%" cover="checked 12 of 71" />
        <Figure label="Missing" value={missing} unit="%" cover="nothing was checked" />
        <Figure label="Leads somewhere" value="11 / 38" cover="of 71 searches" href="/parts" />
      </div>
    </Section>
  );
}

const percent = (value: number): string => `${value.toFixed(1)}%`;
const gaps = line(30, 19, 3).map((value, index) => (index > 9 && index < 14 ? null : value));
const nothing = dates.map(() => null);
const rival = (index: number) => ({ name: `rival-${index}.com`, values: line(30, 8 + index * 3, 2, index * 50) });

function Charts(): ReactNode {
  const own = { name: 'acme.com', isOwn: true };
  return (
    <Section title="Charts">
      <div className="parts-charts">
        <Specimen state="own line, two rivals, a gap, events">
          <Chart
            label="Visibility, percent"
            dates={dates}
            lines={[{ ...own, values: gaps, over: gaps.map(() => 71) }, rival(1), rival(2)]}
            marks={[
              { date: dates[8] ?? '', text: 'update suspected' },
              { date: dates[20] ?? '', text: 'New category pages went live' },
            ]}
            format={percent}
          />
        </Specimen>
        <Specimen state="eight lines">
          <Chart
            label="Visibility, percent"
            dates={dates}
            lines={[{ ...own, values: line(30, 19, 3) }, ...[0, 1, 2, 3, 4, 5, 6].map(rival)]}
            format={percent}
          />
        </Specimen>
        <Specimen state="ranks">
          <Chart
            isRank
            label="Rank"
            dates={dates}
            lines={[
              { ...own, values: line(30, 8, 4).map(Math.round) },
              { name: 'globex.com', values: line(30, 22, 6, 90).map(Math.round) },
            ]}
            format={(rank) => `${rank}`}
          />
        </Specimen>
        <Specimen state="one date">
          <Chart label="Visibility" dates={dates.slice(0, 1)} lines={[{ ...own, values: [19] }]} format={percent} />
        </Specimen>
        <Specimen state="no value">
          <Chart label="Visibility" dates={dates} lines={[{ ...own, values: nothing }]} format={percent} />
        </Specimen>
        <Specimen state="small">
          <Chart
            isSmall
            height={120}
            label="Visibility"
            dates={dates}
            lines={[{ ...own, values: gaps }]}
            format={percent}
          />
        </Specimen>
        <Specimen state="bars, stacked, with what is not proven">
          <DayBars
            label="Credits by day"
            dates={dates}
            lines={[
              { name: 'vendor-a', values: line(30, 190, 40) },
              { name: 'vendor-b', values: line(30, 60, 40, 9) },
              { name: 'outcome unknown', isUnproven: true, values: dates.map((_, index) => (index === 22 ? 60 : 0)) },
            ]}
            marks={[{ date: dates[12] ?? '', text: 'the depth was raised' }]}
            format={(value) => number(value)}
          />
        </Specimen>
        <Specimen state="bars of a year">
          <DayBars
            label="Credits by day"
            dates={yearDates}
            lines={[{ ...own, values: line(yearDates.length, 190, 90) }]}
            format={(value) => number(value)}
          />
        </Specimen>
        <Specimen state="one bar">
          <DayBars label="Credits" dates={dates.slice(0, 1)} lines={[{ ...own, values: [190] }]} format={number} />
        </Specimen>
        <Specimen state="bars of nothing">
          <DayBars label="Credits" dates={dates} lines={[{ ...own, values: dates.map(() => 0) }]} format={number} />
        </Specimen>
        <Specimen state="no bar known">
          <DayBars label="Credits" dates={dates} lines={[{ ...own, values: nothing }]} format={number} />
        </Specimen>
      </div>
      <div className="parts-row">
        <Specimen state="trend">
          <Sparkline values={line(30, 8, 6)} />
        </Specimen>
        <Specimen state="with dates not found">
          <Sparkline values={line(30, 8, 6).map((value, index) => (index % 7 === 3 ? 'not_found' : value))} />
        </Specimen>
        <Specimen state="one value">
          <Sparkline values={[8]} />
        </Specimen>
        <Specimen state="no value">
          <Sparkline values={[]} />
        </Specimen>
      </div>
    </Section>
  );
}

function States(): ReactNode {
  return (
    <Section title="States">
      <div className="parts-charts">
        <Specimen state="loading, page">
          <Waiting shape="page" />
        </Specimen>
        <Specimen state="loading, chart and rows">
          <Waiting shape="chart" />
          <Waiting shape="rows" rows={3} />
        </Specimen>
        <Specimen state="empty">
          <Empty title="No keyword passes these filters">
            <p>
              <a href="/parts">Clear the filters</a>
            </p>
          </Empty>
        </Specimen>
        <Specimen state="failed">
          <Failed error={failure} />
        </Specimen>
        <Specimen state="failed, a reader is asked for">
          <Failed error={new ApiError('This token is not known.', { needsToken: true })} />
        </Specimen>
        <Specimen state="partial">
          <p className="notice">12 of 71 searches were not checked: the provider answered with CAPTCHAs.</p>
          <p className="notice bad-notice">The newest run is suspect: 31 of 66 ranked keywords were lost at once.</p>
        </Specimen>
      </div>
    </Section>
  );
}

const columns = shownColumns(null, null, false);
const rowsMany = 100_000;

function Tables(): ReactNode {
  const plain = (count: number) => (
    <PlainTable
      caption="Keywords"
      columns={[
        { name: 'keyword', label: 'Keyword', value: ({ keyword }) => keyword, isWide: true },
        { name: 'rank', label: 'Rank', value: ({ rank }) => rank, isNumber: true, isLowerBetter: true },
        { name: 'volume', label: 'Searches', value: ({ searchVolume }) => searchVolume, isNumber: true },
      ]}
      rows={Array.from({ length: count }, (_, index) => exampleRow(index))}
      keyOf={({ id }) => id}
      shownMax={5}
    />
  );
  return (
    <>
      <Section title="Tables">
        <div className="parts-charts">
          <Specimen state="plain, no row">{plain(0)}</Specimen>
          <Specimen state="plain, one row">{plain(1)}</Specimen>
          <Specimen state="plain, 100,000 rows: some at a time">{plain(rowsMany)}</Specimen>
        </div>
        <Specimen state="runs, one in each state">
          <RunTable runs={runs} />
        </Specimen>
        <Specimen state="keywords, loading">
          <KeywordTable columns={columns} total={3} caption="Loading" useRows={() => () => undefined} />
        </Specimen>
        <Specimen state="keywords, one row">
          <KeywordTable columns={columns} total={1} caption="One row" useRows={() => () => exampleRow(8)} />
        </Specimen>
        <Specimen state="keywords, all columns">
          <KeywordTable columns={keywordColumns} total={1} caption="All columns" useRows={() => () => exampleRow(8)} />
        </Specimen>
      </Section>
      <Section title="Keywords, 100,000 rows" cover="those in sight are drawn; sorting them is the server's">
        <KeywordTable columns={columns} total={rowsMany} caption="100,000 rows" useRows={() => exampleRow} />
      </Section>
    </>
  );
}
