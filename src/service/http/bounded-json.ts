// Parses foreign JSON only after one pass over its text has counted what it would become: depth, values, lengths. The pass allocates nothing.
import { limits } from '../limits.ts';
import { ShapeError } from './fields.ts';

const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);
const comma = ','.charCodeAt(0);
const opening: readonly number[] = ['['.charCodeAt(0), '{'.charCodeAt(0)];
const closing: readonly number[] = [']'.charCodeAt(0), '}'.charCodeAt(0)];

/** Throws ShapeError for text that is not JSON, or that holds more than the limits allow. */
export function boundedJson(text: string, stringCharsMax: number = limits.answerStringCharsMax): unknown {
  checkBounds(text, stringCharsMax);
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError('it is not JSON');
  }
}

function checkBounds(text: string, stringCharsMax: number): void {
  const { answerDepthMax, answerItemsMax, answerValuesMax } = limits;
  const items = new Uint32Array(answerDepthMax + 1);
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
      if (depth > answerDepthMax) throw new ShapeError(`it is nested deeper than ${answerDepthMax} levels`);
      items[depth] = 1;
      values++;
    } else if (closing.includes(code)) {
      if (depth > 0) depth--;
    } else if (code === comma) {
      const count = (items[depth] ?? 0) + 1;
      items[depth] = count;
      if (count > answerItemsMax) throw new ShapeError(`it has a list of more than ${answerItemsMax} items`);
      values++;
    }
    if (values > answerValuesMax) throw new ShapeError(`it has more than ${answerValuesMax} values`);
  }
}

/** Where the string that begins at `from` is closed; the end of the text where it is not. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - escapes > from && text.charCodeAt(end - escapes - 1) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
