// Reads what style sheets and `style` attributes declare about the visibility of elements.
import { type CssNode, ident, lexer, parse, type Selector, tokenize, tokenTypes, walk } from 'css-tree';
import { limit } from './tree.ts';

/** The properties that decide whether an element is seen, apart from its geometry. */
export type Property = 'display' | 'visibility' | 'content-visibility';

interface Declaration {
  /** Keywords in lower case. */
  readonly value: string;
  readonly isImportant: boolean;
}

/** Of each property, the declaration that counts: the last valid one, unless an earlier one is important. */
export type Declarations = ReadonlyMap<Property, Declaration>;

interface OneSelector {
  readonly selector: string;
  /** Ids, then classes, then tags: each weighs a thousand times the next. */
  readonly specificity: number;
  /** An id, a class or a tag that the element needs: `#a`, `.a`, `a`; in lower case. `*`: none. */
  readonly key: string;
}

/** A rule with one selector. */
export interface Rule extends OneSelector {
  /** False under a condition that the page alone does not decide: the width of the window, an unknown selector. */
  readonly isSure: boolean;
  readonly isLayered: boolean;
  readonly declarations: Declarations;
}

/** Deepest nesting of blocks and brackets; the recorded maximum is 6. */
const nestingMax = 64;
/** Most characters of all selectors of a style sheet, with those of the rules around. */
const selectorsMax = 8_000_000;
/** Longest value of one of the properties, in tokens. */
const valueMax = 20;

export function readDeclarations(style: string): Declarations {
  return new SheetReader(style).readAttribute();
}

/** The rules of a style sheet that declare one of the properties. */
export function readRules(text: string, media = ''): readonly Rule[] {
  const isSure = matchesMedia(media);
  return isSure === false ? [] : new SheetReader(text).readSheet(isSure === true);
}

/** The selectors of a rule. */
interface Selectors {
  readonly list: readonly OneSelector[];
  /** Whether the list has a selector that is not known here: for some browsers, the rule is none. */
  readonly isKnown: boolean;
}

interface Scope {
  /** The selectors of the rule around; read only if they are needed. */
  readonly around: (() => Selectors) | undefined;
  readonly isNested: boolean;
  readonly isSure: boolean;
  readonly isLayered: boolean;
}

const closers: ReadonlyMap<number, number> = new Map([
  [tokenTypes.LeftCurlyBracket, tokenTypes.RightCurlyBracket],
  [tokenTypes.LeftSquareBracket, tokenTypes.RightSquareBracket],
  [tokenTypes.LeftParenthesis, tokenTypes.RightParenthesis],
  [tokenTypes.Function, tokenTypes.RightParenthesis],
]);

/** Follows "CSS Syntax Module Level 3", section 5. The parser of css-tree leaves nested rules without `&` unread. */
class SheetReader {
  readonly #text: string;
  /** Tokens without white space and comments: types, positions, and the token that closes a bracket. */
  readonly #types: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #closes: number[] = [];
  readonly #rules: Rule[] = [];
  #selectorCharacters = 0;

  constructor(text: string) {
    this.#text = text;
    const open: number[] = [];
    tokenize(text, (type, start, end) => {
      if (type === tokenTypes.WhiteSpace || type === tokenTypes.Comment) return;
      const index = this.#types.length;
      const last = open.at(-1);
      if (last !== undefined && closers.get(this.#types[last] ?? 0) === type) {
        this.#closes[last] = index;
        open.pop();
      }
      if (closers.has(type)) open.push(index);
      limit(open.length, nestingMax, 'levels in a style sheet');
      this.#types.push(type);
      this.#starts.push(start);
      this.#ends.push(end);
      this.#closes.push(-1);
    });
    for (const index of open) this.#closes[index] = this.#types.length;
  }

  readAttribute(): Declarations {
    return this.#readBlock(0, this.#types.length, {
      around: undefined,
      isNested: true,
      isSure: true,
      isLayered: false,
    });
  }

  readSheet(isSure: boolean): readonly Rule[] {
    this.#readBlock(0, this.#types.length, { around: undefined, isNested: false, isSure, isLayered: false });
    return this.#rules;
  }

  /** Reads the rules of a block, and returns its declarations. */
  #readBlock(from: number, to: number, scope: Scope): Declarations {
    const declarations = new Map<Property, Declaration>();
    let at = from;
    while (at < to) {
      const type = this.#types[at];
      if (type === tokenTypes.Semicolon || type === tokenTypes.CDO || type === tokenTypes.CDC) at++;
      else if (type === tokenTypes.AtKeyword) at = this.#readAtRule(at, to, scope);
      else at = this.#readItem(at, to, scope, declarations);
    }
    return declarations;
  }

  /** Reads a rule or a declaration, and returns where the next one begins. */
  #readItem(from: number, to: number, scope: Scope, declarations: Map<Property, Declaration>): number {
    const isNamed =
      scope.isNested && this.#types[from] === tokenTypes.Ident && this.#types[from + 1] === tokenTypes.Colon;
    const isCustom = isNamed && this.#text.startsWith('--', this.#starts[from]);
    let at = from;
    for (; at < to; at = this.#after(at, to)) {
      if (scope.isNested && this.#types[at] === tokenTypes.Semicolon) break;
      if (this.#types[at] !== tokenTypes.LeftCurlyBracket || isCustom) continue;
      this.#readRule(this.#slice(from, at), at, to, scope);
      return this.#after(at, to);
    }
    if (isNamed) this.#readDeclaration(from, at, declarations);
    return at + 1;
  }

  #readDeclaration(from: number, to: number, declarations: Map<Property, Declaration>): void {
    const name = propertyOf(this.#word(from));
    if (name === undefined || to - from > valueMax) return;
    const words: string[] = [];
    for (let at = from + 2; at < to; at++) words.push(this.#word(at));
    const written = words.join(' ').toLowerCase();
    const value = written.replace(/(?:^| )! important$/, '');
    const isImportant = value.length < written.length;
    if (!isValid(name, value)) return;
    if (isImportant || declarations.get(name)?.isImportant !== true) declarations.set(name, { value, isImportant });
  }

  #readRule(prelude: string, brace: number, to: number, scope: Scope): void {
    let known: Selectors | undefined;
    const selectors = (): Selectors => {
      known ??= this.#readSelectors(prelude, scope.around?.());
      return known;
    };
    const declarations = this.#readBlock(brace + 1, this.#closeOf(brace, to), {
      ...scope,
      around: selectors,
      isNested: true,
    });
    this.#add(declarations, selectors, scope);
  }

  /** Reads an at-rule, and returns where the next item begins. */
  #readAtRule(from: number, to: number, scope: Scope): number {
    let at = from + 1;
    while (at < to && this.#types[at] !== tokenTypes.Semicolon && this.#types[at] !== tokenTypes.LeftCurlyBracket)
      at = this.#after(at, to);
    // A `style` attribute has no conditions.
    const isInAttribute = scope.isNested && scope.around === undefined;
    if (at >= to || this.#types[at] === tokenTypes.Semicolon || isInAttribute) return this.#after(at, to);
    const name = this.#word(from).toLowerCase();
    const applies = appliesAt(name, this.#slice(from + 1, at));
    if (applies !== false) {
      const inner: Scope = {
        ...scope,
        isSure: scope.isSure && applies === true,
        isLayered: scope.isLayered || name === '@layer',
      };
      const declarations = this.#readBlock(at + 1, this.#closeOf(at, to), inner);
      if (scope.around !== undefined) this.#add(declarations, scope.around, inner);
    }
    return this.#after(at, to);
  }

  #add(declarations: Declarations, selectors: () => Selectors, { isSure, isLayered }: Scope): void {
    if (declarations.size === 0) return;
    const { list, isKnown } = selectors();
    for (const each of list) this.#rules.push({ ...each, isSure: isSure && isKnown, isLayered, declarations });
  }

  #readSelectors(prelude: string, around: Selectors | undefined): Selectors {
    const parsed = parsedOrUndefined(prelude, 'selectorList');
    if (parsed?.type !== 'SelectorList') return { list: [], isKnown: true };
    // In a nested rule, `&` is the rule around it.
    const outer = around === undefined ? ':root' : `:is(${around.list.map(({ selector }) => selector).join()})`;
    const outerSpecificity = Math.max(0, ...(around?.list ?? []).map(({ specificity }) => specificity));
    const list: OneSelector[] = [];
    let isKnown = around?.isKnown ?? true;
    for (const selector of parsed.children) {
      if (selector.type !== 'Selector') continue;
      const isRelative = selector.children.first?.type === 'Combinator';
      if (around === undefined && isRelative) return { list: [], isKnown: true };
      const kind = kindOf(selector);
      if (kind.isUnknown) isKnown = false;
      if (kind.isUnknown || kind.isPart) continue;
      const { start = { offset: 0 }, end = { offset: 0 } } = selector.loc ?? {};
      let text = prelude.slice(start.offset, end.offset);
      for (const offset of kind.nestings.toReversed())
        text = text.slice(0, offset - start.offset) + outer + text.slice(offset - start.offset + 1);
      const isInner = around !== undefined && (isRelative || kind.nestings.length === 0);
      if (isInner) text = `${outer} ${text}`;
      this.#selectorCharacters += text.length;
      limit(this.#selectorCharacters, selectorsMax, 'characters of selectors');
      const specificity = specificityOf(selector, outerSpecificity) + (isInner ? outerSpecificity : 0);
      list.push({ selector: text, specificity, key: keyOf(selector) });
    }
    return { list, isKnown };
  }

  /** The token behind a token, or behind the brackets that it opens. */
  #after(at: number, to: number): number {
    const close = this.#closes[at] ?? -1;
    return close < 0 ? at + 1 : Math.min(close + 1, to);
  }

  #closeOf(brace: number, to: number): number {
    return Math.min(this.#closes[brace] ?? to, to);
  }

  #slice(from: number, to: number): string {
    return from < to ? this.#text.slice(this.#starts[from], this.#ends[to - 1]) : '';
  }

  /** A token; a name without its escapes: `\64isplay`. */
  #word(at: number): string {
    const text = this.#text.slice(this.#starts[at], this.#ends[at]);
    return text.includes('\\') ? ident.decode(text) : text;
  }
}

function propertyOf(name: string): Property | undefined {
  const lower = name.toLowerCase();
  return lower === 'display' || lower === 'visibility' || lower === 'content-visibility' ? lower : undefined;
}

const checked = new Map<string, boolean>();
const checkedMax = 1_000;

/** A value with a variable is valid as far as it can be known. */
function isValid(property: Property, value: string): boolean {
  if (/\b(?:var|env|attr|if)\(/.test(value)) return true;
  const key = `${property}:${value}`;
  let answer = checked.get(key);
  if (answer === undefined) {
    answer = lexer.matchProperty(property, value).error === null;
    if (checked.size < checkedMax) checked.set(key, answer);
  }
  return answer;
}

function parsedOrUndefined(text: string, context: string): CssNode | undefined {
  try {
    return parse(text, { context, positions: true });
  } catch {
    // Browsers drop what they cannot parse.
    return undefined;
  }
}

/** Whether a list of media queries matches a screen; undefined if that depends on the screen. */
function matchesMedia(media: string): boolean | undefined {
  const parsed = parsedOrUndefined(media, 'mediaQueryList');
  if (parsed?.type !== 'MediaQueryList') return false;
  const answers = parsed.children.toArray().map((query) => {
    if (query.type !== 'MediaQuery') return false;
    const isNegated = query.modifier?.toLowerCase() === 'not';
    const isType = /^(?:all|screen)$/i.test(query.mediaType ?? 'all');
    if (!isType || query.condition === null) return isType !== isNegated;
    return undefined;
  });
  if (answers.length === 0 || answers.includes(true)) return true;
  return answers.includes(undefined) ? undefined : false;
}

/** Whether the rules in an at-rule apply; undefined if that depends on more than the page. */
function appliesAt(name: string, prelude: string): boolean | undefined {
  if (name === '@media') return matchesMedia(prelude);
  if (name === '@layer') return true;
  // Pages ask for what browsers have had for years.
  if (name === '@supports') return /\bnot\b/i.test(prelude) ? undefined : true;
  return name === '@container' || name === '@scope' ? undefined : false;
}

/** Pseudo-classes that match no element as the page opens. */
export const restingStates: readonly string[] =
  'hover active visited focus focus-within focus-visible target target-within popover-open modal fullscreen picture-in-picture autofill -webkit-autofill user-valid user-invalid host host-context'.split(
    ' ',
  );
const knownStates: ReadonlySet<string> = new Set([
  ...restingStates,
  ...'root empty first-child last-child only-child first-of-type last-of-type only-of-type nth-child nth-last-child nth-of-type nth-last-of-type lang link any-link checked disabled enabled required optional read-only read-write is where not has matches open'.split(
    ' ',
  ),
]);
const partNames: ReadonlySet<string> = new Set('before after first-line first-letter'.split(' '));

/** What is in a selector: the positions of `&`, parts of elements (`::before`), and what is not known here. */
function kindOf(selector: Selector): { nestings: number[]; isPart: boolean; isUnknown: boolean } {
  const kind = { nestings: [] as number[], isPart: false, isUnknown: false };
  walk(selector, (node) => {
    if (node.type === 'NestingSelector') kind.nestings.push(node.loc?.start.offset ?? 0);
    else if (node.type === 'PseudoElementSelector') kind.isPart = true;
    else if (node.type === 'PseudoClassSelector') {
      const name = node.name.toLowerCase();
      if (partNames.has(name)) kind.isPart = true;
      else if (!knownStates.has(name)) kind.isUnknown = true;
    }
  });
  return kind;
}

const weights: Readonly<Partial<Record<CssNode['type'], number>>> = {
  IdSelector: 1_000_000,
  ClassSelector: 1_000,
  AttributeSelector: 1_000,
  PseudoClassSelector: 1_000,
  TypeSelector: 1,
};

/** "Selectors Level 4", section 17. `nesting`: of what `&` stands for. */
function specificityOf(node: CssNode, nesting: number): number {
  if (node.type === 'NestingSelector') return nesting;
  if (node.type === 'TypeSelector' && node.name.endsWith('*')) return 0;
  if (node.type === 'PseudoClassSelector' && node.children !== null) {
    const name = node.name.toLowerCase();
    if (name === 'where') return 0;
    const inner = Math.max(0, ...node.children.toArray().map((child) => specificityOf(child, nesting)));
    return /^(?:is|not|has|matches)$/.test(name) ? inner : 1_000 + inner;
  }
  if (node.type === 'Nth') return node.selector === null ? 0 : specificityOf(node.selector, nesting);
  if (node.type === 'SelectorList')
    return Math.max(0, ...node.children.toArray().map((child) => specificityOf(child, nesting)));
  if (node.type === 'Selector')
    return node.children.toArray().reduce((sum, child) => sum + specificityOf(child, nesting), 0);
  return weights[node.type] ?? 0;
}

function keyOf(selector: Selector): string {
  const parts = selector.children.toArray();
  const names = parts.slice(parts.findLastIndex(({ type }) => type === 'Combinator') + 1).map(nameOf);
  const find = (form: RegExp) => names.find((name) => form.test(name));
  return find(/^#/) ?? find(/^\./) ?? find(/./) ?? '*';
}

function nameOf(part: CssNode): string {
  if (part.type !== 'IdSelector' && part.type !== 'ClassSelector' && part.type !== 'TypeSelector') return '';
  const name = ident.decode(part.name).toLowerCase();
  if (part.type === 'TypeSelector') return /[*|]/.test(name) ? '' : name;
  return (part.type === 'IdSelector' ? '#' : '.') + name;
}
