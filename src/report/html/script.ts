// Bundles the modules of the page's script: each once, after its imports.

const importPattern = /^import\s+\{[^}]*\}\s+from\s+'\.\/([a-z-]+\.js)';\n/gm;

/**
 * Bundles `entry` and its imports. Modules are plain JavaScript of a restricted form, which their tests check: named
 * imports of siblings, exports before declarations, and no top-level name used twice. `read`: returns the text of a
 * module. Throws Error for a module of another form.
 */
export function bundleScript(entry: string, read: (module: string) => string): string {
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
