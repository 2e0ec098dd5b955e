// A stored results page as blocks in their order: features, results, ours and those of competitors.

import type { CSSProperties, ReactNode } from 'react';
import type { SerpResult, StoredSerpView } from '../../../read/records.ts';
import { rivalSeries } from '../chart-line.ts';
import { featureMoves, type Move, ownFeatureMoves, rivalry, type SerpMoves, serpMoves } from '../serp-moves.ts';
import { counted, featureName, number, pathOfUrl, siteOf } from '../words.ts';
import { featureIcon } from './features.tsx';
import { Delta } from './numbers.tsx';
import { WebLink } from './web-link.tsx';

type Feature = StoredSerpView['features'][number];
type Place = StoredSerpView['places'][number];

/** Features that stand at the foot of a page: the archive names the page of a feature, not its place on it. */
const atFoot: readonly string[] = ['related_searches', 'people_also_search_for'];

type FeatureMark = 'new' | 'gone' | 'now ours' | 'lost';

/** The colour of a competitor, as in the chart beside it. */
export type ColourOf = (target: string) => string;

interface SerpBlocksProps {
  readonly serp: StoredSerpView;
  /** What happened to each of its results since the older page, or until the newer one. */
  readonly markOf?: (result: SerpResult) => ReactNode;
  /** What happened to the features of a type. */
  readonly featureMarkOf?: (type: string) => FeatureMark | undefined;
  readonly colourOf?: ColourOf;
  /** The results to draw; others are counted. Default: all. */
  readonly isShown?: (result: SerpResult) => boolean;
  /** Sites only, without what can be opened. */
  readonly isSmall?: boolean;
  /** Names the blocks for lines between two pages. */
  readonly side?: 'older' | 'newer';
  /** The URL that is pointed at, and how to say so. */
  readonly hot?: string | null;
  readonly onHot?: (url: string | null) => void;
}

export function SerpBlocks(props: SerpBlocksProps): ReactNode {
  const { serp, isSmall = false } = props;
  const pages = [...new Set([...serp.results, ...serp.features].map(({ page }) => page))].sort((a, b) => a - b);
  if (pages.length === 0) return <p className="cover">The page shows no results.</p>;
  return (
    <div className={isSmall ? 'serp serp-small' : 'serp'}>
      {pages.map((page) => (
        <SerpPage key={page} {...props} page={page} hasName={pages.length > 1 && page > 1} />
      ))}
    </div>
  );
}

function SerpPage(props: SerpBlocksProps & { readonly page: number; readonly hasName: boolean }): ReactNode {
  const { serp, page, hasName, isShown = () => true } = props;
  const results = serp.results.filter((result) => result.page === page);
  const shown = results.filter(isShown);
  // of later pages in short, only what shows a target
  const isInShort = page > 1 && shown.length < results.length;
  const features = serp.features.filter((of) => of.page === page && (!isInShort || of.targets.length > 0));
  // pages without a shown result would be headings only
  if (shown.length === 0 && page > 1 && results.length > 0) return null;
  const blocks = (of: readonly Feature[]) =>
    of.map((feature) => <FeatureBlock key={feature.type} {...props} feature={feature} places={serp.places} />);
  return (
    <>
      {hasName && <p className="serp-page cover">Page {page}</p>}
      <ul className="stack gap-half">
        {blocks(features.filter(({ type }) => !atFoot.includes(type)))}
        {groupsOf(results, isShown).map((group) =>
          'hidden' in group ? (
            <li key={`hidden ${group.hidden[0]?.rank}`} className="block-gap cover">
              {counted(group.hidden.length, 'other result')}
            </li>
          ) : (
            <ResultBlock key={`${group.rank} ${group.url}`} {...props} result={group} />
          ),
        )}
        {blocks(features.filter(({ type }) => atFoot.includes(type)))}
      </ul>
    </>
  );
}

/** Results in order, with what lies hidden between them. */
function groupsOf(
  results: readonly SerpResult[],
  isShown: (result: SerpResult) => boolean,
): (SerpResult | { readonly hidden: SerpResult[] })[] {
  const groups: (SerpResult | { readonly hidden: SerpResult[] })[] = [];
  for (const result of results) {
    const last = groups.at(-1);
    if (isShown(result)) groups.push(result);
    else if (last !== undefined && 'hidden' in last) last.hidden.push(result);
    else groups.push({ hidden: [result] });
  }
  return groups;
}

/** `block-own`, `block-rival` with its colour, or neither. */
function ownership(
  { isOwn, target }: { readonly isOwn: boolean; readonly target: string | null },
  colourOf: ColourOf | undefined,
): { readonly kind: string; readonly style: CSSProperties | undefined } {
  if (isOwn) return { kind: ' block-own', style: undefined };
  if (target === null) return { kind: '', style: undefined };
  return { kind: ' block-rival', style: { borderLeftColor: colourOf?.(target) ?? 'var(--outline)' } };
}

function ResultBlock({
  result,
  markOf,
  colourOf,
  isSmall = false,
  side,
  hot,
  onHot,
}: SerpBlocksProps & { readonly result: SerpResult }): ReactNode {
  const { rank, url, target, isOwn } = result;
  const { kind, style } = ownership(result, colourOf);
  const whose = target === null ? '' : isOwn ? `, ours: ${target}` : `, competitor: ${target}`;
  return (
    <li
      className={`block block-result${kind}${hot === url ? ' block-hot' : ''}`}
      style={style}
      data-place={side === undefined ? undefined : `${side} ${rank}`}
      onPointerEnter={onHot && (() => onHot(url))}
      onPointerLeave={onHot && (() => onHot(null))}
      onFocus={onHot && (() => onHot(url))}
      onBlur={onHot && (() => onHot(null))}
    >
      <span className="block-rank">{number(rank)}</span>
      <WebLink url={url} className="block-name cut">
        <bdi>
          <b>{siteOf(url)}</b>
          {!isSmall && <span className="block-path">{pathOfUrl(url)}</span>}
        </bdi>
        <span className="unseen">{whose}</span>
      </WebLink>
      {markOf !== undefined && <span className="block-mark">{markOf(result)}</span>}
    </li>
  );
}

function FeatureBlock({
  feature: { type, urls, targets, isOwn },
  places,
  featureMarkOf,
  colourOf,
  isSmall = false,
}: SerpBlocksProps & { readonly feature: Feature; readonly places: readonly Place[] }): ReactNode {
  const Icon = featureIcon(type);
  const { kind, style } = ownership({ isOwn, target: targets[0] ?? null }, colourOf);
  const mark = featureMarkOf?.(type);
  const listed = type === 'local_pack' ? places : [];
  const what = isOwn ? 'ours' : targets.length > 0 ? targets.join(', ') : null;
  const head = (
    <>
      <Icon size={14} strokeWidth={1.6} aria-hidden="true" />
      <span className="block-name cut">
        {featureName(type)}
        {what !== null && <b className="block-whose">{what}</b>}
      </span>
      {mark !== undefined && <span className={`block-mark ${markTones[mark]}`}>{mark}</span>}
    </>
  );
  const count =
    listed.length > 0 ? counted(listed.length, 'place') : urls.length > 0 ? counted(urls.length, 'link') : null;
  const className = `block block-feature${kind}${mark === 'gone' ? ' block-gone' : ''}`;
  if (isSmall || count === null)
    return (
      <li className={className} style={style}>
        {head}
      </li>
    );
  return (
    <li className={className} style={style}>
      <details>
        <summary>
          {head}
          <span className="block-count">{count}</span>
        </summary>
        {listed.length > 0 ? <Places places={listed} /> : <Links urls={urls} />}
      </details>
    </li>
  );
}

function Links({ urls }: { readonly urls: readonly string[] }): ReactNode {
  return (
    <ul className="block-links">
      {[...new Set(urls)].map((url) => (
        <li key={url}>
          <WebLink url={url}>
            <bdi>
              {siteOf(url)}
              <span className="block-path">{pathOfUrl(url)}</span>
            </bdi>
          </WebLink>
        </li>
      ))}
    </ul>
  );
}

function Places({ places }: { readonly places: readonly Place[] }): ReactNode {
  return (
    <ol className="block-links">
      {places.map(({ rank, name, rating, reviews, category, address, website, target, isOwn }) => (
        <li key={`${rank} ${name}`} className={isOwn ? 'own' : undefined}>
          {rank} <b>{website === undefined ? <bdi>{name}</bdi> : <WebLink url={website}>{name}</WebLink>}</b>
          {target !== null && ` (${isOwn ? 'ours' : `competitor ${target}`})`}{' '}
          <span className="quiet">
            {[
              rating === undefined
                ? null
                : `${rating.toFixed(1)} of 5${reviews === undefined ? '' : `, ${counted(reviews, 'review')}`}`,
              category,
              address,
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </li>
      ))}
    </ol>
  );
}

const markTones: Readonly<Record<FeatureMark, string>> = { new: 'soft', gone: 'soft', 'now ours': 'good', lost: 'bad' };

/** Marks for the older and for the newer page. What others do is coloured where it takes us a rank or gives us one. */
export function marksOf(before: StoredSerpView, after: StoredSerpView): Marks {
  const { moves, left } = serpMoves(before.results, after.results);
  const features = featureMoves(before, after);
  const own = ownFeatureMoves(before, after);
  const tones = tonesOf({ moves, left });
  const moveOf = new Map(moves.map((move) => [move.after, move]));
  const gone = new Set(left);
  const newer = (result: SerpResult): ReactNode => {
    const move = moveOf.get(result);
    if (move === undefined || move.kind === 'unknown' || move.change === 0) return null;
    const tone = move.after.isOwn ? 'good' : (tones.get(result.url) ?? 'soft');
    if (move.kind === 'entered') return <span className={`delta ${tone}`}>new</span>;
    if (move.after.isOwn) return <Delta value={move.change} />;
    return <Delta value={move.change} tone={tone} />;
  };
  return {
    moves,
    left,
    tones,
    features: { ...features, won: own.won, lostOurs: own.lost },
    newer: {
      markOf: newer,
      featureMarkOf: (type) =>
        features.gained.includes(type)
          ? 'new'
          : own.won.includes(type)
            ? 'now ours'
            : own.lost.includes(type)
              ? 'lost'
              : undefined,
    },
    older: {
      markOf: (result) =>
        gone.has(result) ? <span className={result.isOwn ? 'delta bad' : 'delta soft'}>gone</span> : null,
      featureMarkOf: (type) => (features.lost.includes(type) ? 'gone' : undefined),
    },
  };
}

export interface Marks extends SerpMoves {
  /** By URL. */
  readonly tones: ReadonlyMap<string, 'good' | 'bad'>;
  readonly features: {
    readonly gained: readonly string[];
    readonly lost: readonly string[];
    readonly won: readonly string[];
    readonly lostOurs: readonly string[];
  };
  readonly newer: Pick<SerpBlocksProps, 'markOf' | 'featureMarkOf'>;
  readonly older: Pick<SerpBlocksProps, 'markOf' | 'featureMarkOf'>;
}

function tonesOf(moves: SerpMoves): ReadonlyMap<string, 'good' | 'bad'> {
  const { entered, passed, overtaken } = rivalry(moves);
  const urls = (of: readonly Move[], tone: 'good' | 'bad') => of.map(({ after }) => [after.url, tone] as const);
  return new Map([...urls(entered, 'bad'), ...urls(passed, 'bad'), ...urls(overtaken, 'good')]);
}

/** Colours of competitors in the order of the project, as charts give them. */
export function rivalColours(competitors: readonly string[]): ColourOf {
  return (target) => `var(--series-${rivalSeries(competitors, target)})`;
}
