// Whether an element is concealed: a decoy that no reader of the page sees is not a result.
import { compile, type Options } from 'css-select';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter } from 'parse5';
import {
  type Declarations,
  type Property,
  type Rule,
  readDeclarations,
  readRules,
  restingStates,
} from './style-sheet.ts';
import { type Element, limit, type ParsedElement, type Tree, treeOf } from './tree.ts';

/** In elements. Pages of 2024 fade in their whole list of results: a larger part does not stay invisible. */
const fadedMax = 500;
/** Most steps from element to element while selectors are matched; the recorded maximum is nine millions. */
const stepsMax = 60_000_000;
/** What a selector costs to prepare, for each character; and an attribute or siblings to compare, for each of these. */
const preparingSteps = 10;
const comparingSteps = 1 / 16;

/** Of `style` attributes. */
const own = new WeakMap<Element, Declarations>();
const nothing: Declarations = new Map();
/** A name may have escapes. */
const mayHide = /display|visibility|\\/i;

function ownDeclarations(element: Element): Declarations {
  const style = element.get('style');
  if (style === undefined || !mayHide.test(style)) return nothing;
  const declarations = own.get(element) ?? readDeclarations(style);
  own.set(element, declarations);
  return declarations;
}

const hidingValues: ReadonlySet<string> = new Set([
  'display none',
  'visibility hidden',
  'visibility collapse',
  'content-visibility hidden',
]);

function hides(property: Property, value: string): boolean {
  return hidingValues.has(`${property} ${value}`);
}

/** Whether an element has no box, apart from the elements around it: `display:none`. */
export function isRemoved(element: Element): boolean {
  return ownSightOf(element)?.isGone === true;
}

/** Whether the contents of an element are hidden as the page opens, apart from the elements around it. */
export function hidesItself(element: Element): boolean {
  const sight = ownSightOf(element);
  return sight?.isGone === true || sight?.isInvisible === true || sight?.isClosed === true;
}

function ownSightOf(element: Element): Sight | undefined {
  const tree = treeOf(element);
  return tree === undefined ? undefined : styledPage(tree).ownSightOf(element);
}

/** A style by which an element is seen as it is now, without the page's style sheets and attributes. */
export function sightStyle(element: Element): string {
  const { isGone = false, isInvisible, isClosed = false } = ownSightOf(element) ?? {};
  if (isGone) return 'display:none';
  return [
    ...(element.tag === 'dialog' ? ['display:block'] : []),
    ...(isInvisible === undefined ? [] : [`visibility:${isInvisible ? 'hidden' : 'visible'}`]),
    ...(isClosed ? ['content-visibility:hidden'] : []),
  ].join(';');
}

function isFaded({ order, last }: Element): boolean {
  return last - order >= fadedMax;
}

/** Whether an element, or one around it, hides itself or is hidden by a rule of the page. */
export function isConcealed(tree: Tree, element: Element): boolean {
  const { isGone, isInvisible } = styledPage(tree).sightOf(element);
  return isGone || isInvisible === true;
}

const pages = new WeakMap<Tree, StyledPage>();

function styledPage(tree: Tree): StyledPage {
  const known = pages.get(tree);
  if (known !== undefined) return known;
  const page = new StyledPage(tree);
  pages.set(tree, page);
  return page;
}

interface Sight {
  /** It has no box. */
  readonly isGone: boolean;
  /** It has a box, in which nothing is drawn; undefined: as the element around it. */
  readonly isInvisible: boolean | undefined;
  /** Its contents have no boxes. */
  readonly isClosed: boolean;
}

/**
 * What browsers do not show as a page opens, apart from elements that a tree leaves out: HTML standard, "Rendering",
 * sections "Hidden elements", "Flow content", "Embedded content" and "The details and summary elements" (read in
 * 2026-11); MathML Core, user agent style sheet. `content-visibility` stands for contents that have no boxes.
 */
const browserSheet = [
  '[hidden]:not([hidden=until-found i]),area,base,basefont,datalist,head,link,meta,noembed,param,rp,title{display:none}',
  '[hidden=until-found i]{content-visibility:hidden}',
  'input[type=hidden i],audio:not([controls]){display:none!important}',
  'dialog:not([open]),[popover]:not(dialog[open]){display:none}',
  'details:not([open])>:not(summary:first-of-type){display:none!important}',
  'audio,canvas,meter,object[data]:not([data=""]),progress,video{content-visibility:hidden!important}',
  'annotation,annotation-xml{display:none}',
  'mphantom{visibility:hidden}',
].join('');
let browserRules: readonly Rule[] | undefined;

/** Where declarations stand in the cascade ("CSS Cascading and Inheritance Level 5"), plain and important ones. */
const levels = { browser: [0, 7], layer: [1, 6], page: [2, 4], own: [3, 5] } as const;

interface Candidate {
  readonly level: number;
  readonly specificity: number;
  readonly order: number;
  readonly value: string;
}

interface IndexedRule {
  readonly rule: Rule;
  readonly origin: keyof typeof levels;
  readonly order: number;
  matches: ((element: Node) => boolean) | undefined;
}

type Node = DefaultTreeAdapterTypes.Node;

/** A page with its style sheets. */
class StyledPage {
  readonly #rules = new Map<string, IndexedRule[]>();
  readonly #options: Options<Node, ParsedElement>;
  readonly #sights = new Map<Element, Sight>();
  readonly #ownSights = new Map<Element, Sight>();
  #rulesCount = 0;
  #steps = 0;

  constructor({ styles, isQuirky }: Tree) {
    browserRules ??= readRules(browserSheet);
    this.#index(browserRules, true);
    for (const { text, media } of styles) this.#index(readRules(text, media), false);
    this.#options = {
      adapter: this.#adapter(),
      quirksMode: isQuirky,
      pseudos: { ...Object.fromEntries(restingStates.map((name) => [name, () => false])), open: '[open]' },
    };
  }

  /** As it is seen. */
  sightOf(element: Element): Sight {
    let sight = this.#sights.get(element);
    if (sight === undefined) {
      const around = element.parent === null ? undefined : this.sightOf(element.parent);
      const own = this.ownSightOf(element);
      sight = {
        isGone: own.isGone || around?.isGone === true || around?.isClosed === true,
        isInvisible: own.isInvisible ?? around?.isInvisible,
        isClosed: own.isClosed,
      };
      this.#sights.set(element, sight);
    }
    return sight;
  }

  /** As it would be seen if nothing around it were hidden. */
  ownSightOf(element: Element): Sight {
    let sight = this.#ownSights.get(element);
    if (sight === undefined) {
      const values = this.#valuesOf(element);
      const visibility = values.get('visibility');
      const isInherited = visibility === undefined || visibility === 'inherit' || visibility === 'unset';
      const isHidden = !isInherited && hides('visibility', visibility);
      sight = {
        isGone: values.get('display') === 'none',
        isInvisible: isInherited || (isHidden && isFaded(element)) ? undefined : isHidden,
        isClosed: values.get('content-visibility') === 'hidden',
      };
      this.#ownSights.set(element, sight);
    }
    return sight;
  }

  /** The value of each property that is declared for an element. */
  #valuesOf(element: Element): ReadonlyMap<Property, string> {
    const winners = new Map<Property, Candidate>();
    const offer = (
      declarations: Declarations,
      origin: keyof typeof levels,
      { specificity = 0, order = 0, isSure = true } = {},
    ) => {
      for (const [property, { value, isImportant }] of declarations) {
        // Where it is unknown whether an element is hidden, it is seen.
        if (!isSure && hides(property, value)) continue;
        const candidate = { level: levels[origin][isImportant ? 1 : 0], specificity, order, value };
        const winner = winners.get(property);
        if (winner === undefined || isStronger(candidate, winner)) winners.set(property, candidate);
      }
    };
    for (const { rule, origin, order } of this.#rulesFor(element)) offer(rule.declarations, origin, { ...rule, order });
    offer(ownDeclarations(element), 'own');
    return new Map([...winners].map(([property, { value }]) => [property, value]));
  }

  *#rulesFor(element: Element): Generator<IndexedRule> {
    const { parsed } = element;
    if (parsed === null) return;
    for (const key of ['*', ...namesOf(parsed)])
      for (const indexed of this.#rules.get(key) ?? []) {
        indexed.matches ??= this.#compiled(indexed.rule.selector);
        if (indexed.matches(parsed)) yield indexed;
      }
  }

  #index(rules: readonly Rule[], isOfBrowser: boolean): void {
    for (const rule of rules) {
      const origin = isOfBrowser ? 'browser' : rule.isLayered ? 'layer' : 'page';
      const indexed = { rule, origin, order: ++this.#rulesCount, matches: undefined } as const;
      const others = this.#rules.get(rule.key);
      if (others === undefined) this.#rules.set(rule.key, [indexed]);
      else others.push(indexed);
    }
  }

  #compiled(selector: string): (element: Node) => boolean {
    this.#step(selector.length * preparingSteps);
    try {
      return compile<Node, ParsedElement>(selector, this.#options);
    } catch {
      // A form that css-select does not know, such as a name with a namespace.
      return () => false;
    }
  }

  #step(count = 1): void {
    this.#steps += count;
    limit(this.#steps, stepsMax, 'steps to match its style sheets');
  }

  #adapter(): NonNullable<Options<Node, ParsedElement>['adapter']> {
    const { isElementNode, isTextNode } = defaultTreeAdapter;
    const childrenOf = (node: Node): Node[] => ('childNodes' in node ? node.childNodes : []);
    const get = (element: ParsedElement, name: string): string | undefined => {
      const value = element.attrs.find((attribute) => attribute.name === name)?.value;
      this.#step(1 + element.attrs.length + (value ?? '').length * comparingSteps);
      return value;
    };
    return {
      isTag: isElementNode,
      getName: (element) => element.tagName,
      getAttributeValue: get,
      hasAttrib: (element, name) => get(element, name) !== undefined,
      getParent: (element) => {
        this.#step();
        return element.parentNode;
      },
      getChildren: (node) => {
        const children = childrenOf(node);
        this.#step(1 + children.length);
        return children;
      },
      getSiblings: (node) => {
        const { parentNode = null } = 'parentNode' in node ? node : {};
        const siblings = parentNode === null ? [node] : childrenOf(parentNode);
        this.#step(1 + siblings.length * comparingSteps);
        return siblings;
      },
      getText: (node) => {
        const text = isTextNode(node) ? node.value : '';
        this.#step(text.length * comparingSteps);
        return text;
      },
      removeSubsets: (nodes) => nodes,
    };
  }
}

/** What selectors of an element name: its tag, id (`#a`) and classes (`.a`), in lower case. */
function namesOf({ tagName, attrs }: ParsedElement): Set<string> {
  const names = new Set([tagName.toLowerCase()]);
  for (const { name, value } of attrs) {
    if (name === 'id') names.add(`#${value.toLowerCase()}`);
    else if (name === 'class') for (const each of value.toLowerCase().split(/\s+/)) names.add(`.${each}`);
  }
  return names;
}

function isStronger(one: Candidate, other: Candidate): boolean {
  return (one.level - other.level || one.specificity - other.specificity || one.order - other.order) >= 0;
}
