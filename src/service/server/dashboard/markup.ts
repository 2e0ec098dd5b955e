// HTML as a value: texts are escaped when they are inserted, so that none can become markup.

/** Markup that may be inserted unchanged. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | false | readonly Part[];

/** A template of markup; strings and numbers in it are escaped, undefined and false are empty. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, index) => string + toText(parts[index])).join(''));
}

function toText(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(toText).join('');
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
