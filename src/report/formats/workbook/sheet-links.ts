// Links of a sheet: cells with a web address open it. They are relations of the sheet, not formulas.
import { xmlText } from './sheet-cells.ts';

/** Of a sheet; Excel takes 65,530. Their addresses are held in memory until the sheet ends. */
const linksMax = 10_000;
/** Excel's limit of characters in a link. */
const addressMax = 2_079;
const namespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const columnPattern = /(^|_)url$/;
const addressPattern = /^https?:\/\/[^\s<>"]+$/;

/** Whether the cells of a column are addresses. */
export function isLinkColumn(name: string): boolean {
  return columnPattern.test(name);
}

export class SheetLinks {
  readonly #cells: { readonly place: string; readonly link: number }[] = [];
  readonly #links = new Map<string, number>();

  /** `place`: of the cell, `I2`. Text that is not a web address stays text. */
  add(place: string, text: string): void {
    if (this.#cells.length === linksMax || text.length > addressMax || !addressPattern.test(text)) return;
    const link = this.#links.get(text) ?? this.#links.size + 1;
    this.#links.set(text, link);
    this.#cells.push({ place, link });
  }

  get isEmpty(): boolean {
    return this.#cells.length === 0;
  }

  /** The element of the sheet, in pieces. */
  *element(): Generator<string> {
    if (this.isEmpty) return;
    yield '<hyperlinks>';
    for (const { place, link } of this.#cells) yield `<hyperlink ref="${place}" r:id="rIdLink${link}"/>`;
    yield '</hyperlinks>';
  }

  *relations(): Generator<string> {
    for (const [address, link] of this.#links) {
      yield `<Relationship Id="rIdLink${link}" Type="${namespace}/hyperlink" Target="${xmlText(address)}" TargetMode="External"/>`;
    }
  }
}
