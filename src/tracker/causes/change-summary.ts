// What made a project change, in at most five sentences: each a finding with its number and where it is shown. Pure.
import { byText, plural, rounded } from '../figures.ts';
import { marketName, type NamedMarket } from '../project.ts';
import {
  type AttributedRow,
  type Attribution,
  type AttributionLine,
  attributionLine,
  otherEffects,
  ownMovement,
} from './attribution.ts';
import {
  amount,
  type CauseRecord,
  featureWords,
  firstReason,
  type KeywordCauses,
  reasonMin,
  scopeWords,
} from './cause-text.ts';

/** With names from the web: not trusted. */
export interface SummarySentence {
  readonly text: string;
  /** The part of the text that leads to the evidence. */
  readonly link: string;
  /** The page of the workspace below `/p/PROJECT/` that shows it, with its parameters. */
  readonly evidence: string;
}

export interface ChangeSummary {
  /** At most five; none: it is not known. */
  readonly sentences: readonly SummarySentence[];
  /** Of all rows. Null: no row has a volume, or there is nothing to compare with. */
  readonly total: AttributionLine | null;
}

/** The attribution that sentences are made from. */
export interface ChangeParts {
  /** Null: no row has a volume. */
  readonly total: AttributionLine | null;
  /**
   * Those with much of the effect of ranks, named by the filter that shows their rows:
   * `url=acme.com%2Fshoes%2F&device=mobile`.
   */
  readonly groups: readonly AttributionLine[];
  readonly competitors: readonly AttributionLine[];
}

export function changeParts(attribution: Attribution): ChangeParts {
  const total = attribution.total();
  return {
    total: total.rows === 0 ? null : attributionLine(total),
    groups: attribution.leading(groupsOf, shareMin).map(attributionLine),
    competitors: attribution.by('competitor').map(attributionLine),
  };
}

type GroupedRow = Pick<AttributedRow, 'page' | 'tags' | 'market' | 'device'>;

/** The general before the special. */
function groupsOf({ page, tags, market, device }: GroupedRow): string[] {
  const [ofDevice, pages] = [filterText('device', device), page === null ? [] : pagesOf(page)];
  return [
    ...[ofDevice, filterText('market', market), ...tags.map((tag) => filterText('tag', tag))],
    ...pages.flatMap((url) => [filterText('url', url), `${filterText('url', url)}&${ofDevice}`]),
  ];
}

function filterText(name: string, value: string): string {
  return `${name}=${encodeURIComponent(value)}`;
}

/** `acme.com/shoes/` and `acme.com/shoes/red`. */
function pagesOf(page: string): string[] {
  const [path = ''] = page.replace(/^[a-z]+:\/\//iu, '').split(/[?#]/u);
  const section = /^[^/]+\/[^/]+\/(?=.)/u.exec(path)?.[0];
  return section === undefined ? [path] : [section, path];
}

/** `/shoes/* on mobile`, `The tag brand`. */
function groupWords(name: string): string {
  const { url, device, market, tag } = Object.fromEntries(new URLSearchParams(name));
  if (tag !== undefined) return `The tag ${tag}`;
  if (market !== undefined) return market;
  if (url === undefined) return capital(device ?? '');
  const path = url.replace(/^[^/]+/u, '').replace(/(?<=.)\/$/u, '/*') || '/';
  return device === undefined ? path : `${path} on ${device}`;
}

/** A row that moved beyond its noise. */
export interface ExplainedChange {
  readonly row: GroupedRow;
  /** A month; null: the volume is not known. */
  readonly clicksChange: number | null;
  readonly causes: KeywordCauses;
}

type ChangedRow = NamedMarket &
  Pick<AttributedRow, 'tags'> & {
    readonly url: string | null;
    readonly previousUrl: string | null;
    readonly estimatedClicksChange: number | null;
  };

export function explainedChange(row: ChangedRow, causes: KeywordCauses): ExplainedChange {
  const { url, previousUrl, tags, device, estimatedClicksChange: clicksChange } = row;
  return { row: { page: url ?? previousUrl, tags, device, market: marketName(row) }, clicksChange, causes };
}

interface SummarySource extends ChangeParts {
  /** Local dates; null: nothing to compare. */
  readonly from: string | null;
  readonly to: string | null;
  /** The largest change of clicks first. */
  readonly changes: readonly ExplainedChange[];
}

const sentencesMax = 5;

export function changeSummary(source: SummarySource): ChangeSummary {
  const where = strongestGroup(source);
  const shared = sharedCauses(source.changes);
  const common = shared[0];
  const sentences = [
    ...effectsSentences(source),
    where === null ? null : groupSentence(where, source),
    // said of the group already
    common === undefined || where?.shared?.words === common.words
      ? null
      : sharedSentence(common, source.changes.length),
    competitorSentence(source),
    ...[-1, 1].map((sign) => rowSentence(source, sign)),
  ];
  return {
    sentences: sentences.filter((sentence) => sentence !== null).slice(0, sentencesMax),
    total: source.from === null ? null : source.total,
  };
}

function keywordsPage(
  { from, to }: Pick<SummarySource, 'from' | 'to'>,
  filter: Readonly<Record<string, string>> = {},
): string {
  const dates = { ...(from !== null && { from }), ...(to !== null && { to }) };
  return `keywords?${new URLSearchParams({ ...dates, ...filter })}`;
}

const clicksUnit = 'clicks a month';

/** `1 point`, `2 points`. */
function ofUnit(value: number, unit: string): string {
  return Math.abs(value) === 1 ? unit.replace(/s\b/, '') : unit;
}

interface Measure {
  readonly name: string;
  readonly digits: number;
  readonly unit: string;
  readonly level: (value: number) => string;
  /** Follows the newer level. */
  readonly percent: string;
  readonly ends: (line: AttributionLine) => readonly [number | null, number | null];
  /** In the order of `effectWords`. */
  readonly effects: (line: AttributionLine) => readonly [rank: number | null, ...others: (number | null)[]];
}

const visibilityMeasure: Measure = {
  name: 'Visibility over all rows',
  digits: 1,
  unit: 'points',
  percent: ' %',
  level: (value) => value.toFixed(1), // with the decimal that the number beside it has
  ends: (of) => [of.visibilityBefore, of.visibilityAfter],
  effects: (of) => [
    of.visibilityRankEffect,
    of.visibilityFeatureEffect,
    of.visibilityDemandEffect,
    of.visibilityTrackingEffect,
  ],
};

const clicksMeasure: Measure = {
  name: 'Clicks a month over all rows',
  digits: 0,
  unit: clicksUnit,
  percent: '',
  level: amount,
  ends: (of) => [of.clicksBefore, of.clicksAfter],
  effects: (of) => [of.rankEffect, of.featureEffect, of.demandEffect, of.trackingEffect],
};

const effectWords = ['ranks', 'SERP features', 'demand', 'rows that came, went or do not compare'];

/** Visibility in percentage points; without it, clicks a month. */
function measureOf(total: AttributionLine): Measure {
  return visibilityMeasure.ends(total).includes(null) ? clicksMeasure : visibilityMeasure;
}

/** Of the clicks before: less is no finding, nor is what rounds to no click. */
const demandShareMin = 0.1;

function effectsSentences({ total, from, to }: SummarySource): SummarySentence[] {
  if (total === null || from === null) return [];
  const { clicksBefore, rankEffect, demandEffect } = total;
  const measure = measureOf(total);
  const demand = Math.abs(demandEffect);
  const isDemandFound =
    clicksBefore !== null && demand > Math.abs(rankEffect) && demand >= Math.max(0.5, demandShareMin * clicksBefore);
  // visibility hides what search volumes do to clicks: it is the same where all of them double
  const measures = measure === visibilityMeasure && isDemandFound ? [measure, clicksMeasure] : [measure];
  return measures.map((of) => effectsSentence(total, of, keywordsPage({ from, to })));
}

function effectsSentence(total: AttributionLine, measure: Measure, evidence: string): SummarySentence {
  const { name: link, digits, unit, level, percent } = measure;
  const said = measure
    .effects(total)
    .map((value, index) => ({ value: round(value, digits), words: effectWords[index] }))
    .filter(({ value }) => value !== 0)
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .map(({ value, words }, index) => `${signed(value)}${index === 0 ? ` ${ofUnit(value, unit)}` : ''} from ${words}`);
  const [then = 0, now = 0] = measure.ends(total).map((end) => round(end, digits));
  const verb = then === now ? 'stayed at' : `${now > then ? 'rose' : 'fell'} from ${level(then)} to`;
  const text = `${link} ${verb} ${level(now)}${percent}${said.length === 0 ? '' : `: ${said.join(', ')}`}`;
  return { text, link, evidence };
}

interface StrongGroup {
  readonly line: AttributionLine;
  readonly effect: number;
  readonly shared: SharedCause | undefined;
  readonly changed: number;
}

/** A group has to explain this much of the effect of ranks, with so many fewer of the rows. */
const [shareMin, leadMin] = [0.5, 0.2];
const groupRowsMin = 2;

/** The group that has most of the effect of ranks with the fewest rows; null: it is spread over all rows. */
function strongestGroup({ total, groups, changes }: SummarySource): StrongGroup | null {
  if (total === null) return null;
  const measure = measureOf(total);
  const rankEffect = (line: AttributionLine): number => measure.effects(line)[0] ?? 0;
  const whole = rankEffect(total);
  if (round(whole, measure.digits) === 0) return null;
  let best: { readonly line: AttributionLine; readonly lead: number } | null = null;
  for (const line of groups.toSorted((a, b) => a.name.length - b.name.length || byText(a.name, b.name))) {
    const share = Math.min(1, rankEffect(line) / whole);
    const lead = share - line.keywords / total.keywords;
    if (line.keywords >= groupRowsMin && share >= shareMin && lead >= leadMin && lead > (best?.lead ?? 0) + 1e-9)
      best = { line, lead };
  }
  if (best === null) return null;
  const { line } = best;
  const ofGroup = changes.filter(({ row }) => groupsOf(row).includes(line.name));
  return { line, effect: rankEffect(line), shared: sharedCauses(ofGroup)[0], changed: ofGroup.length };
}

function groupSentence({ line, effect, shared, changed }: StrongGroup, source: SummarySource): SummarySentence | null {
  const { total } = source;
  if (total === null) return null;
  const { digits, unit } = measureOf(total);
  const link = groupWords(line.name);
  const [verb, lost] = [effect < 0 ? 'lost' : 'won', Math.abs(round(effect, digits))];
  const rows = `${line.keywords} of ${total.keywords} rows`;
  const why =
    shared === undefined ? '' : `: ${shared.words} in ${shared.count} of the ${changed} that moved beyond noise`;
  const text = `${link} ${verb} ${amount(lost, 1)} ${ofUnit(lost, unit)} through ranks, with ${rows}${why}`;
  return { text, link, evidence: keywordsPage(source, Object.fromEntries(new URLSearchParams(line.name))) };
}

/** What several changes have as a reason. */
interface SharedCause {
  readonly words: string;
  /** The same at the beginning of a sentence: names of sites keep their letters. */
  readonly link: string;
  readonly count: number;
  /** That of the change with the most clicks. */
  readonly evidence: string;
}

const sharedMin = 2;
const sharedShareMin = 0.25;

/** Those that most of the changes share first. */
function sharedCauses(changes: readonly ExplainedChange[]): SharedCause[] {
  const found = new Map<string, SharedCause>();
  for (const { causes } of changes) {
    const seen = new Set<string>();
    for (const cause of causes.causes) {
      const words = cause.strength < reasonMin ? null : sharedWords(cause);
      if (words === null || seen.has(words)) continue;
      seen.add(words);
      const before = found.get(words);
      found.set(words, {
        words,
        link: cause.site === undefined ? capital(words) : words,
        count: (before?.count ?? 0) + 1,
        evidence: before?.evidence ?? cause.evidence,
      });
    }
  }
  return [...found.values()]
    .filter(({ count }) => count >= sharedMin && count >= sharedShareMin * changes.length)
    .toSorted((a, b) => b.count - a.count || byText(a.words, b.words));
}

/** Null: it says nothing of several changes. */
function sharedWords({
  kind,
  site = '',
  feature = '',
  scope = 'project',
  name = '',
  date = '',
  text = '',
}: CauseRecord): string | null {
  switch (kind) {
    case 'entered':
    case 'passed':
      return `${site} came above us`;
    case 'left':
    case 'overtaken':
      return `${site} fell behind us or left`;
    case 'feature_appeared':
      return `${featureWords(feature)} appeared`;
    case 'feature_vanished':
      return `${featureWords(feature)} vanished`;
    case 'feature_grew':
      return `${featureWords(feature)} grew`;
    case 'own_page':
    case 'own_page_gone':
      return 'a change of our page that ranks';
    case 'own_title':
      return 'a change of our title';
    case 'moved_alike':
      return `an unusual move of ${scopeWords[scope](name)}`;
    case 'confirmed_update':
      return `an update that the search engine announced on ${date}`;
    case 'note':
      return `the note of ${date} (${text})`;
    default:
      return null;
  }
}

function sharedSentence({ link, count, evidence }: SharedCause, changed: number): SummarySentence {
  return { text: `${link} in ${count} of the ${changed} ${plural(changed, 'change')} beyond noise`, link, evidence };
}

/** Less of the effect of ranks is no finding. */
const competitorShareMin = 0.1;

function competitorSentence(source: SummarySource): SummarySentence | null {
  const { total, competitors } = source;
  if (total === null) return null;
  const direction = Math.sign(total.rankEffect);
  const [most] = competitors
    .filter(({ name, rankEffect }) => name !== ownMovement && name !== otherEffects && rankEffect * direction > 0)
    .toSorted((a, b) => Math.abs(b.rankEffect) - Math.abs(a.rankEffect));
  const clicks = most === undefined ? 0 : Math.abs(round(most.rankEffect, 0));
  if (most === undefined || clicks < competitorShareMin * Math.abs(total.rankEffect) || clicks === 0) return null;
  const [verb, change] = direction < 0 ? ['took the most from us', 'declined'] : ['gave way most', 'improved'];
  const rows = most.keywords === 1 ? '1 row' : `${most.keywords} rows`;
  const text = `${most.name} ${verb}: ${amount(clicks)} ${ofUnit(clicks, clicksUnit)} in ${rows}`;
  return { text, link: most.name, evidence: keywordsPage(source, { change }) };
}

/** The largest loss or win, with its first cause. */
function rowSentence({ from, to, changes }: SummarySource, sign: number): SummarySentence | null {
  const found = changes.find(
    ({ clicksChange, causes: { places } }) => Math.sign(clicksChange || (places ?? 0)) === sign,
  );
  if (found === undefined) return null;
  const { clicksChange, causes } = found;
  const { id, keyword, rank, previousRank } = causes;
  const link = `${keyword} (${marketName(causes)})`;
  const moved =
    previousRank === null
      ? `entered at ${rank}`
      : rank === null
        ? `is no longer found, was at ${previousRank}`
        : `${sign > 0 ? 'rose' : 'fell'} from ${previousRank} to ${rank}`;
  const clicks = round(clicksChange, 0);
  const change = clicks === 0 ? '' : `, ${signed(clicks)} ${ofUnit(clicks, clicksUnit)}`;
  const first = firstReason(causes);
  const parameters = { id, ...(from !== null && { from }), ...(to !== null && { to }) };
  return {
    text: `${link} ${moved}${change}${first === null ? '' : `: ${first.sentence}`}`,
    link,
    evidence: `keyword?${new URLSearchParams(parameters)}`,
  };
}

function round(value: number | null, digits: number): number {
  return rounded(value ?? 0, digits) || 0; // no -0
}

function signed(value: number): string {
  const text = amount(value, 1);
  return value > 0 ? `+${text}` : text.replace('-', '−');
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
