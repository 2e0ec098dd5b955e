// Links modules into one classic script: each is a function with a separate scope, after those that it imports.

/** Where modules come from. */
export interface ModuleSource {
  /** The module that `specifier` names in `from`. Null: an earlier script of the page provides it. */
  resolve(specifier: string, from: string): string | null;
  /** The JavaScript of a module. */
  read(module: string): string;
}

const importPattern = /^import\s*(?:(?:\{([^}]*)\}|(\w+))\s*from\s*)?(['"])([^'"]+)\3;?[ \t]*$/gm;
const declarationPattern = /^export (?=(?:async )?(?:function\*?|class|const)\s+(\w+))/gm;
const listPattern = /(?<=^|[;}])export\s*\{([^}]*)\};?[ \t]*$/gm;
const defaultPattern = /(?<=^|[;}])export default /gm;

/**
 * Links `entry` and its imports. Modules use named imports, a default import, or an import for its effect; and exports
 * before declarations, in a list at the end, or one default. Throws Error for another form and for an import in a
 * circle.
 */
export function linkScript(entry: string, source: ModuleSource): string {
  const names = new Map<string, string>();
  const linked: string[] = [];
  const link = (module: string, path: readonly string[]): string => {
    if (path.includes(module)) throw new Error(`modules import each other: ${[...path, module].join(' -> ')}`);
    const known = names.get(module);
    if (known !== undefined) return known;
    const text = onOwnLines(withoutComments(source.read(module)));
    const body = linkModule(module, text, (specifier) => {
      const imported = source.resolve(specifier, module);
      return imported === null ? null : link(imported, [...path, module]);
    });
    const name = `module${names.size + 1}`;
    names.set(module, name);
    linked.push(`const ${name} = (() => {\n${body}})();\n`);
    return name;
  };
  link(entry, []);
  const script = `(() => {\n'use strict';\n${linked.join('')}})();\n`;
  if (/<\/script|<!--/i.test(script)) throw new Error('the script of the page holds text that would end its element');
  return script;
}

/** `nameOf`: the constant with the exports of an imported module; null: there is none. */
function linkModule(module: string, text: string, nameOf: (specifier: string) => string | null): string {
  const exported: string[] = [];
  const body = text
    .replace(importPattern, (_, list: string | undefined, local: string | undefined, __, specifier: string) => {
      const name = nameOf(specifier);
      if (local !== undefined) return `const ${local} = ${name}.default;`;
      return list === undefined || name === null ? '' : `const {${renamed(list, ':')}} = ${name};`;
    })
    .replace(declarationPattern, (_, name: string) => {
      exported.push(name);
      return '';
    })
    .replace(listPattern, (_, list: string) => {
      for (const part of list.split(',')) {
        const [local = '', name = local] = part.trim().split(/\s+as\s+/);
        if (local !== '') exported.push(local === name ? local : `${name}: ${local}`);
      }
      return ';';
    })
    .replace(defaultPattern, () => {
      exported.push('default: defaultExport');
      return ';const defaultExport = ';
    });
  if (/(?<=^|[;}])(?:import|export)(?:[ {*]|$)/m.test(body))
    throw new Error(`${module} imports or exports in a form that is not linked`);
  return `${body.trim()}\n${exported.length === 0 ? '' : `return { ${exported.join(', ')} };\n`}`;
}

/** `a, b as c` as members of a pattern: `a, b: c`. */
function renamed(list: string, separator: string): string {
  return list
    .split(',')
    .map((part) => part.trim().replace(/\s+as\s+/, `${separator} `))
    .filter(Boolean)
    .join(', ');
}

/** Minified modules begin with their imports on the line of other code. */
function onOwnLines(text: string): string {
  return text.replace(/^(?:import\s*(?:\{[^}]*\}\s*from\s*)?(["'])[^"']+\1;)+/, (imports) =>
    imports.replaceAll(';', ';\n'),
  );
}

/** Without comments that fill whole lines, and without empty lines: a third of the size. */
function withoutComments(text: string): string {
  return text
    .replace(/^[ \t]*\/\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*\n/gm, '')
    .replace(/^[ \t]*\/\/.*\n?/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');
}
