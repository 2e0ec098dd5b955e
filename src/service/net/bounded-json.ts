// Parses untrusted JSON after one pass over its text has counted depth, values and lengths. The pass allocates nothing.
import { limits } from '../model/limits.ts';
import { ShapeError } from './fields.ts';

const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);
const comma = ','.charCodeAt(0);
const opening: readonly number[] = ['['.charCodeAt(0), '{'.charCodeAt(0)];
const closing: readonly number[] = [']'.charCodeAt(0), '}'.charCodeAt(0)];

export interface JsonBounds {
  readonly depthMax: number;
  /** Values of one list, or fields of one object. */
  readonly itemsMax: number;
  readonly valuesMax: number;
  readonly stringCharsMax: number;
}

/** For responses of a Search Data Service. */
const serviceBounds: JsonBounds = {
  depthMax: limits.answerDepthMax,
  itemsMax: limits.answerItemsMax,
  valuesMax: limits.answerValuesMax,
  stringCharsMax: limits.answerStringCharsMax,
};

/**
 * For responses of vendors: the largest page of any vendor has some 30,000 values, nested 20 deep, and may hold its
 * HTML in one string.
 */
export const vendorBounds: JsonBounds = {
  depthMax: 100,
  itemsMax: Number.POSITIVE_INFINITY,
  valuesMax: 100_000,
  stringCharsMax: Number.POSITIVE_INFINITY,
};

/** Throws ShapeError for text that is not JSON or exceeds a bound. */
export function boundedJson(text: string, bounds: Partial<JsonBounds> = {}): unknown {
  checkBounds(text, { ...serviceBounds, ...bounds });
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError('it is not JSON');
  }
}

function checkBounds(text: string, { depthMax, itemsMax, valuesMax, stringCharsMax }: JsonBounds): void {
  const items = new Uint32Array(depthMax + 1);
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at + 1);
      if (end - at - 1 > stringCharsMax)
        throw new ShapeError(`it has a string of more than ${stringCharsMax} characters`);
      at = end;
    } else if (opening.includes(code)) {
      depth++;
      if (depth > depthMax) throw new ShapeError(`it is nested deeper than ${depthMax} levels`);
      items[depth] = 1;
      values++;
    } else if (closing.includes(code)) {
      if (depth > 0) depth--;
    } else if (code === comma) {
      const count = (items[depth] ?? 0) + 1;
      items[depth] = count;
      if (count > itemsMax) throw new ShapeError(`it has a list of more than ${itemsMax} items`);
      values++;
    }
    if (values > valuesMax) throw new ShapeError(`it has more than ${valuesMax} values`);
  }
}

/** The end of the string that begins at `from`; the end of the text if it is not closed. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - escapes > from && text.charCodeAt(end - escapes - 1) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
