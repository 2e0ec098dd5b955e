// Finds the parts of a style sheet that apply under a condition (`@media`), and its comments and strings.

/** Whether the rules of a part apply on a screen. Widths and features are not decided. */
export type Condition = 'always' | 'perhaps' | 'never';

/** A part of a style sheet, by the offsets of its first and last character. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly condition: Condition;
}

const signs = /[{}"'\\]|\/\*/g;
/** Deepest nesting of blocks that is read. */
const depthMax = 32;

/** The parts that do not always apply. Parts may be within others. */
export function findRanges(text: string): Range[] {
  const ranges: Range[] = [];
  const blocks: { readonly start: number; readonly isRule: boolean; condition: Condition }[] = [];
  signs.lastIndex = 0;
  let before = 0;
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    const at = sign.index;
    switch (sign[0]) {
      case '{': {
        const around = blocks.at(-1);
        // A rule in a rule applies below what the outer one selects.
        if (around?.isRule === true) around.condition = 'perhaps';
        const condition = readCondition(text.slice(before, at));
        blocks.push({ start: at, isRule: condition === undefined, condition: condition ?? 'always' });
        before = at + 1;
        if (blocks.length > depthMax) return [{ start: 0, end: text.length, condition: 'perhaps' }];
        break;
      }
      case '}': {
        const block = blocks.pop();
        if (block !== undefined && block.condition !== 'always') ranges.push({ ...block, end: at });
        before = at + 1;
        break;
      }
      case '\\':
        signs.lastIndex = at + 2;
        break;
      default: {
        const end = sign[0] === '/*' ? endOfComment(text, at) : endOfString(text, at);
        ranges.push({ start: at, end, condition: 'never' });
        signs.lastIndex = end + 1;
      }
    }
  }
  for (const block of blocks) if (block.condition !== 'always') ranges.push({ ...block, end: text.length });
  return ranges;
}

export function conditionAt(ranges: readonly Range[], offset: number): Condition {
  const around = ranges.filter(({ start, end }) => start < offset && offset <= end);
  if (around.some(({ condition }) => condition === 'never')) return 'never';
  return around.length > 0 ? 'perhaps' : 'always';
}

function endOfComment(text: string, from: number): number {
  const end = text.indexOf('*/', from + 2);
  return end < 0 ? text.length : end + 1;
}

/** The quote that ends a string; a line end ends it too. */
function endOfString(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at++) {
    const character = text[at];
    if (character === quote || character === '\n') return at;
    if (character === '\\') at++;
  }
  return text.length;
}

/** The condition of the block behind some text; undefined for the block of a rule. */
function readCondition(before: string): Condition | undefined {
  const at = before.lastIndexOf('@');
  if (at < 0 || before.includes(';', at)) return undefined;
  const [, name = '', query = ''] = /^@([\w-]{1,40})([\s\S]*)$/.exec(before.slice(at).toLowerCase()) ?? [];
  if (name === 'media') return mediaCondition(query);
  if (name === 'layer' || (name === 'supports' && /^\s*\(\s*display\s*:/.test(query))) return 'always';
  return /^(?:supports|container|scope)$/.test(name) ? 'perhaps' : 'never';
}

/** Media of every reader with a screen, some with a width that every screen has: below 320 pixels. */
const anyScreen =
  /^(?:(?:only )?(?:all|screen)|not print)?(?:(?:^| and )\(\s*min-width\s*:\s*(?:[12]?\d?\d|3[01]\d)(?:px)?\s*\))?$/;

/** Whether a list of media queries is true of a screen. */
export function mediaCondition(query: string): Condition {
  const media = query.split(',').map((each) => each.trim().toLowerCase());
  if (media.some((each) => anyScreen.test(each))) return 'always';
  return media.every((each) => /^(?:only )?(?:print|speech|tty|tv|projection)\b/.test(each)) ? 'never' : 'perhaps';
}
