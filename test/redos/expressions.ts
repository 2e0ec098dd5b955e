// The regular expressions of the product, from its syntax trees: literals, and constructions at run time.
import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'vitest/node';

export interface Expression {
  /** As it is written: `/pattern/flags`. */
  readonly text: string;
  readonly pattern: string;
  readonly flags: string;
  readonly files: readonly string[];
}

export interface Expressions {
  readonly literals: readonly Expression[];
  /** Files that construct an expression with a repetition at run time. */
  readonly constructed: ReadonlySet<string>;
}

const root = new URL('../../', import.meta.url).pathname;

/** Each literal once, with the files that have it. */
export function expressionsOfTheProduct(): Expressions {
  const literals = new Map<string, Expression>();
  const constructed = new Set<string>();
  for (const file of globSync('{src,jobs,db,config}/**/*.{ts,js,mjs}', { cwd: root }).sort()) {
    const source = readFileSync(`${root}${file}`, 'utf8');
    walk(parseAst(source, { lang: file.endsWith('.ts') ? 'ts' : 'js' }), (node) => {
      const { type, regex, callee, start, end } = node as Partial<SyntaxNode>;
      if (type === 'Literal' && regex !== undefined) {
        const text = `/${regex.pattern}/${regex.flags}`;
        literals.set(text, { text, ...regex, files: [...(literals.get(text)?.files ?? []), file] });
      }
      if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp') {
        if (/[*+]|,\}/.test(source.slice(start, end))) constructed.add(file);
      }
    });
  }
  return { literals: [...literals.values()], constructed };
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
}

function walk(node: unknown, visit: (node: object) => void): void {
  if (Array.isArray(node)) for (const each of node) walk(each, visit);
  else if (typeof node === 'object' && node !== null) {
    visit(node);
    for (const child of Object.values(node)) walk(child, visit);
  }
}
