// JSON from strangers: parsed only where it is neither deep nor made of more values than any results page has. What it says is left to others.
import { ShapeError } from '../../http/fields.ts';

/** The largest page of any vendor has some 30,000 values, nested 20 deep. */
const pageValuesMax = 100_000;
const depthMax = 100;

const [quote, backslash, comma] = [34, 92, 44];
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125];

/** Parses the text. Throws ShapeError where it is no JSON, or would take more memory than its length suggests. */
export function parseBounded(text: string, valuesMax = pageValuesMax): unknown {
  refuseBomb(text, valuesMax);
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError('it is not JSON');
  }
}

/** Counts what stands outside of strings: each comma and each bracket begins one more value at most. */
function refuseBomb(text: string, valuesMax: number): void {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) values++;
    else if (code === openBracket || code === openBrace) {
      values++;
      depth++;
      if (depth > depthMax) throw new ShapeError(`it is nested more than ${depthMax} deep`);
    } else if (code === closeBracket || code === closeBrace) depth--;
    if (values > valuesMax) throw new ShapeError(`it has more than ${valuesMax} values`);
  }
}

/** The place of the quote that ends the string which begins at `start`; the end of the text where there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
