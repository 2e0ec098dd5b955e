// Rewrites a page as a fixture: each text, name, address and token is replaced by one of the same shape.

import { type PageFailureReason, ServiceError } from '../model/errors.ts';
import type { ReadPage } from '../model/results/serp.ts';
import { Aliases } from './aliases.ts';
import type { Engine, PageContext } from './engine.ts';
import { citationComments, citationNumbers, decoded } from './google/features/overview.ts';
import { scriptMoment } from './google/guards.ts';
import { readDestinations, renderScript } from './google/urls.ts';
import { isTruncated, readTree } from './page/failure.ts';
import type { Element, Tree } from './page/tree.ts';
import { sightStyle } from './page/visibility.ts';
import { vocabulary } from './vocabulary.ts';

interface AnonymousPage {
  readonly html: string;
  /** The placeholder of any text of the page, such as its query. */
  text(original: string): string;
}

/** Throws SERP_FAILED `unparseable` for a page whose markup is too large or too deep, or has no elements. */
export function anonymisePage(html: string): AnonymousPage {
  return readTree(html, (tree) => {
    const aliases = new Aliases(html);
    const page = new Writer(html, tree, aliases).write();
    return { html: page, text: (original) => aliases.text(original) };
  });
}

const voidTags = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** Attributes with names, and attributes with texts. */
const nameAttributes = new Set(['class', 'id', 'jsname', 'aria-controls', 'data-ti']);
const textAttributes = new Set(['alt', 'title', 'aria-label', 'value', 'placeholder', 'data-q']);
/** Names of attributes that no reader reads: half of a page's attributes. */
const unread = /^(?:on|js(?!name$)|data-ved$|ping$)/;
/**
 * Names that seem common to many pages: six letters of a compressed style sheet, or words in lower case. Longer ones
 * with digits and capitals belong to one page.
 */
const commonName = /^(?:[\w-]{1,7}|[a-z]+\d{0,2}(?:[_-]+(?:[a-z]+\d{0,2}|\d{1,2}))*[_-]*)$/;
/** From this length, words distinguish texts from names. */
const wordPattern = /\p{L}{4,}/gu;

class Writer {
  readonly #html: string;
  readonly #tree: Tree;
  readonly #aliases: Aliases;
  /** Words of the page's texts that are not the engine's: a name that contains one is replaced. */
  readonly #words = new Set<string>();
  /** The placeholders of the page's texts, in document order. */
  #texts: string[] = [];
  readonly #out: string[] = [];

  constructor(html: string, tree: Tree, aliases: Aliases) {
    this.#html = html;
    this.#tree = tree;
    this.#aliases = aliases;
  }

  write(): string {
    for (const { children, attributes } of this.#tree.elements) {
      for (const child of children) if (typeof child === 'string') this.#learn(child);
      for (const [name, value] of pairs(attributes)) if (textAttributes.has(name)) this.#learn(value);
    }
    this.#texts = collectRuns(this.#tree.root).flatMap((run) => this.#run(run));
    const hasRoot = this.#tree.elements.some(({ tag }) => tag === 'html');
    this.#out.push('<!doctype html>', hasRoot ? '' : anonymiseScripts(this.#html, this.#aliases));
    this.#children(this.#tree.root);
    return this.#out.join('');
  }

  /** The texts of a run, replaced together: emphasis may begin and end within a word. */
  #run(run: readonly string[]): string[] {
    const whole = run.join('');
    const own = this.#aliases.text(whole);
    if (own.length !== whole.length) return run.map((text) => this.#aliases.text(text));
    const ends = run.map((_, nth) => run.slice(0, nth + 1).join('').length);
    return ends.map((end, nth) => own.slice(ends[nth - 1] ?? 0, end));
  }

  #learn(text: string): void {
    for (const word of text.toLowerCase().match(wordPattern) ?? []) if (!vocabulary.has(word)) this.#words.add(word);
  }

  #children({ children }: Element): void {
    for (const child of children) {
      if (typeof child !== 'string') this.#element(child);
      else this.#out.push(escaped(this.#texts.shift() ?? ''));
    }
  }

  #element(element: Element): void {
    const tag = this.#isCommon(element.tag) ? element.tag : 'x-block';
    this.#out.push(`<${tag}`);
    const sight = sightStyle(element);
    if (sight !== '') this.#out.push(` style="${sight}"`);
    for (const [name, value] of pairs(element.attributes)) this.#attribute(name, value);
    this.#out.push('>');
    if (voidTags.has(tag)) return;
    if (tag === 'html') this.#out.push(anonymiseScripts(this.#html, this.#aliases));
    this.#children(element);
    // A truncated page stays truncated: what reaches its end is left open.
    const isLeftOpen = element.last === this.#tree.root.last && isTruncated(this.#tree, this.#html);
    if (!isLeftOpen) this.#out.push(`</${tag}>`);
  }

  #attribute(name: string, written: string): void {
    if (!/^[a-z]/.test(name) || unread.test(name) || !this.#isCommon(name)) return;
    const value = this.#value(name, written);
    if (value !== undefined) this.#out.push(` ${name}="${escaped(value)}"`);
  }

  #value(name: string, value: string): string | undefined {
    // What styles and these attributes conceal is in the element's own style.
    if (name === 'style' || name === 'hidden' || name === 'popover') return undefined;
    // The fixture is UTF-8, whichever charset the page declares.
    if (name === 'charset' || name === 'content' || name === 'srcset') return undefined;
    if (nameAttributes.has(name)) return value.replace(/\S+/g, (each) => this.#name(each));
    return this.#aliases.value(value);
  }

  #name(name: string): string {
    return commonName.test(name) && this.#isCommon(name) ? name : this.#aliases.text(name);
  }

  /** Whether a name is the engine's own, as far as the page shows: it contains no word of a text. */
  #isCommon(name: string): boolean {
    if (!/^[\w:.-]+$/.test(name)) return false;
    const words = name.toLowerCase().match(wordPattern) ?? [];
    return words.every((word) => !this.#words.has(word));
  }
}

function* pairs(attributes: readonly string[]): Generator<readonly [name: string, value: string]> {
  for (let i = 0; i < attributes.length; i += 2) yield [attributes[i] ?? '', attributes[i + 1] ?? ''];
}

const emphasis = new Set(['b', 'em', 'i', 'mark', 'strong', 'wbr']);

/** All texts below an element in document order, decoded; texts separated only by emphasis form one run. */
function collectRuns(root: Element): string[][] {
  const runs: string[][] = [[]];
  const visit = (element: Element): void => {
    for (const child of element.children) {
      if (typeof child === 'string') runs.at(-1)?.push(child);
      else {
        const isPart = emphasis.has(child.tag);
        if (!isPart) runs.push([]);
        visit(child);
        if (!isPart) runs.push([]);
      }
    }
  };
  visit(root);
  return runs;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Engine marks in scripts, and their replacements. */
const marks: readonly (readonly [mark: RegExp, standIn: string])[] = [
  [/\b_G\s?=\s?\{|\bIG:\s?"[0-9A-F]{32}"/, `_G={IG:"${'0'.repeat(32)}"}`],
  [/\/turing\/captcha\//, '"/turing/captcha/"'],
  [/\bvqd\b/, 'vqd'],
  [/\/t\/s[lr]_/, '"/t/sl_"'],
];
/** An event id of Google, made at the beginning of 2020. */
const eventId = 'AOELXgAAAAAAAAAAAAAAAA';

/** Parts of scripts and comments that parsers need: marks, redirects with their destinations, and citations. */
function anonymiseScripts(html: string, aliases: Aliases): string {
  const found = marks.flatMap(([mark, standIn]) => (mark.test(html) ? [standIn] : []));
  if (scriptMoment(html) !== undefined) found.push(`kEI="${eventId}"`);
  found.push(...citationNumbers(html).map((numbers) => aliases.text(numbers)));
  const pairs = [...readDestinations(html)].map(([token, link]): [string, string] => [
    aliases.text(token),
    aliases.url(link),
  ]);
  const comments = citationComments(html).flatMap((comment) => anonymousComment(comment, aliases) ?? []);
  return [
    ...found.map((each) => `<script>${each}</script>`),
    ...(pairs.length > 0 ? [renderScript(new Map(pairs))] : []),
    ...comments.map((each) => `<!--${each}-->`),
  ].join('');
}

/** A comment on citations: a name, and JSON. Its numbers are not used. */
function anonymousComment(comment: string, aliases: Aliases): string | undefined {
  const start = comment.indexOf('[');
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return aliases.value(value);
    if (Array.isArray(value)) return value.map((each) => replace(each));
    return typeof value === 'object' && value !== null ? {} : null;
  };
  try {
    const json = JSON.stringify(replace(JSON.parse(decoded(comment.slice(start)))));
    return (
      aliases.text(comment.slice(0, start)) +
      json.replace(/[<>&]|-(?=-)/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
    );
  } catch {
    return undefined;
  }
}

/** The outcome of parsing: a SERP with features, or the reason for rejecting the page. */
export type PageOutcome = ReadPage | { readonly refused: PageFailureReason };

export function readPageOutcome(engine: Engine, html: string, context: PageContext): PageOutcome {
  try {
    // The marks of a device may be in what a fixture leaves out.
    const { device, ...read } = engine.parse(html, context);
    return read;
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== undefined) return { refused: error.reason };
    throw error;
  }
}

/** Fields whose words are ours, not the page's. */
const ownWords = new Set(['type', 'destination_state', 'refused', 'doubts']);
/** Numbers that a page shows: a fixture has others. */
const pageNumbers = new Set(['duration_sec', 'rating', 'reviews']);

/** The differences in shape between two outcomes, each as a path with both values; empty if there are none. */
export function differences(original: PageOutcome, fixture: PageOutcome): string[] {
  const [ours, theirs] = [listLeaves(original), listLeaves(fixture)];
  const paths = new Set([...ours.keys(), ...theirs.keys()]);
  return [...paths].flatMap((path) => {
    const [before = 'absent', after = 'absent'] = [ours.get(path), theirs.get(path)];
    return before === after ? [] : [`${path}: ${before}; in the fixture ${after}`];
  });
}

/** Every value by its path. A text is numbered by its first position, so that equal texts have equal numbers. */
function listLeaves(root: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  const texts = new Map<string, string>();
  const visit = (value: unknown, path: string, key: string): void => {
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value)) leaves.set(`${path}.length`, String(value.length));
      for (const [name, inner] of Object.entries(value))
        visit(inner, path === '' ? name : `${path}.${name}`, Array.isArray(value) ? key : name);
    } else if (typeof value === 'string' && !ownWords.has(key)) {
      const first = texts.get(readable(value)) ?? path;
      texts.set(readable(value), first);
      leaves.set(path, first === path ? 'a new text' : `the text of ${first}`);
    } else leaves.set(path, pageNumbers.has(key) ? 'a number' : String(value));
  };
  visit(root, '', '');
  return leaves;
}

/** An address without percent-encoding: placeholders have no accents. */
function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
