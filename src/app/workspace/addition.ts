// What keywords that an editor adds would write and cost: made in the side thread for long lists.
import { relative } from 'node:path';
import { type LineEdit, linesOf, unifiedDiff } from '../../../config/keyword-files/keyword-lines.ts';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { Project } from '../../tracker/project.ts';
import { type AddOptions, planKeywordAddition } from '../import/add-keywords.ts';
import { UsageError } from '../opening/failures.ts';
import { plannedCost } from '../opening/list-prices.ts';
import { type ProjectCost, projectCosts } from '../planning.ts';

/** A change of a file as it is shown. */
export interface ShownDiff {
  readonly diff: string;
  readonly isDiffCut: boolean;
}

export interface Addition extends ShownDiff {
  readonly file: string;
  /** The file as it is; null: it is not there. */
  readonly text: string | null;
  readonly content: string;
  /** For people and programs. */
  readonly facts: object;
}

export type PlanAddition = (config: ResolvedConfig, options: AddOptions) => Promise<Addition>;

/** Keywords in the lists of one request. */
const listedMax = 20_000;
const diffLinesMax = 2_000;
const addedMax = 500;

/** Throws as `planKeywordAddition` does, and UsageError for lists that are too long. */
export async function planAddition(config: ResolvedConfig, options: AddOptions, now: number): Promise<Addition> {
  const { addition, text, content, before, after } = await planKeywordAddition(config, options);
  const { keywordsFile: file, added, files, project: _, ...facts } = addition;
  if (facts.found > listedMax) throw tooLong(facts.found);
  return {
    file,
    text,
    content,
    ...shownDiff(relative(config.directory, file), appendedLines(text, content)),
    facts: {
      ...facts,
      lists: files.map(({ file: name, ...list }) => ({ name, ...list })),
      added: added.slice(0, addedMax),
      addedTotal: added.length,
      cost: await costChange(config, before, after, now),
    },
  };
}

/** Throws UsageError for texts of too many lines, before they are read. A workbook counts once it is read. */
export function rejectLong(lists: readonly { readonly bytes: Uint8Array }[]): void {
  let lines = 0;
  for (const { bytes } of lists) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (text.subarray(0, 2).toString('latin1') === 'PK') continue;
    lines += Math.max(countOf(text, 0x0a), countOf(text, 0x0d));
  }
  if (lines > listedMax) throw tooLong(lines);
}

function countOf(text: Buffer, end: number): number {
  let count = 0;
  for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, at + 1)) count += 1;
  return count;
}

function tooLong(count: number): UsageError {
  return new UsageError(
    `lists: ${count} lines or keywords, and at most ${listedMax} are read at once`,
    'Send them in parts, or use `rankledger keywords add`, which has no limit.',
  );
}

export function shownDiff(name: string, edits: readonly LineEdit[]): ShownDiff {
  const diff = unifiedDiff(name, edits).split(/(?<=\n)/);
  return { diff: diff.slice(0, diffLinesMax).join(''), isDiffCut: diff.length > diffLinesMax };
}

/** Of a text that only grows, or is written anew. */
export function appendedLines(before: string | null, after: string): LineEdit[] {
  const [olds, news] = [linesOf(before ?? ''), linesOf(after)];
  return Array.from({ length: Math.max(olds.length, news.length) }, (_, at) => ({
    before: olds[at] ?? null,
    after: news[at] ?? null,
  }));
}

/** Of a month at worst. */
export async function costChange(config: ResolvedConfig, before: Project, after: Project, now: number) {
  const projects = [before, after];
  const [was = null, then = null] = await projectCosts({ ...config, projects }, now);
  const inDollars = async (cost: ProjectCost | null) =>
    cost && (await plannedCost(config, before.service, cost.creditsPerMonth, cost.searches * cost.slotsPerMonth));
  const pagesMicroUsdPerMonth = { before: await inDollars(was), after: await inDollars(then) };
  return { before: was, after: then, pagesMicroUsdPerMonth };
}
