// Reads which elements the style sheets of a page conceal: rules of plain selectors, in the order of the cascade.
import type { Element } from '../element.ts';
import { declarationsOf, plainStyle } from './declarations.ts';
import { hidesAlone, mayHide } from './hiding.ts';
import { isNameSign, keyOf, parseSelector, type Selector, selects, splitSelectors } from './selector.ts';
import { conditionAt, findRanges, type Range } from './style-ranges.ts';

/** Most comparisons of an element with a rule; recorded pages need fewer than 5,000. */
const comparisonsMax = 1_000_000;
/** Most characters of style sheets that are searched for rules of elements; recorded pages need 10 million. */
const searchedMax = 200_000_000;

/** The rules of a page take too long: no results page has so many. */
export class StyleLimitError extends Error {
  override readonly name = 'StyleLimitError';
}

interface Rule {
  readonly sheet: Sheet;
  /** Where its declarations begin. */
  readonly open: number;
  readonly text: string;
  /** Parsed on the first comparison; null if the text selects nothing that is read. */
  selector: Selector | null | undefined;
  readonly declarations: string;
  /** Whether it conceals on its own; found when it is first asked for. */
  isHiding: boolean | undefined;
}

interface Sheet {
  readonly text: string;
  /** Its place among the sheets of the page. */
  readonly nth: number;
  /** Conditions and comments, found when they are first asked for. */
  ranges: readonly Range[] | undefined;
}

/**
 * The style sheets of a page. Reading them in full would take as long as reading the page, so only the rules that
 * conceal are searched for; and if one selects an element, the other rules that name the element.
 */
export class StyleSheets {
  readonly #sheets: readonly Sheet[];
  #hiding: ReadonlyMap<string, readonly Rule[]> | undefined;
  /** The rules that may conceal by the class names of elements: results share theirs. */
  readonly #byClasses = new Map<string, readonly Rule[]>();
  readonly #named = new Map<string, readonly Rule[]>();
  #comparisons = 0;
  #searched = 0;

  constructor(texts: readonly string[]) {
    this.#sheets = texts.map((text, nth) => ({ text, nth, ranges: undefined }));
  }

  /**
   * The declarations that decide whether an element is seen: those of its rules and its own `style`, or only its own
   * ones if no rule conceals it.
   */
  styleOf(element: Element): string {
    const own = plainStyle(element.raw('style') ?? '');
    if (this.#sheets.length === 0) return own;
    this.#hiding ??= indexRules(this.#sheets.flatMap(findHidingRules));
    const hiding = this.#select(this.#rulesHiding(this.#hiding, element), element);
    if (!hiding.some((rule) => hides(rule) && isCertain(rule))) return own;
    // Names may be written with escapes, which the search does not find.
    const named = this.#select(new Set(keysOf(element).flatMap((key) => this.#rulesNaming(key))), element);
    return cascade([...hiding, ...named], own);
  }

  #rulesHiding(index: ReadonlyMap<string, readonly Rule[]>, { tag, attributes }: Element): readonly Rule[] {
    let rules = index.get('*') ?? noRules;
    const add = (others: readonly Rule[] | undefined): void => {
      if (others !== undefined && others.length > 0) rules = rules.length === 0 ? others : [...rules, ...others];
    };
    add(index.get(tag));
    for (let i = 0; i < attributes.length; i += 2) {
      const [name = '', value = ''] = [attributes[i], attributes[i + 1]];
      add(index.get(name));
      if (name === 'id') add(index.get(value));
      else if (name === 'class') add(this.#rulesHidingClasses(index, value));
    }
    return rules;
  }

  #rulesHidingClasses(index: ReadonlyMap<string, readonly Rule[]>, classes: string): readonly Rule[] {
    let rules = this.#byClasses.get(classes);
    if (rules === undefined) {
      rules = classes.split(/\s+/).flatMap((name) => index.get(name) ?? []);
      this.#byClasses.set(classes, rules);
    }
    return rules;
  }

  #select(rules: Iterable<Rule>, element: Element): Rule[] {
    const selected: Rule[] = [];
    for (const rule of rules) {
      if (++this.#comparisons > comparisonsMax) throw new StyleLimitError('markup has too many rules of style');
      if (rule.selector === undefined) rule.selector = parseSelector(rule.text) ?? null;
      if (rule.selector !== null && selects(rule.selector, element)) selected.push(rule);
    }
    return selected;
  }

  /** The rules whose selectors contain a key at their end. */
  #rulesNaming(key: string): readonly Rule[] {
    const known = this.#named.get(key);
    if (known !== undefined) return known;
    const rules: Rule[] = [];
    for (const sheet of this.#sheets) {
      this.#searched += sheet.text.length;
      if (this.#searched > searchedMax) throw new StyleLimitError('markup has too many rules of style');
      rules.push(...findRulesNaming(sheet, key));
    }
    this.#named.set(key, rules);
    return rules;
  }
}

/** The keys of the rules that may select an element. */
function keysOf({ tag, attributes }: Element): string[] {
  const keys = ['*', tag];
  for (let i = 0; i < attributes.length; i += 2) {
    const [name = '', value = ''] = [attributes[i], attributes[i + 1]];
    keys.push(`[${name}`);
    if (name === 'id') keys.push(`#${value}`);
    else if (name === 'class' && value !== '') keys.push(...value.split(/\s+/).map((each) => `.${each}`));
  }
  return keys;
}

/** By the names in their keys. */
function indexRules(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const index = new Map<string, Rule[]>();
  for (const rule of rules) {
    const key = keyOf(rule.text).replace(/^[.#[]/, '');
    const others = index.get(key);
    if (others === undefined) index.set(key, [rule]);
    else others.push(rule);
  }
  return index;
}

/**
 * Where a rule may conceal: values and functions that hiding.ts knows, `overflow` and `contain` among them. They begin
 * with one character where that is possible: such texts are found in half of the time.
 */
const hidingTexts: readonly RegExp[] = [
  /(?:[yw]|w-x)\s*:\s*(?:none|hidden|collapse|clip|auto|scroll|-|\.0|0|[1-4](?:\.\d{1,9})?%)|\\/gi,
  /:(?:\s*(?:-\d{3}|9\d{3}|\d{5}|\d{3}vw|calc\((?:0(?:px)? ?)?-)|(?<=(?:font|font-size|scale)\s{0,3}:)\s*[0.]|(?<=contain\s{0,3}:))/gi,
  /\((?<=(?:translate(?:x|y|3d)?|scale(?:x|y|3d)?|matrix|rotate[xy]|inset|circle|ellipse|polygon|rect|opacity)\()\s*-?[\d.]/gi,
];

/** `overflow` conceals only with such a size. */
const noSize = /[teh]\s*:\s*(?:[01.]|[2-9]\d\d%)/i;

/** The rules that may conceal on their own, found by their declarations. */
function findHidingRules(sheet: Sheet): Rule[] {
  const opens = new Set(hidingTexts.flatMap((hidingText) => findHidingBlocks(sheet.text, hidingText)));
  return [...opens].flatMap((open) => rulesAt(sheet, open));
}

/** Where the declarations with such a text begin. */
function findHidingBlocks(text: string, hidingText: RegExp): number[] {
  const opens: number[] = [];
  hidingText.lastIndex = 0;
  for (let found = hidingText.exec(text); found !== null; found = hidingText.exec(text)) {
    const open = text.lastIndexOf('{', found.index);
    const close = endOf(text, found.index);
    const [sign = ''] = found[0];
    const isInSelectors = sign === '\\' && text.slice(found.index, close).includes('{');
    if (isInSelectors) continue;
    const isOverflow = sign === 'w' || sign === 'W';
    if (isOverflow && !noSize.test(text.slice(open + 1, close))) continue;
    hidingText.lastIndex = close;
    if (open > 0) opens.push(open);
  }
  return opens;
}

/** The rules with a name in their selectors, in document order. */
function findRulesNaming(sheet: Sheet, key: string): Rule[] {
  const { text } = sheet;
  const rules: Rule[] = [];
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at)) {
    at += key.length;
    // A longer name that begins alike.
    if (isNameSign(text.charCodeAt(at))) continue;
    const open = text.indexOf('{', at);
    if (open < 0) break;
    const isSelector = startOfSelectors(text, open) < at;
    if (!isSelector) continue;
    rules.push(...rulesAt(sheet, open).filter((rule) => keyOf(rule.text) === key));
    at = open;
  }
  return rules;
}

/** One rule per selector of the block that begins there. */
function rulesAt(sheet: Sheet, open: number): Rule[] {
  const { text } = sheet;
  const before = plainStyle(text.slice(startOfSelectors(text, open), open));
  // The end of a comment that contains a brace.
  const comment = before.lastIndexOf('*/');
  const selectors = comment < 0 ? before : before.slice(comment + 2);
  if (selectors.includes('@')) return [];
  const declarations = text.slice(open + 1, endOf(text, open));
  return splitSelectors(selectors).map((each) => ({
    sheet,
    open,
    text: each,
    selector: undefined,
    declarations,
    isHiding: undefined,
  }));
}

function endOf(text: string, from: number): number {
  const end = text.indexOf('}', from);
  return end < 0 ? text.length : end;
}

function startOfSelectors(text: string, open: number): number {
  for (let at = open - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === 0x3b || code === 0x7b || code === 0x7d) return at + 1;
  }
  return 0;
}

function hides(rule: Rule): boolean {
  rule.isHiding ??= hidesAlone(rule.declarations);
  return rule.isHiding;
}

/** Whether a rule applies on every screen. */
function isCertain({ sheet, open, selector }: Rule): boolean {
  sheet.ranges ??= findRanges(sheet.text);
  return selector?.isCertain === true && conditionAt(sheet.ranges, open) === 'always';
}

const noRules: readonly Rule[] = [];
const ownWeight = 1e9;
const importantWeight = 1e10;

/** The value of each property. A rule that may apply, and would show the element, decides for it. */
function cascade(rules: readonly Rule[], own: string): string {
  const values = new Map<string, { value: string; weight: number }>();
  const shown = new Set<string>();
  const declare = (declarations: string, specificity: number): void => {
    for (const { name, value, isImportant } of declarationsOf(declarations)) {
      const weight = specificity + (isImportant ? importantWeight : 0);
      if (weight >= (values.get(name)?.weight ?? 0)) values.set(name, { value, weight });
    }
  };
  const inOrder = [...rules].sort((one, other) => one.sheet.nth - other.sheet.nth || one.open - other.open);
  for (const rule of inOrder) {
    const { sheet, open, declarations, selector } = rule;
    if (isCertain(rule)) declare(declarations, selector?.specificity ?? 0);
    else if (conditionAt(sheet.ranges ?? [], open) !== 'never')
      for (const { name, value } of declarationsOf(declarations)) if (!mayHide(`${name}:${value}`)) shown.add(name);
  }
  declare(own, ownWeight);
  return [...values].flatMap(([name, { value }]) => (shown.has(name) ? [] : [`${name}:${value}`])).join(';');
}
