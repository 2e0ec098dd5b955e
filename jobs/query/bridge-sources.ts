// Measures whether a source agrees with another one, so that a change of vendor keeps history comparable.
import { ServiceError } from '../../src/service/index.ts';
import { comparableSource } from '../../src/tracker/changes/change.ts';
import { expandSearches, marketName, type Project, type Search } from '../../src/tracker/project.ts';
import { looksMin, SourceJudge, type Standing } from '../../src/tracker/trust/agreement.ts';
import { agreementFields, type SourceLook } from '../../src/tracker/trust/looks.ts';
import { toContents } from '../check/evidence.ts';
import { differenceText, seenPage } from '../check/source-choice.ts';
import { type JobContext, memberLabel } from '../context.ts';
import { askSerp } from './ask-service.ts';

interface BridgeRequest {
  /** Services of the config. */
  readonly from: string;
  readonly to: string;
  /** Their searches are asked for. */
  readonly projects: readonly Project[];
  readonly searchesMax: number;
}

export interface BridgeReport {
  /** Labels. */
  readonly from: string;
  readonly to: string;
  /** Searches that both were asked for, and those that failed at one of them. */
  readonly searches: number;
  readonly failed: number;
  /** Why searches failed; null: none did. */
  readonly failure: string | null;
  readonly agreement: Standing['agreement'];
  /** What two looks at `from` agree in. */
  readonly usual: Standing['agreement'];
  /** Ranks of `to` compare with those of `from`, in runs from now on. */
  readonly isComparable: boolean;
  /** Why they do not; null: they do, or too few searches were answered. */
  readonly difference: string | null;
}

const bar = 0.99;
const again = 'again';

/** Pages that a bridge buys: page 1 of each search twice from one source, and once from the other. */
export const pagesPerSearch = 3;

/** In random order, each search once. */
export function bridgeSearches(
  { random }: Pick<JobContext, 'random'>,
  { projects, searchesMax }: BridgeRequest,
): Search[] {
  const byName = new Map<string, Search>();
  for (const project of projects)
    for (const tracked of project.keywords)
      for (const search of expandSearches(project, tracked))
        byName.set(`${search.keyword}\0${marketName(search.market)}`, search);
  const all = [...byName.values()];
  return Array.from({ length: Math.min(searchesMax, all.length) }, () => {
    const [chosen] = all.splice(Math.floor(random() * all.length), 1);
    if (chosen === undefined) throw new Error('there are as many searches as are taken');
    return chosen;
  });
}

/**
 * Buys page 1 of some searches from both sources, within the budget, and keeps whether they agree. Throws ServiceError
 * where our budget is short, or a service refuses access.
 */
export async function bridgeSources(
  context: JobContext,
  request: BridgeRequest,
  signal: AbortSignal,
  onDone: (done: number, total: number) => void,
): Promise<BridgeReport> {
  const { store, clock } = context;
  const { from, to } = request;
  const judge = new SourceJudge([from, again, to], bar);
  const searches = bridgeSearches(context, request);
  let [answered, failed] = [0, 0];
  let failure: string | null = null;
  for (const [index, search] of searches.entries()) {
    const ask = (source: string, service: string) => lookAt(context, source, service, search, signal);
    try {
      const [one, other] = await Promise.all([ask(from, from), ask(to, to)]);
      const looks = [one, other, await ask(again, from)];
      const { keyword, market } = search;
      judge.add({ group: marketName(market), keyword, at: clock.now(), looks });
      answered += 1;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.disposition === 'halt' || signal.aborted) throw error;
      failed += 1;
      failure = `${error.code}: ${error.message}`;
    }
    onDone(index + 1, searches.length);
  }
  const standing = judge.standing(to);
  const usual = judge.standing(again).agreement;
  const isComparable = standing.belief === 'believed' || (standing.belief === 'doubted' && isNear(standing, usual));
  const labels = { from: historyLabel(context, request), to: memberLabel(context, to) };
  store.transaction(() => {
    if (isComparable)
      store.bridges.keep({ source: labels.to, comparesWith: labels.from, searches: answered, measuredAt: clock.now() });
    else store.bridges.remove(labels.to);
  });
  return {
    ...labels,
    searches: answered,
    failed,
    failure,
    agreement: standing.agreement,
    usual,
    isComparable,
    difference: isComparable || standing.because === null ? null : differenceText(standing.because),
  };
}

/** A look that differs may be one of those in which two looks at one source differ. */
function isNear({ agreement, looks }: Standing, usual: Standing['agreement']): boolean {
  if (agreement === null || usual === null || looks < looksMin) return false;
  return agreementFields.every((field) => agreement[field] >= bar * usual[field]);
}

async function lookAt(
  context: JobContext,
  source: string,
  service: string,
  { keyword, market }: Search,
  signal: AbortSignal,
): Promise<SourceLook> {
  const { country, language, location, device } = market;
  const asked = { keyword, country, language, location, mobile: device === 'mobile', start_page: 1, end_page: 1 };
  const { pages } = await askSerp(context, service, asked, signal);
  return { source, pages: new Map(pages.map((page) => [page.page, seenPage(toContents(page))])) };
}

/**
 * The label that history has of a source: where the source of a service was changed, the one of its service before that
 * sells the same.
 */
function historyLabel(context: JobContext, { from, to }: BridgeRequest): string {
  const label = memberLabel(context, from);
  const { bridges } = context.store;
  const before = bridges.newestLabel(to);
  const sourceOf = (text: string) => text.slice(text.indexOf('/') + 1);
  const first = before === null ? null : comparableSource(before);
  const isSame = first !== null && sourceOf(first) === sourceOf(label) && first !== memberLabel(context, to);
  return bridges.firstOf(isSame ? first : label);
}
