// Reads the declarations of a style: of a `style` attribute, or of a rule.
import { decodeAttribute } from '../entities.ts';

/** A style without character references, comments and escapes: `display&#58;n\6fne`. */
export function plainStyle(raw: string): string {
  if (!/[&\\/]/.test(raw)) return raw;
  const style = decodeAttribute(raw);
  if (!style.includes('/*') && !style.includes('\\')) return style;
  return withoutComments(style)
    .replace(/\\([\da-f]{1,6})\s?/gi, (_, code: string) => readableCharacter(Number.parseInt(code, 16)))
    .replaceAll('\\', '');
}

function withoutComments(style: string): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const start = style.indexOf('/*', from);
    parts.push(style.slice(from, start < 0 ? style.length : start));
    const end = start < 0 ? -1 : style.indexOf('*/', start + 2);
    if (end < 0) return parts.join('');
    from = end + 2;
  }
}

function readableCharacter(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

export interface Declaration {
  readonly name: string;
  readonly value: string;
  readonly isImportant: boolean;
}

/** The declarations of a style, without nested rules. */
export function declarationsOf(style: string): Declaration[] {
  return plainStyle(style)
    .split(';')
    .flatMap((text) => {
      const colon = text.indexOf(':');
      if (colon < 0 || text.includes('{')) return [];
      const written = text.slice(colon + 1).trim();
      const value = written.replace(/!\s*important$/i, '').trim();
      return [{ name: text.slice(0, colon).trim().toLowerCase(), value, isImportant: value !== written }];
    });
}
