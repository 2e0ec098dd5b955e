// One element of a page in compact form: raw attribute values, raw texts, and its range in document order.
import { decodeAttribute } from './entities.ts';

/** One element. Children are elements and raw (not decoded) texts, in document order. */
export class Element {
  readonly tag: string;
  readonly parent: Element | null;
  readonly depth: number;
  /** Place in document order; `last` is the order of its last descendant, so that containment is two comparisons. */
  readonly order: number;
  last: number;
  /** Where the element stands on the page: bits of `zone`, set by the survey. */
  zones = 0;
  /** Whether it is shown, once that was asked: see text.ts. */
  isShown: boolean | undefined = undefined;
  readonly children: (Element | string)[] = [];
  /** Names and raw values, alternating. */
  readonly attributes: string[] = [];

  constructor(tag: string, parent: Element | null, order: number) {
    this.tag = tag;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.order = order;
    this.last = order;
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  /** The attribute's decoded value. */
  get(name: string): string | undefined {
    const raw = this.raw(name);
    return raw === undefined ? undefined : decodeAttribute(raw);
  }

  /** The attribute's value as it stands in the markup: for comparisons with plain words. */
  raw(name: string): string | undefined {
    const attributes = this.attributes;
    for (let i = 0; i < attributes.length; i += 2) if (attributes[i] === name) return attributes[i + 1];
    return undefined;
  }

  contains(other: Element): boolean {
    return other.order >= this.order && other.order <= this.last;
  }
}
