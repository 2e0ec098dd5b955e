// What each tag means to the structure of a page, as in browsers.

const names = (text: string): readonly string[] => text.split(' ');

export const voidTags: ReadonlySet<string> = new Set(
  names('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'),
);
/** Left out with their contents, which are not markup or are invisible. */
export const skippedTags: ReadonlySet<string> = new Set(
  names('script style svg frameset noframes noscript iframe template'),
);
/** They end an open `svg`: what follows is part of the page. */
export const pictureEnds: ReadonlySet<string> = new Set(
  names(
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
  ),
);
/** Elements that HTML lets a page leave open: tools that save pages do. */
export const leftOpen: ReadonlySet<string> = new Set(
  names('html head body p li dt dd tr td th thead tbody tfoot colgroup option optgroup'),
);

/** What an opening tag does to the open elements around it. */
export interface Rule {
  /** It closes open elements of these names, with all that is in them. */
  readonly closes: readonly string[];
  /** Whether an element may stand between the tag and the one that it closes. */
  isPassed(tag: string): boolean;
  /** Outside of a table, the tag is ignored. */
  readonly isOfTable?: boolean;
}

const never = (): boolean => false;
/** Other elements around an item are its border: `<li><section><li>` nests. */
const itemParts = new Set(names('a address b cite code div em font i small span strong u'));
const isItemPart = (tag: string): boolean => itemParts.has(tag);
const isTablePart = (tag: string): boolean => tag !== 'table';
const sections = names('tbody thead tfoot caption colgroup');
const ruleOf = (tags: string, closes: string, isPassed: Rule['isPassed'] = never, isOfTable = false) =>
  names(tags).map((tag): [string, Rule] => [tag, { closes: names(closes), isPassed, isOfTable }]);

export const rules: ReadonlyMap<string, Rule> = new Map([
  // what no paragraph holds
  ...ruleOf(
    'address article aside blockquote center details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre search section summary table ul',
    'p',
  ),
  ...ruleOf('a', 'a'),
  ...ruleOf('option', 'option'),
  ...ruleOf('li', 'li p', isItemPart),
  ...ruleOf('dt dd', 'dt dd p', isItemPart),
  ...ruleOf('td th', 'td th', isTablePart, true),
  ...ruleOf('tr', 'tr caption colgroup', isTablePart, true),
  ...ruleOf('col', '', never, true),
  ...ruleOf(sections.join(' '), `tr ${sections.join(' ')}`, isTablePart, true),
]);
