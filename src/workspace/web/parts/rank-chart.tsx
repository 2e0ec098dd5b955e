// The ranks of a keyword over time beside those of the strongest competitors; others can be switched on.
import { type ReactNode, useMemo } from 'react';
import type { KeywordHistory, RankPoint } from '../../../read/records.ts';
import { useAddress, useChangeQuery } from '../address.ts';
import { type ChartLine, rivalSeries, withColours } from '../chart-line.ts';
import { useProject } from '../project.tsx';
import { datesOf, ranksOn } from '../rank-history.ts';
import { counted, shortUrl } from '../words.ts';
import { Chart, type Margins, type Plotted } from './chart.tsx';
import { Panel } from './menu.tsx';

const linesMax = 6;

interface Props {
  readonly history: KeywordHistory;
  readonly height: number;
  readonly isSmall?: boolean;
  readonly chosen?: string;
  readonly onChoose?: (date: string) => void;
  readonly room?: (width: number) => Margins;
  readonly below?: (plotted: Plotted, dates: readonly string[]) => ReactNode;
}

export function RankChart({ history, height, isSmall = false, below, ...more }: Props): ReactNode {
  const { row, notes } = history;
  const { query } = useAddress();
  const { facts } = useProject();
  const dates = useMemo(() => datesOf(history), [history]);
  const lines = useMemo(() => linesOf(history, dates, facts.competitors), [history, dates, facts.competitors]);
  const written = query.get('lines');
  const shown = isSmall || written === null ? strongest(lines, isSmall ? 4 : linesMax) : written.split('|');
  const { keyword, bandBest, bandWorst } = row;
  if (dates.length === 0) return <p className="cover">No checks in this period.</p>;
  return (
    <>
      {!isSmall && lines.length > 1 && <LineChoice lines={lines} shown={shown} />}
      <Chart
        isRank
        isSmall={isSmall}
        hasLegend={isSmall}
        height={height}
        label={`Rank of ${keyword}`}
        dates={dates}
        lines={withColours(lines.filter(({ name }) => shown.includes(name)))}
        marks={notes.map(({ date, text, project }) => ({
          date,
          text: project === null ? `${text} (all projects)` : text,
        }))}
        format={(rank) => `${rank}`}
        usual={bandBest === null || bandWorst === null ? undefined : [bandBest, bandWorst]}
        {...(below === undefined ? {} : { below: (plotted: Plotted) => below(plotted, dates) })}
        {...more}
      />
    </>
  );
}

/** Competitors keep their colour, whichever are shown: it is that of their results on the page beside. */
function linesOf(
  { lines }: KeywordHistory,
  dates: readonly string[],
  competitors: readonly string[],
): readonly ChartLine[] {
  return lines.map(({ target, isOwn, points }) => ({
    name: shortUrl(target),
    isOwn,
    values: ranksOn(points, dates),
    absent: absentOn(points, dates),
    series: rivalSeries(competitors, target),
  }));
}

function absentOn(points: readonly RankPoint[], dates: readonly string[]): boolean[] {
  const statuses = new Map(points.map(({ date, status }) => [date, status]));
  return dates.map((date) => statuses.get(date) === 'not_found');
}

/** Our first line, those of ours that differ from it, and the competitors that rank best. */
function strongest(lines: readonly ChartLine[], most: number): string[] {
  const [own] = lines;
  if (own === undefined) return [];
  const strength = ({ values }: ChartLine) =>
    values.reduce<number>((sum, rank) => sum + (rank === null ? 0 : 1 / rank), 0);
  const rivals = lines.filter((line) => !line.isOwn && strength(line) > 0).sort((a, b) => strength(b) - strength(a));
  const others = lines.filter(
    (line) =>
      line !== own && line.isOwn && line.values.some((rank, index) => rank !== null && rank !== own.values[index]),
  );
  return [own, ...others, ...rivals].slice(0, most).map(({ name }) => name);
}

/** More of them stand in a panel. */
const choicesMax = 8;

interface ChoiceProps {
  readonly lines: readonly ChartLine[];
  /** By name. */
  readonly shown: readonly string[];
}

function LineChoice({ lines, shown }: ChoiceProps): ReactNode {
  const near = new Set([...shown, ...strongest(lines, choicesMax)].slice(0, choicesMax));
  const isNear = ({ name }: ChartLine) => lines.length <= choicesMax || near.has(name);
  const far = lines.filter((line) => !isNear(line));
  const button = (line: ChartLine) => <LineButton key={line.name} line={line} lines={lines} shown={shown} />;
  return (
    <fieldset className="choices screen-only line-choice">
      <legend className="unseen">Lines</legend>
      {lines.filter(isNear).map(button)}
      {far.length > 0 && (
        <Panel title="Other lines" className="line-button" label={`${far.length} more`}>
          <div className="line-panel">{far.map(button)}</div>
        </Panel>
      )}
    </fieldset>
  );
}

function LineButton({
  line: { name, isOwn, series, values },
  lines,
  shown,
}: ChoiceProps & { readonly line: ChartLine }): ReactNode {
  const change = useChangeQuery();
  const ranked = values.filter((rank) => rank !== null).length;
  const toggle = () => {
    const next = lines.map((line) => line.name).filter((of) => (of === name) !== shown.includes(of));
    change({ lines: next.join('|') }, { replace: true });
  };
  return (
    <button
      type="button"
      className="line-button"
      aria-pressed={shown.includes(name)}
      title={`ranked on ${ranked} of ${counted(values.length, 'date')}`}
      onClick={toggle}
    >
      <i style={{ background: `var(--series-${isOwn ? 1 : series})` }} aria-hidden="true" />
      <bdi>{name}</bdi>
      {ranked === 0 && <span className="quiet">no rank</span>}
    </button>
  );
}
