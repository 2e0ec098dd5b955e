// Renames a project or a service in the text of a config. All other text stays as it is, comments included.
import { isMap, isNode, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';

export type RenamedKind = 'project' | 'service';

/** Why a config cannot be edited. */
export class RenameError extends Error {
  override readonly name = 'RenameError';
}

interface Edit {
  readonly from: number;
  readonly until: number;
  readonly text: string;
}

/**
 * The config with the new name wherever it has the old one, and the old one in `formerly`. If the new name is there
 * already, only `formerly` is added. Throws RenameError.
 */
export function renameIn(text: string, kind: RenamedKind, from: string, to: string): string {
  const document = parseDocument(text, { merge: true, stringKeys: true });
  if (document.errors.length > 0 || !isMap(document.contents)) throw new RenameError('the config is not valid YAML');
  const edits =
    kind === 'project' ? projectEdits(document.contents, from, to) : serviceEdits(document.contents, from, to);
  return edits
    .toSorted((one, other) => other.from - one.from)
    .reduce((edited, edit) => edited.slice(0, edit.from) + edit.text + edited.slice(edit.until), text);

  function projectEdits(root: YAMLMap, old: string, present: string): Edit[] {
    const projects = mapsOf(valueAt(root, 'projects'));
    const named = (name: string) => projects.find((project) => textOf(valueAt(project, 'id')) === name);
    const [before, after] = [named(old), named(present)];
    if (before !== undefined && after !== undefined)
      throw new RenameError(`the config has both "${old}" and "${present}"`);
    const project = before ?? after;
    const id = project === undefined ? undefined : pairOf(project, 'id');
    if (project === undefined || id === undefined) throw new RenameError(`there is no project "${old}"`);
    const lists = [
      valueAt(valueAt(root, 'reports'), 'deliver'),
      valueAt(valueAt(root, 'alerts'), 'rules'),
      ...projects.map((each) => valueAt(each, 'alerts')),
    ];
    const references = [
      ...mapsOf(valueAt(root, 'notes')).map((note) => valueAt(note, 'project')),
      ...lists.flatMap(mapsOf).flatMap((rule) => itemsOf(valueAt(rule, 'projects'))),
    ];
    return [
      ...[before === undefined ? null : valueAt(before, 'id'), ...references].flatMap((node) =>
        replaced(node, old, present),
      ),
      formerlyEdit(project, id, old),
    ];
  }

  function serviceEdits(root: YAMLMap, old: string, present: string): Edit[] {
    const services = valueAt(root, 'services');
    if (!isMap(services))
      throw new RenameError(`the config writes no services: the service "${old}" is the sandbox, which needs none`);
    const [before, after] = [pairOf(services, old), pairOf(services, present)];
    if (before !== undefined && after !== undefined)
      throw new RenameError(`the config has both "${old}" and "${present}"`);
    const pair = before ?? after;
    const service = pair?.value;
    const mode = pairOf(service, 'mode');
    if (pair === undefined || !isMap(service) || mode === undefined)
      throw new RenameError(`there is no service "${old}"`);
    const projects = mapsOf(valueAt(root, 'projects'));
    const implied = old === 'default' ? projects.filter((project) => pairOf(project, 'service') === undefined) : [];
    return [
      ...(before === undefined ? [] : replaced(before.key, old, present)),
      ...projects.flatMap((project) => replaced(valueAt(project, 'service'), old, present)),
      ...services.items.flatMap(({ value }) =>
        itemsOf(valueAt(value, 'of')).flatMap((each) => replaced(each, old, present)),
      ),
      ...implied.flatMap((project) => {
        const id = pairOf(project, 'id');
        return id === undefined ? [] : [added(project, id, `service: ${present}`)];
      }),
      formerlyEdit(service, mode, old),
    ];
  }

  /** Adds the old name at the end of `formerly`. */
  function formerlyEdit(map: YAMLMap, after: Pair, old: string): Edit {
    const names = valueAt(map, 'formerly');
    const [first, end] = rangeOf(itemsOf(names).at(-1));
    if (!isSeq(names) || first === undefined || end === undefined) return added(map, after, `formerly: [${old}]`);
    const text = names.flow === true ? `, ${old}` : `\n${indentAt(first - '- '.length)}- ${old}`;
    return { from: end, until: end, text };
  }

  /** A key right after another one: on the next line, or within the same braces. */
  function added(map: YAMLMap, after: Pair, written: string): Edit {
    const [keyAt = 0] = rangeOf(after.key);
    const [, end = keyAt] = rangeOf(after.value);
    if (map.flow === true) return { from: end, until: end, text: `, ${written}` };
    const line = /\r?\n|$/.exec(text.slice(end));
    const at = end + (line?.index ?? 0);
    return { from: at, until: at, text: `${line?.[0] || '\n'}${indentAt(keyAt)}${written}` };
  }

  /** Spaces up to the column of a place. */
  function indentAt(at: number): string {
    return ' '.repeat(at - (text.lastIndexOf('\n', at - 1) + 1));
  }

  function replaced(node: unknown, old: string, present: string): Edit[] {
    if (textOf(node) !== old) return [];
    const [from = 0, until = 0] = rangeOf(node);
    const quote = /^["']/.exec(text.slice(from))?.[0] ?? '';
    return [{ from, until, text: `${quote}${present}${quote}` }];
  }
}

function pairOf(map: unknown, key: string): Pair | undefined {
  return isMap(map) ? map.items.find((pair) => textOf(pair.key) === key) : undefined;
}

function valueAt(map: unknown, key: string): unknown {
  return pairOf(map, key)?.value;
}

/** As it is typed: names may be numbers. */
function textOf(node: unknown): unknown {
  return isScalar(node) && node.type === 'PLAIN' ? node.source : isScalar(node) ? node.value : undefined;
}

function itemsOf(node: unknown): readonly unknown[] {
  return isSeq(node) ? node.items : [];
}

function mapsOf(node: unknown): readonly YAMLMap[] {
  return itemsOf(node).filter((item) => isMap(item));
}

/** Where a node begins and ends in the text. */
function rangeOf(node: unknown): readonly number[] {
  return isNode(node) ? (node.range ?? []).slice(0, 2) : [];
}
