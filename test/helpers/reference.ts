// The reference tables of the README, made from the product itself: commands, config keys, error codes and CSV columns.
import { jsonSchema } from '../../config/schema.ts';
import { commandTable } from '../../src/cli/command-table.ts';
import { keywordRefusals } from '../../src/import/keyword-reading.ts';
import { refusals } from '../../src/import/reading.ts';
import { agencyLongColumnNotes, agencyWideColumnNotes } from '../../src/report/agency.ts';
import { cannibalizationColumnNotes } from '../../src/report/cannibalization.ts';
import { competitorColumnNotes } from '../../src/report/competitors.ts';
import { type ColumnNote, columnNotes } from '../../src/report/csv.ts';
import { destinationColumnNotes } from '../../src/report/destinations.ts';
import { discoveredColumnNotes } from '../../src/report/discovered-competitors.ts';
import { exportColumns } from '../../src/report/export-columns.ts';
import { intentColumnNotes } from '../../src/report/intents.ts';
import { moverColumnNotes } from '../../src/report/movers.ts';
import { problemColumnNotes } from '../../src/report/problems.ts';
import { rankChangeColumnNotes } from '../../src/report/rank-changes.ts';
import { featureColumnNotes } from '../../src/report/serp-features.ts';
import { movementColumnNotes } from '../../src/report/serp-movement.ts';
import { spendColumnNotes } from '../../src/report/spend.ts';
import { summaryColumnNotes } from '../../src/report/summary.ts';
import { volumeColumnNotes } from '../../src/report/volumes.ts';
import { errorTable } from '../../src/service/index.ts';

interface SchemaNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
}

/** Every reference table by the name of its place in the README. */
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
        configKeys('', jsonSchema() as SchemaNode).map((row) => [...row]),
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
      'refusals',
      table(
        ['reason', 'it is', 'remedy'],
        Object.entries(refusals).map(([reason, { what, remedy }]) => [`\`${reason}\``, what, remedy ?? '']),
      ),
    ],
    [
      'keyword-refusals',
      table(
        ['reason', 'costs', 'it is', 'remedy'],
        Object.entries(keywordRefusals).map(([reason, { isRow, what, remedy }]) => [
          `\`${reason}\``,
          isRow ? 'the row' : 'the cell',
          what,
          remedy ?? '',
        ]),
      ),
    ],
    ['rank-changes', columns(rankChangeColumnNotes())],
    ['summary', columns(summaryColumnNotes())],
    ['movers', columns(moverColumnNotes())],
    ['problems', columns(problemColumnNotes())],
    ['intents', columns(intentColumnNotes())],
    ['spend', columns(spendColumnNotes())],
    ['volumes', columns(volumeColumnNotes())],
    ['all-projects-long', columns(agencyLongColumnNotes())],
    ['all-projects-wide', columns(agencyWideColumnNotes())],
    ['competitors', columns(competitorColumnNotes())],
    ['serp-features', columns(featureColumnNotes())],
    ['serp-movement', columns(movementColumnNotes())],
    ['cannibalization', columns(cannibalizationColumnNotes())],
    ['discovered-competitors', columns(discoveredColumnNotes())],
    ['destinations', columns(destinationColumnNotes())],
    ...Object.entries(exportColumns).map(([name, each]) => [`export-${name}`, columns(columnNotes(each))] as const),
  ]);
}

function columns(notes: readonly ColumnNote[]): string {
  return table(
    ['column', 'kind', 'meaning'],
    notes.map(({ name, kind, description }) => [`\`${name}\``, kind, description]),
  );
}

/** Keys with a description, depth first; `<name>` stands for a name of one's own, `[]` for each of a list. */
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

/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
