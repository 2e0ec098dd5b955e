// Keeps spreadsheets from running text of a CSV cell as a formula, and reverts this on reading.

const apostrophe = 39;
/** Characters that start a formula: = + - @, and their full-width forms, which East Asian spreadsheets accept. */
const triggers = new Set([...'=+-@\uFF1D\uFF0B\uFF0D\uFF20'].map((character) => character.charCodeAt(0)));
/**
 * Characters at which a spreadsheet with another delimiter begins a new cell. Quotes inside a line do not prevent that.
 */
const splitters = ',;\t|\r\n';

/** For each delimiter, the other characters that may split a line. */
const splittersBeside = new Map<string, RegExp>();

/**
 * Puts an apostrophe before each position at which a spreadsheet could begin a formula: the start of the text, and
 * after a comma, semicolon, TAB, `|` or line end that is not the file's own delimiter. Formulas are also detected
 * behind white space, quotes, invisible and control characters. A text that begins with a control character gets one
 * too (OWASP, CSV injection). `unguardFormulas` reverts this.
 */
export function guardFormulas(text: string, delimiter: string): string {
  if (!mayNeedGuard(text, delimiter)) return text;
  let result = '';
  let from = 0;
  for (const at of formulaStarts(text, delimiter)) {
    result += `${text.slice(from, at)}'`;
    from = at;
  }
  return from === 0 && result === '' ? text : result + text.slice(from);
}

/** Reverts `guardFormulas`. */
export function unguardFormulas(text: string, delimiter: string): string {
  if (!text.includes("'") || !mayNeedGuard(text, delimiter)) return text;
  let result = '';
  let from = 0;
  for (const at of formulaStarts(text, delimiter)) {
    if (text.charCodeAt(at) !== apostrophe) continue;
    result += text.slice(from, at);
    from = at + 1;
  }
  return result + text.slice(from);
}

/** A quick test, false for nearly all texts: they begin with a plain character and contain no delimiter. */
function mayNeedGuard(text: string, delimiter: string): boolean {
  const first = text.charCodeAt(0);
  if (first === apostrophe || triggers.has(first) || isSkipped(first)) return true;
  let pattern = splittersBeside.get(delimiter);
  if (pattern === undefined) {
    pattern = new RegExp(`[${[...splitters].filter((each) => each !== delimiter).join('')}]`);
    splittersBeside.set(delimiter, pattern);
  }
  return pattern.test(text);
}

/** The positions of formulas, in order: the first of the apostrophes before it, or its first character. One pass. */
function formulaStarts(text: string, delimiter: string): number[] {
  const starts: number[] = [];
  let canBegin = true;
  let apostrophesFrom = -1;
  let onlyApostrophes = true;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (canBegin && code === apostrophe) {
      if (apostrophesFrom < 0) apostrophesFrom = at;
      continue;
    }
    const start = apostrophesFrom < 0 ? at : apostrophesFrom;
    const character = text.charAt(at);
    if (onlyApostrophes && isControl(code)) {
      starts.push(0);
      canBegin = false;
    } else if (canBegin && triggers.has(code)) {
      starts.push(start);
      canBegin = false;
    } else if (apostrophesFrom >= 0 || !isSkipped(code)) canBegin = false;
    if (character !== delimiter && splitters.includes(character)) canBegin = true;
    apostrophesFrom = -1;
    onlyApostrophes = false;
  }
  return starts;
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/**
 * Characters that programs drop or trim before they detect a formula: control characters, spaces, quotes, invisible
 * marks.
 */
function isSkipped(code: number): boolean {
  if (code < 0x80) return code <= 0x20 || code === 0x22 || code === 0x7f;
  return (
    code <= 0xa0 ||
    code === 0xad ||
    (code >= 0x2000 && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202f) ||
    (code >= 0x205f && code <= 0x206f) ||
    code === 0x3000 ||
    code === 0xfeff
  );
}
