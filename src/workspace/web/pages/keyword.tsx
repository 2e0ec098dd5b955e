// What happened to this one? Its rank and what changed with it, the chart with pages and features, the results page.

import type { ReactNode } from 'react';
import type { KeywordHistory, KeywordRow } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { pageIdentity } from '../../../tracker/targets/target.ts';
import { changed, pathTo, useAddress, useChangeQuery } from '../address.ts';
import { isFile } from '../api.ts';
import { Change } from '../columns.tsx';
import { KeywordActions } from '../editing/row-actions.tsx';
import { bandText, rankSentence, unreadSentence, withLosses } from '../keyword-story.ts';
import { SharedCursor } from '../parts/chart.tsx';
import { CheckLedger } from '../parts/check-ledger.tsx';
import { Delta, Figure } from '../parts/numbers.tsx';
import { RankChart } from '../parts/rank-chart.tsx';
import { SameKeyword, useSameKeyword } from '../parts/same-keyword.tsx';
import { SearchHead } from '../parts/search-head.tsx';
import { SerpPanel } from '../parts/serp-panel.tsx';
import { Answered, Empty, Failed, Waiting } from '../parts/states.tsx';
import { besideWidth, type Strip, type StripState, Strips } from '../parts/strips.tsx';
import { WebLink } from '../parts/web-link.tsx';
import { Why } from '../parts/why.tsx';
import { useKept, useKeywordPath, useProject, useProjectAnswer } from '../project.tsx';
import { featureTimeline, urlStretches } from '../rank-history.ts';
import { searchOf, useSerpDates } from '../stored-serps.ts';
import { counted, day, featureName, missing, number, pathOfUrl, shortUrl, statusText } from '../words.ts';
import { Demand } from './keyword-demand.tsx';

export function Keyword(): ReactNode {
  const { name, asked } = useProject();
  const { query } = useAddress();
  const kept = useKept();
  const id = query.get('id');
  const { value, error } = useProjectAnswer<KeywordHistory>(
    id === null ? null : `keywords/${encodeURIComponent(id)}`,
    'period',
    { date: asked.get('date'), compare: asked.get('compare') },
  );
  if (id === null)
    return (
      <Empty title="Which keyword?" isPage>
        <p>
          Choose one in the <a href={pathTo(name, 'keywords', kept)}>keyword table</a>.
        </p>
      </Empty>
    );
  if (error?.isMissing)
    return (
      <Empty title="No such keyword" isPage>
        <p>
          It may have another market or device now, or left the project.{' '}
          <a href={pathTo(name, 'keywords', kept)}>All keywords</a>
        </p>
      </Empty>
    );
  if (error !== null)
    return (
      <>
        <Failed error={error} isPage />
        <p>
          <a href={pathTo(name, 'keywords', kept)}>All keywords</a>
        </p>
      </>
    );
  if (value === undefined) return <WaitingStory />;
  return (
    <SharedCursor>
      <Story history={value} id={id} />
    </SharedCursor>
  );
}

/** A skeleton of the page. */
function WaitingStory(): ReactNode {
  return (
    <>
      <Waiting shape="rows" rows={3} />
      <Waiting shape="numbers" />
      <div className="side-by-side">
        <Waiting shape="chart" />
        <Waiting shape="rows" rows={12} />
      </div>
    </>
  );
}

function Story({ history, id }: { readonly history: KeywordHistory; readonly id: string }): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const { period, scope } = useProject();
  const { row } = history;
  const search = searchOf(row);
  const serpDates = useSerpDates(search);
  const stored = serpDates.value?.dates ?? [];
  const unread = unreadSentence(history);
  const wanted = query.get('seen') ?? period.to ?? '';
  const date = stored.find((of) => of <= wanted) ?? null;
  const choose = (of: string) => change({ seen: of === period.to ? null : of }, { replace: true });
  return (
    <>
      <Head row={row} />
      <Facts row={row} />
      <div className="side-by-side">
        <div className="stack gap-6">
          <section aria-labelledby="why">
            <h2 id="why">Why</h2>
            <Why row={row} />
          </section>
          <section aria-labelledby="ranks">
            <h2 id="ranks">Rank by date</h2>
            {unread !== null && (
              <p className="cover">
                <bdi>{unread}</bdi>
              </p>
            )}
            <RankChart
              history={history}
              height={260}
              chosen={date ?? undefined}
              onChoose={choose}
              room={(width) => (width < besideWidth ? { left: 30, right: 40 } : { left: 136, right: 112 })}
              below={(plotted, dates) => (
                <>
                  <Strips
                    title="Ranking page"
                    dates={dates}
                    strips={urlStrips(history, dates)}
                    plotted={plotted}
                    chosen={date ?? undefined}
                    onChoose={choose}
                  />
                  <Strips
                    title="On the page"
                    dates={dates}
                    strips={featureStrips(history, dates)}
                    plotted={plotted}
                    chosen={date ?? undefined}
                    onChoose={choose}
                  />
                  <StripKey left={plotted.width < besideWidth ? 0 : plotted.left} />
                </>
              )}
            />
          </section>
          <Demand history={history} />
        </div>
        <section className="keyword-serp stack" aria-label="Results page">
          <Answered answer={serpDates} shape="rows" rows={12}>
            {() => <SerpPanel row={row} dates={stored} date={date} onChoose={choose} />}
          </Answered>
        </section>
      </div>
      {!isFile() && scope === null && <CheckLedger id={id} />}
    </>
  );
}

function Head({ row }: { readonly row: KeywordRow }): ReactNode {
  const keywordPath = useKeywordPath();
  // other targets of ours come last
  const rows = (useSameKeyword(row.keyword) ?? []).toSorted(
    (a, b) => Number(b.target === row.target) - Number(a.target === row.target),
  );
  return (
    <SearchHead search={row} beside={<SameKeyword rows={rows} current={row.id} hrefOf={({ id }) => keywordPath(id)} />}>
      <p className="search-lead">{rankSentence(row)}.</p>
      <Belongings row={row} />
      <KeywordActions keyword={row.keyword} />
      {row.note !== null && <p className="cover">{row.note}</p>}
    </SearchHead>
  );
}

/** Whose rank it is, with which page, and its tags. */
function Belongings({
  row: { target, tags, url, preferredUrl, urlIsPreferred, source, runId },
}: {
  readonly row: KeywordRow;
}): ReactNode {
  const { name } = useProject();
  const kept = useKept();
  const page = (of: string) => (
    <WebLink url={of}>
      <bdi>{pathOfUrl(of)}</bdi>
    </WebLink>
  );
  return (
    <p className="sub" title={source === null ? undefined : `${source}, run ${runId}`}>
      <bdi>{shortUrl(target)}</bdi>
      {url !== null && <> ranks with {page(url)}</>}
      {preferredUrl !== null && urlIsPreferred === true && ', the preferred page'}
      {preferredUrl !== null && urlIsPreferred !== true && (
        <span className={urlIsPreferred === false ? 'bad' : undefined}>; preferred is {page(preferredUrl)}</span>
      )}
      {tags.map((tag) => (
        <span key={tag}>
          {' · '}
          <a href={pathTo(name, 'keywords', changed(kept, { tag }))}>
            <bdi>{tag}</bdi>
          </a>
        </span>
      ))}
    </p>
  );
}

function Facts({ row }: { readonly row: KeywordRow }): ReactNode {
  const { facts } = useProject();
  const {
    rank,
    status,
    depth,
    date,
    checkedAt,
    bandBest,
    bandWorst,
    bestRank,
    daysInTop10,
    searchVolume,
    cpc,
    intent,
  } = row;
  const { estimatedClicks, estimatedClicksChange, measuredClicks, impressions, averagePosition, competition } = row;
  const usually = bandBest === null || bandWorst === null ? null : `usually ${bandText(bandBest, bandWorst)}`;
  const absent = status === 'not_found' && depth !== null ? ` in ${counted(depth, 'page')}` : '';
  const standing = rank === null ? `${statusText(status)}${absent}` : usually;
  const checked = checkedAt === null ? null : `checked ${day(date, facts.dates.at(-1))}`;
  return (
    <div className="figures keyword-facts">
      <Figure
        label="Rank"
        value={number(rank)}
        change={row.change !== null || row.changeClass === 'dropped' ? <Change row={row} /> : null}
        cover={[standing, checked].filter(Boolean).join(' · ')}
      />
      <Figure
        label="Best rank ever"
        value={number(bestRank)}
        cover={daysInTop10 === null ? '' : `in the top 10 on ${daysInTop10} of 30 days`}
      />
      <Figure
        label="Searches a month"
        value={number(searchVolume)}
        cover={
          [
            cpc === null ? null : `$${cpc.toFixed(2)} a click`,
            competition === null ? null : `competition ${number(competition)}`,
            intent,
          ]
            .filter(Boolean)
            .join(' · ') || 'not known'
        }
      />
      <Figure
        label="Clicks a month"
        value={number(estimatedClicks)}
        change={<Delta value={estimatedClicksChange} />}
        cover={estimatedClicks === null ? 'not known' : 'estimated from rank and searches'}
      />
      {facts.clicks !== undefined && (
        <Figure
          label="Measured clicks"
          value={number(measuredClicks)}
          cover={
            measuredClicks === null
              ? 'none reported: rare queries are hidden'
              : `28 days · ${impressions === null ? missing : counted(impressions, 'impression')} · position ${number(averagePosition, 1)}`
          }
        />
      )}
    </div>
  );
}

/** Which own page ranked when: the newest first. */
function urlStrips({ lines, row }: KeywordHistory, dates: readonly string[]): Strip[] {
  const points = lines[0]?.points ?? [];
  const urlOn = new Map(points.map(({ date, url }) => [date, url === null ? null : pageIdentity(url)]));
  const stretches = urlStretches(points);
  const pages = new Map(stretches.toReversed().map(({ url }) => [pageIdentity(url), url]));
  return [...pages].toReversed().map(([key, url]) => {
    const own = stretches.filter((of) => pageIdentity(of.url) === key);
    const bests = own.flatMap(({ best }) => best ?? []);
    const checks = sumOf(own, (of) => of.checks);
    return {
      name: url,
      label: (
        <WebLink url={url}>
          <bdi>{pathOfUrl(url)}</bdi>
          {row.preferredUrl !== null && pageIdentity(row.preferredUrl) === key && ' (preferred)'}
        </WebLink>
      ),
      states: dates.map((date) => (urlOn.get(date) === key ? 'owned' : 'absent')),
      words: { owned: 'ranks', shown: '', lost: '', absent: missing, unknown: '' },
      end: `best ${bests.length === 0 ? missing : Math.min(...bests)} · ${counted(checks, 'date')}`,
    };
  });
}

const featureWords: Readonly<Record<StripState, string>> = {
  owned: 'ours',
  shown: 'on the page',
  lost: 'lost',
  absent: missing,
  unknown: 'not known',
};

function featureStrips({ lines }: KeywordHistory, dates: readonly string[]): Strip[] {
  // what we are or were in comes first
  const timeline = featureTimeline(lines[0]?.points ?? [], dates);
  return timeline
    .toSorted((a, b) => Number(b.owned > 0) - Number(a.owned > 0))
    .map(({ feature, states, owned, shown, read }) => ({
      name: featureName(feature),
      label: featureName(feature),
      states: withLosses(states),
      words: featureWords,
      end: owned > 0 ? `ours ${owned} of ${shown}` : `${shown} of ${counted(read, 'date')}`,
    }));
}

function StripKey({ left }: { readonly left: number }): ReactNode {
  return (
    <p className="strip-key legend" style={{ paddingLeft: left }} aria-hidden="true">
      <span>
        <i className="key-owned" /> ours
      </span>
      <span>
        <i /> on the page
      </span>
      <span>
        <i className="key-lost" /> lost
      </span>
      <span>
        <i className="key-unknown" /> not known
      </span>
    </p>
  );
}
