// What each tag means to the structure of a page, as in browsers.

/** What an opening tag does to the open elements around it. */
export interface Rule {
  /** It closes open elements of these names, with all that is in them. */
  readonly closes: readonly string[];
  /** Whether an element may stand between the tag and the one that it closes. */
  isPassed(tag: string): boolean;
  /** Outside of a table, the tag is ignored. */
  readonly isOfTable?: boolean;
}

interface Tag {
  /** Lower case. */
  readonly name: string;
  readonly isVoid: boolean;
  /** Skipped with its contents, which are not markup or are invisible. */
  readonly isSkipped: boolean;
  readonly isScript: boolean;
  /** It ends an open `svg`: what follows is part of the page. */
  readonly endsPicture: boolean;
  readonly rule: Rule | undefined;
}

/** A tag of one page. */
export interface OpenTag extends Tag {
  /** How many elements of this name are open: an end tag without one is ignored without a search. */
  open: number;
}

const names = (text: string): readonly string[] => text.split(' ');

const voidTags = new Set(
  names('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'),
);
const skippedTags = new Set(names('script style svg noframes noscript iframe template'));
const htmlTags = new Set(
  names(
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
  ),
);

const never = (): boolean => false;
/** Other elements around an item are its border: `<li><section><li>` nests. */
const itemParts = new Set(names('a address b cite code div em font i small span strong u'));
const isItemPart = (tag: string): boolean => itemParts.has(tag);
const isTablePart = (tag: string): boolean => tag !== 'table';
const sections = names('tbody thead tfoot caption colgroup');
/** What no paragraph holds. */
const blocks = names(
  'address article aside blockquote center details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre search section summary table ul',
);
const rules = new Map<string, Rule>([
  ...blocks.map((tag): [string, Rule] => [tag, { closes: ['p'], isPassed: never }]),
  ['a', { closes: ['a'], isPassed: never }],
  ['option', { closes: ['option'], isPassed: never }],
  ['li', { closes: ['li', 'p'], isPassed: isItemPart }],
  ['dt', { closes: ['dt', 'dd', 'p'], isPassed: isItemPart }],
  ['dd', { closes: ['dt', 'dd', 'p'], isPassed: isItemPart }],
  ['td', { closes: ['td', 'th'], isPassed: isTablePart, isOfTable: true }],
  ['th', { closes: ['td', 'th'], isPassed: isTablePart, isOfTable: true }],
  ['tr', { closes: ['tr', 'caption', 'colgroup'], isPassed: isTablePart, isOfTable: true }],
  ['col', { closes: [], isPassed: never, isOfTable: true }],
  ...sections.map((tag): [string, Rule] => [
    tag,
    { closes: ['tr', ...sections], isPassed: isTablePart, isOfTable: true },
  ]),
]);

/**
 * Names as shared strings: comparing such a string with the same literal compares addresses, while strings cut out of
 * pages have their own addresses. Keys of one object are shared by all code.
 */
export function sharedNames(text: string): readonly string[] {
  return Object.keys(Object.fromEntries(names(text).map((name) => [name, true])));
}

const frequentTags: ReadonlyMap<string, Tag> = new Map(
  sharedNames(
    'a b body br button cite div em form g-img h1 h2 h3 head hr img input label li link meta ol option p script span strong style svg table td tr ul',
  ).map((name) => [name, describe(name)]),
);

function describe(name: string): Tag {
  return {
    name,
    isVoid: voidTags.has(name),
    isSkipped: skippedTags.has(name),
    isScript: name === 'script' || name === 'style',
    endsPicture: htmlTags.has(name),
    rule: rules.get(name),
  };
}

/** The tags of one page by name, as written. */
export class TagTable {
  readonly #tags = new Map<string, OpenTag>();

  tagOf(written: string): OpenTag {
    return this.#tags.get(written) ?? this.#add(written);
  }

  #add(written: string): OpenTag {
    const name = written.toLowerCase();
    const tag = this.#tags.get(name) ?? { ...(frequentTags.get(name) ?? describe(name)), open: 0 };
    this.#tags.set(name, tag);
    this.#tags.set(written, tag);
    return tag;
  }
}
