// Makes one script of the page's modules: each once, after those that it imports. Reading them is left to jobs.

const importPattern = /^import\s+\{[^}]*\}\s+from\s+'\.\/([a-z-]+\.js)';\n/gm;

/**
 * Links `entry` and what it imports. Modules are plain JavaScript in a form that their tests hold: named imports of siblings, exports in front of
 * declarations, and no name used twice at the top of two of them. `read`: the text of a module. Throws Error for a module of another form.
 */
export function linkScript(entry: string, read: (module: string) => string): string {
  const linked = new Map<string, string>();
  const link = (module: string): void => {
    if (linked.has(module)) return;
    linked.set(module, ''); // an import in a circle finds it begun
    const text = read(module);
    for (const [, imported] of text.matchAll(importPattern)) if (imported !== undefined) link(imported);
    linked.delete(module); // set anew, so that it stands after those it imports
    linked.set(module, withoutModuleSyntax(module, text));
  };
  link(entry);
  const script = `(() => {\n'use strict';\n${[...linked.values()].join('\n')}})();\n`;
  if (/<\/script|<!--/i.test(script)) throw new Error('the script of the page holds text that would end its element');
  return script;
}

function withoutModuleSyntax(module: string, text: string): string {
  const plain = text.replace(importPattern, '').replace(/^export (?=(async )?(function|class|const)\b)/gm, '');
  if (/^(import|export)\b/m.test(plain)) throw new Error(`${module} imports or exports in a form that is not linked`);
  return plain;
}
