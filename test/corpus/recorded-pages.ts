// The recorded pages with their engines, their parsed results, and the positions of the result headings.
import { existsSync, readFileSync } from 'node:fs';
import { DomUtils, parseDocument } from 'htmlparser2';
import type { Engine, PageContext } from '../../src/service/engines/engine.ts';
import { loadEngine } from '../../src/service/engines/registry.ts';
import { ServiceError } from '../../src/service/model/errors.ts';
import { decodeText as decoded } from '../../src/service/model/results/charset.ts';

export const corpus = new URL('../../../shared/corpus/', import.meta.url);
export const isCorpusHere = existsSync(corpus);
if (!isCorpusHere) console.warn('SKIPPED: the recorded pages (../shared/corpus) are not here.');

export interface Row {
  readonly file: string;
  readonly engine: string;
  readonly device: string;
  /** BCP 47; empty if unknown. */
  readonly language: string;
  /** Organic results, counted by a rule. */
  readonly organics: number;
  readonly truth: string | null;
  readonly peer_output: string | null;
}

/** A part of the markup, by its offsets; `end` is behind its last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A result: its heading, and its row, which is the largest element around it without another heading. */
export interface RowSpan {
  readonly heading: Span;
  readonly row: Span;
}

export interface RecordedPage {
  readonly file: string;
  readonly engine: Engine;
  readonly mobile: boolean;
  readonly html: string;
  /** The query, from the file name. */
  readonly keyword: string;
  /** Links of the results; none if the engine states that it found nothing. */
  readonly links: readonly string[];
}

const engineNames: Readonly<Record<string, string>> = { google: 'google', bing: 'bing', ddg: 'duckduckgo' };

export function recordedRows(): readonly Row[] {
  return JSON.parse(readFileSync(new URL('index.json', corpus), 'utf8')) as Row[];
}

/** The page, if it has results or states that there are none. */
export async function recordedPage({ file, engine: name, device }: Row): Promise<RecordedPage | undefined> {
  const engine = await loadEngine(engineNames[name] ?? '');
  const html = decoded(readFileSync(new URL(file, corpus)));
  const mobile = device === 'mobile';
  const links = linksOf(engine, html, { mobile });
  const keyword = /_([^_]+)_[0-9a-f]{6}\.html$/.exec(file)?.[1]?.replaceAll('-', ' ') ?? '';
  return typeof links === 'string' ? undefined : { file, engine, mobile, html, keyword, links };
}

/** The links of the results, or the reason why there are none. */
export function linksOf(engine: Engine, html: string, context: PageContext): readonly string[] | string {
  try {
    return (engine.parse(html, context).serp.organic ?? []).map(({ link }) => link);
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== undefined) return error.reason;
    throw error;
  }
}

interface Node {
  readonly name?: string;
  readonly attribs?: Readonly<Record<string, string>>;
  readonly startIndex: number | null;
  readonly endIndex: number | null;
  readonly parent: Node | null;
  readonly children?: readonly Node[];
}

/** The markup of a page by its elements. */
export class Markup {
  readonly html: string;
  readonly #root: Node;

  constructor(html: string) {
    this.html = html;
    this.#root = parseDocument(html, { withStartIndices: true, withEndIndices: true }) as unknown as Node;
  }

  /** The heading of each result: the first element in or around its link that is a heading and contains its title. */
  headingsOf(titles: readonly string[]): readonly Span[] {
    return this.#titled(titles, this.#headings()).map(spanOf);
  }

  #headings(): readonly Node[] {
    const headings: Node[] = [];
    const walk = (node: Node): void => {
      const isHeading = /^h[1-4]$/.test(node.name ?? '') || node.attribs?.['role'] === 'heading';
      if (isHeading) headings.push(node);
      for (const child of node.children ?? []) walk(child);
    };
    walk(this.#root);
    return headings;
  }

  #titled(titles: readonly string[], headings: readonly Node[]): readonly Node[] {
    const texts = headings.map((node) => plain(DomUtils.textContent(node as never)));
    let from = 0;
    return titles.flatMap((title) => {
      const at = texts.indexOf(plain(title), from);
      const node = headings[at];
      if (node === undefined) return [];
      from = at + 1;
      return [node];
    });
  }

  rowsOf(titles: readonly string[]): readonly RowSpan[] {
    const headings = this.#headings();
    const count = (within: Node): number =>
      (headings.includes(within) ? 1 : 0) + (within.children ?? []).reduce((sum, child) => sum + count(child), 0);
    return this.#titled(titles, headings).map((heading) => {
      let row = heading;
      while (row.parent !== null && !isList(row.parent) && count(row.parent) === 1) row = row.parent;
      return { heading: spanOf(heading), row: spanOf(row) };
    });
  }

  /** The element around a row; undefined for a list of results. */
  around({ start, end }: Span): Span | undefined {
    const node = this.#holding(start, end).at(-2);
    return node?.name === undefined || isList(node) ? undefined : spanOf(node);
  }

  /** The list around a row. */
  listAround({ start, end }: Span): Span | undefined {
    const list = this.#holding(start, end).findLast((node) => node.name !== 'body' && isList(node));
    return list?.name === undefined ? undefined : spanOf(list);
  }

  /** The elements that hold an element, which is the last of them. */
  #holding(start: number, end: number): readonly Node[] {
    const holding: Node[] = [];
    for (let node: Node | undefined = this.#root; node !== undefined; ) {
      holding.push(node);
      if (node.startIndex === start && spanOf(node).end === end) break;
      node = node.children?.find((child) => (child.startIndex ?? 0) <= start && spanOf(child).end >= end);
    }
    return holding;
  }

  /** The page up to an offset, or a little before it, with the tags closed that are open there. */
  cutAt(offset: number): string {
    const open: string[] = [];
    let at = offset;
    for (let node: Node | undefined = this.#root; node !== undefined; ) {
      const next: Node | undefined = node.children?.find(
        (child) => (child.startIndex ?? 0) < offset && offset <= (child.endIndex ?? -1),
      );
      if (next === undefined) break;
      at = next.startIndex ?? at;
      const firstChild = next.children?.[0]?.startIndex ?? offset;
      // In a start tag, a text or a script: the cut is before it.
      if (next.name === undefined || next.name === 'script' || next.name === 'style' || firstChild >= offset) break;
      open.unshift(next.name);
      at = offset;
      node = next;
    }
    return this.html.slice(0, at) + open.map((name) => `</${name}>`).join('');
  }
}

function isList({ name, attribs }: Node): boolean {
  return name === undefined || name === 'body' || /^(?:rso|b_results|links)$/.test(attribs?.['id'] ?? '');
}

function spanOf(node: Node): Span {
  return { start: node.startIndex ?? 0, end: (node.endIndex ?? -1) + 1 };
}

function plain(text: string): string {
  return text
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Paths of nulls, empty strings, arrays and objects below the root: a field without a value is absent. */
export function emptyPaths(value: unknown, path: string): string[] {
  if (value === null || value === '' || value === undefined) return [path];
  if (typeof value !== 'object') return [];
  const entries = Object.entries(value);
  if (entries.length === 0 && path !== 'serp') return [path];
  return entries.flatMap(([key, inner]) => emptyPaths(inner, `${path}.${key}`));
}
