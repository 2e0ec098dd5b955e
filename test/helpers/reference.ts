// The generated tables of docs/reference: commands, config keys, error codes and CSV columns, as the product has them.

import { jsonSchema } from '../../config/schema/schema.ts';
import { tableColumns } from '../../jobs/report/write-report.ts';
import { commandTable } from '../../src/cli/command-table.ts';
import { rejectReasons } from '../../src/import/history/table.ts';
import { keywordRejectReasons } from '../../src/import/keywords/keyword-tables.ts';
import type { ColumnNote } from '../../src/report/formats/csv.ts';
import { exportColumns } from '../../src/report/formats/export-columns.ts';
import { agencyLongColumns, agencyWideColumns } from '../../src/report/tables/agency.ts';
import { errorTable } from '../../src/service/index.ts';
import { pageFailureMessages } from '../../src/service/model/errors.ts';
import { incomparable } from '../../src/tracker/changes/change.ts';

interface SchemaNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
}

/** Every table by the name of its section. */
export function referenceTables(): Map<string, string> {
  return new Map([
    [
      'commands',
      table(
        ['command', 'does'],
        commandTable.map(({ name, summary }) => [`\`${name}\``, summary]),
      ),
    ],
    [
      'config',
      table(
        ['key', 'default', 'meaning'],
        withoutRepeatedKeys(configKeys('', jsonSchema() as SchemaNode)).map((row) => [...row]),
      ),
    ],
    [
      'errors',
      table(
        ['code', 'status', 'next', 'charged', 'remedy'],
        Object.entries(errorTable).map(([code, facts]) => [
          `\`${code}\``,
          facts.status === 0 ? '-' : String(facts.status),
          facts.disposition,
          facts.charged,
          facts.hint,
        ]),
      ),
    ],
    [
      'page-failures',
      table(
        ['reason', 'meaning'],
        Object.entries(pageFailureMessages).map(([reason, message]) => [`\`${reason}\``, message]),
      ),
    ],
    [
      'refusals',
      table(
        ['reason', 'it is', 'remedy'],
        Object.entries(rejectReasons).map(([reason, { what, remedy }]) => [`\`${reason}\``, what, remedy ?? '']),
      ),
    ],
    [
      'keyword-refusals',
      table(
        ['reason', 'costs', 'it is', 'remedy'],
        Object.entries(keywordRejectReasons).map(([reason, { isRow, what, remedy }]) => [
          `\`${reason}\``,
          isRow ? 'the row' : 'the cell',
          what,
          remedy ?? '',
        ]),
      ),
    ],
    ...fileTables(reportFiles()),
    ...fileTables(Object.entries(exportColumns).map(([name, each]) => [`export-${name}`, each])),
    [
      'not-comparable',
      table(
        ['reason, as the note gives it', 'when'],
        incomparableReasons().map((row) => [...row]),
      ),
    ],
  ]);
}

/** The columns of every file of a report by the name of its section, in the order of the page. */
function reportFiles(): (readonly [string, readonly ColumnNote[]])[] {
  return [
    ...tableColumns,
    ['all-projects-long', agencyLongColumns],
    ['all-projects-wide', agencyWideColumns(['2026-11-20'])],
  ];
}

/** Every reason with sample numbers. A reason that is missing here does not compile. */
function incomparableReasons(): (readonly [string, string])[] {
  const reasons: Record<keyof typeof incomparable, readonly [string, string]> = {
    otherSource: [incomparable.otherSource('default/serper'), 'Another source gave the earlier pages'],
    ranksBelowResults: [
      incomparable.ranksBelowResults(57, 10),
      'The rank lies below the organic results that the earlier check read: it could not see the target there',
    ],
    rankedBelowResults: [
      incomparable.rankedBelowResults(57, 10),
      'The earlier rank lies below the organic results of this check: the target may still be there',
    ],
    ranksBelowPages: [
      incomparable.ranksBelowPages(5, 3),
      'The same by pages, where the number of results does not decide: the engine said that nothing follows',
    ],
    rankedBelowPages: [incomparable.rankedBelowPages(5, 3), 'The same for the earlier rank'],
    otherDepth: [incomparable.otherDepth(3, 10), 'Not found by either check, at different depths'],
    pageUnknown: [incomparable.pageUnknown(), 'Another tool recorded the rank without its page'],
    earlierPageUnknown: [incomparable.earlierPageUnknown(), 'The same for the earlier rank'],
    noBaseline: [incomparable.noBaseline('2026-01-08'), 'There are earlier checks, but none on the day asked for'],
    seenLater: [
      incomparable.seenLater('default/serper'),
      'The run of the earlier slot was late: it saw its pages after this check',
    ],
  };
  return Object.values(reasons).map(([reason, when]) => [`\`${reason}\``, when]);
}

/** The columns of a page's files. A column whose meaning the first file has is listed without it later. */
function fileTables(files: readonly (readonly [string, readonly ColumnNote[]])[]): (readonly [string, string])[] {
  const first = new Map<string, string>();
  return files.map(([file, notes]) => {
    const rows: string[][] = [];
    for (const { name, kind, description } of notes) {
      const meaning = `${kind}: ${description}`;
      const last = rows.at(-1);
      if (first.get(name) !== meaning) rows.push([`\`${name}\``, kind, description]);
      else if (last?.[2] === '') last[0] += `, \`${name}\``;
      else rows.push([`\`${name}\``, '', '']);
      if (!first.has(name)) first.set(name, meaning);
    }
    return [file, table(['column', 'kind', 'meaning'], rows)];
  });
}

/** Keys with a description, depth first; `<name>` stands for a chosen name, `[]` for each item of a list. */
function configKeys(path: string, node: SchemaNode): (readonly [string, string, string])[] {
  const rows: (readonly [string, string, string])[] = [];
  if (path !== '' && node.description !== undefined) {
    const standard =
      node.default === undefined || typeof node.default === 'object' ? '' : `\`${JSON.stringify(node.default)}\``;
    rows.push([`\`${path}\``, standard, node.description]);
  }
  for (const [name, child] of Object.entries(node.properties ?? {}))
    rows.push(...configKeys(path === '' ? name : `${path}.${name}`, child));
  if (typeof node.additionalProperties === 'object')
    rows.push(...configKeys(`${path}.<name>`, node.additionalProperties));
  if (node.items !== undefined) rows.push(...configKeys(`${path}[]`, node.items));
  for (const choice of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) rows.push(...configKeys(path, choice));
  const seen = new Set<string>();
  return rows.filter(([key]) => !seen.has(key) && seen.add(key));
}

/** The rows without keys that stand, with the same meanings, below an earlier key: the row above them names it. */
function withoutRepeatedKeys(
  rows: readonly (readonly [string, string, string])[],
): (readonly [string, string, string])[] {
  const kept: (readonly [string, string, string])[] = [];
  const earlier = new Map<string, string>();
  let repeated = '';
  for (const [key, standard, meaning] of rows) {
    const path = key.slice(0, -1);
    if (repeated !== '' && /^[.[]/.test(key.slice(repeated.length)) && key.startsWith(repeated)) continue;
    const below = rows.flatMap(([other, ...facts]) =>
      other.startsWith(path) && /^[.[]/.test(other.slice(path.length)) ? [[other.slice(path.length), ...facts]] : [],
    );
    const same = below.length > 1 ? earlier.get(JSON.stringify(below)) : undefined;
    repeated = same === undefined ? '' : path;
    if (same === undefined) earlier.set(JSON.stringify(below), key);
    kept.push([key, standard, same === undefined ? meaning : `${meaning} Keys as in ${same}.`]);
  }
  return kept;
}

/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
