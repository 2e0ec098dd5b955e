// `backfill import`: options that describe another tool's file, and the report of imported and rejected rows.

import { basename, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { GeoTargets } from '../../../config/rules/geo-targets.ts';
import { type ImportScopeOptions, importHistory as importRows } from '../../../jobs/backfill/import-history.ts';
import type { App } from '../../app/app.ts';
import { FileBytes, openTable, parseMarket } from '../../app/import/files.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import { geoTargets, parseLocationOption } from '../../app/opening/place-names.ts';
import { readHistory } from '../../import/history/read-history.ts';
import {
  type ColumnRole,
  columnRoles,
  importFormats,
  type ReadOptions,
  rejectReasons,
} from '../../import/history/table.ts';
import { sumOf } from '../../tracker/figures.ts';
import type { Project, Target } from '../../tracker/project.ts';
import { InvalidTarget, parseTarget, targetKey } from '../../tracker/targets/target.ts';
import type { Context, Example, FlagsOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { calendarDate, collected, wholeNumber } from '../parsed-command.ts';
import { usageError } from '../text/failure.ts';
import { amount } from '../text/numbers.ts';
import { asUsage, columnsByRole, importProgress, printRefused } from '../text/results/import-text.ts';
import { printable } from '../text/table.ts';

export const importExamples: readonly Example[] = [
  { command: 'backfill import semrush.csv --dry-run', does: 'show what would be imported, and import nothing' },
  { command: 'backfill import serpbear.json --project acme', does: 'the ranks that SerpBear recorded' },
  {
    command: 'backfill import ranks.csv --map keyword=Query,date=Day,rank=Pos --device mobile',
    does: 'any table: --map names its columns',
  },
];

const resultsPerPage = 10;

/** Adds the subcommand. */
export const describeImport = (command: Command) =>
  command
    .command('import')
    .description(
      'Import ranks that another tool recorded: Semrush, SerpBear, serposcope, `rankledger export`, or any CSV. They keep their source, are never compared with ranks of another source, and overwrite nothing.',
    )
    .argument('<file>', 'the export of the other tool')
    .option('-p, --project <id>', 'the project it belongs to (default: the only one)')
    .addOption(
      new Option('--format <format>', 'format of the file').choices(['auto', ...importFormats]).default('auto'),
    )
    .option('--map <columns>', `columns by name: keyword=Query,date=Day,rank=Pos; also ${rolesBeside}`, collected)
    .option('--target <target>', 'only this target; "NAME=TARGET" if the file uses another name for it', collected)
    .option('--country <code>', 'country of rows without one')
    .option('--language <code>', 'language of rows without one')
    .addOption(new Option('--device <device>', 'device of rows without one').choices(['desktop', 'mobile']))
    .option('--location <place>', 'place inside the country of rows without one, such as "Austin, Texas"')
    .option('--top <n>', 'how many results the tool checked: 100 means ten pages', topResults, 100)
    .option('--not-found <text>', 'a cell that means "not found", such as 0 or 101', collected)
    .addOption(
      new Option('--date-format <order>', 'how to read dates such as 03/04/2026').choices(['ymd', 'dmy', 'mdy']),
    )
    .option('--date <date>', 'date of a file without dates', calendarDate)
    .option('--dry-run', 'show what would be imported, and import nothing');

const rolesBeside = columnRoles.filter((role) => !['keyword', 'date', 'rank'].includes(role)).join(', ');

/** Runs the subcommand: 0 if every row was imported or known, 3 if some were not, 2 if the file cannot be read. */
export async function runImport(context: Context): Promise<ExitCode> {
  const file = resolve(context.host.cwd, context.args[0] ?? '');
  const map = columnsByRole(
    context.flags(describeImport).map ?? [],
    columnRoles,
    'keyword=COLUMN,date=COLUMN,rank=COLUMN',
  );
  const take = async (app: App): Promise<ImportReport> => {
    try {
      return await importHistory(app, context, file, map);
    } catch (error) {
      throw asUsage(error, context.shown, file);
    } finally {
      context.progress.clear();
    }
  };
  const report = await context.withApp(take, { keepsSchema: context.flags(describeImport).dryRun === true });
  if (context.json) context.out.json(report);
  else print(context, report);
  if (report.isInterrupted) return exitCodes.interrupted;
  return report.notTaken > 0 ? exitCodes.partial : exitCodes.done;
}

function topResults(written: string): number {
  const top = wholeNumber(resultsPerPage, 1000)(written);
  if (top % resultsPerPage === 0) return top;
  throw new InvalidArgumentError('Write a multiple of 10: pages are counted as ten results each.');
}

function print({ out, shown }: Context, report: ImportReport): void {
  const taken = report.ranked + report.notFound;
  const file = printable(shown(report.file));
  const did = report.isDryRun ? 'Would import' : 'Imported';
  const days = report.from === report.to ? `of ${report.from}` : `from ${report.from} to ${report.to}`;
  if (taken === 0) out.line(`Nothing to import from ${file} (${report.format}).`);
  else out.line(`${did} ${countRankings(taken)} ${days} into ${report.project}, as ${report.source}: ${file}`);
  if (taken > 0) out.line(`  ${amount(report.ranked)} ranked, ${amount(report.notFound)} not found`);
  if (report.notFound > 0 && report.format !== 'rankledger')
    out.line(`  "not found" means: not among the first ${amount(report.top)} results (--top)`);
  const notes: readonly (readonly [number, string])[] = [
    [report.untracked, 'of keywords that the project does not track'],
    [report.volumes, 'search volumes of months that are over'],
    [report.known, 'known already, left unchanged'],
    [report.empty, 'blank: not checked, or unknown'],
    [report.otherPages, 'of other pages of a keyword: its best rank counts'],
    [report.passedOver, 'of targets not named by --target, or of other projects'],
  ];
  for (const [count, what] of notes) if (count > 0) out.line(`  ${amount(count)} ${what}`);
  if (report.place !== null && taken > 0) {
    const where = report.location ?? 'the country';
    const note = `searched from ${report.place}: counted as ranks of ${where}`;
    out.line(`  ${out.styled('yellow', 'note')}  ${printable(note)}`);
  }
  printRefused(out, `Not imported: ${amount(report.notTaken)}`, report.refused);
  if (report.isInterrupted) out.line('Stopped before the end of the file. Run the same command again to continue.');
}

function countRankings(count: number): string {
  return count === 1 ? '1 ranking' : `${amount(count)} rankings`;
}

type ImportReport = Awaited<ReturnType<typeof importHistory>>;

/** Throws UnreadableFile for a file that cannot be read, usage errors for options that do not fit the project. */
async function importHistory(
  { config, context }: App,
  { flags, progress, signal }: Context,
  file: string,
  map: ReadonlyMap<ColumnRole, string>,
) {
  const options = flags(describeImport);
  const project = onlyOne(projectsNamed(config, options.project === undefined ? [] : [options.project]));
  const { top, dryRun: isDryRun = false } = options;
  const places = geoTargets(config);
  const stated = toScope(project, options, places);
  const readOptions: ReadOptions = {
    map,
    notFound: (options.notFound ?? []).map((text) => text.trim().toLowerCase()),
    top,
    timezone: project.timezone,
    dateFormat: options.dateFormat,
    date: options.date,
  };
  const asked = options.format === 'auto' ? null : options.format;
  const { bytes, found } = await openTable(new FileBytes(file), (pieces) => readHistory(pieces, asked, readOptions));
  try {
    if (!found.namesTargets && project.targets.length !== 1 && stated.only.length !== 1) throw targetMissing(project);
    const located = stated.location ?? trackedPlace(project, found.place, places);
    const scope = located === undefined ? stated : { ...stated, location: located };
    const formerly = [...config.formerly.projects].flatMap(([former, name]) => (name === project.id ? [former] : []));
    const request = { project, formerly, file: found, fileName: basename(file), scope, top, isDryRun };
    const onProgress = importProgress(progress);
    const { refused, ...tally } = await importRows(context, request, signal, () => onProgress(bytes.read, bytes.total));
    const { format, encoding, delimiter, place } = found;
    return {
      file,
      project: project.id,
      format,
      encoding,
      /** Null: JSON. */
      delimiter,
      /** As history shows it: `import/<format>`; of our own export, `import/` and the source of each row. */
      source: format === 'rankledger' ? 'import/SERVICE/SOURCE' : `import/${format}`,
      /** The place inside a country where the tool searched, by the file as a whole. */
      place,
      /** Where rows without a place count; null: in the country as a whole. */
      location: located ?? null,
      top,
      isDryRun,
      ...tally,
      notTaken: sumOf(refused, ({ count }) => count),
      refused: refused.map((group) => ({ ...group, ...rejectReasons[group.reason] })),
    };
  } finally {
    bytes.close();
  }
}

function onlyOne([project, ...others]: readonly Project[]): Project {
  if (project === undefined) throw usageError('the config has no project to import history into');
  if (others.length === 0) return project;
  const known = [project, ...others].map(({ id }) => id).join(', ');
  throw usageError(`name the project of the file with --project; the config has: ${known}`);
}

function targetMissing(project: Project): Error {
  const known = project.targets.map(({ value }) => value).join(', ');
  return usageError(`the file names no target: name one with --target; project ${project.id} has: ${known}`);
}

/** The place of a whole file, where the project tracks it; else its ranks count for the country. */
function trackedPlace({ keywords }: Project, place: string | null, places: GeoTargets): string | undefined {
  if (place === null) return undefined;
  const tracked = keywords.find(({ country, location }) => {
    const found = location === undefined ? undefined : places.resolve(place, country);
    return found !== undefined && 'location' in found && found.location === location;
  });
  return tracked?.location;
}

function toScope(project: Project, options: FlagsOf<typeof describeImport>, places: GeoTargets): ImportScopeOptions {
  const { device } = options;
  const { country, language } = parseMarket(options);
  const only: Target[] = [];
  const named = new Map<string, Target>();
  for (const written of options.target ?? []) {
    const own = findTarget(project, written);
    const at = written.indexOf('=');
    const meant = own ?? (at <= 0 ? null : findTarget(project, written.slice(at + 1)));
    if (meant === null) throw unknownTarget(project, written);
    if (own === null) named.set(written.slice(0, at).trim().toLowerCase(), meant);
    only.push(meant);
  }
  const written = options.location;
  const [usual] = project.keywords;
  const location = written && parseLocationOption(places, written, country ?? usual?.country ?? '');
  return {
    only,
    named,
    ...(country === null ? {} : { country }),
    ...(language === null ? {} : { language }),
    device,
    location,
    locate(written, of) {
      const place = places.resolve(written, of);
      return 'location' in place ? (place.location ?? null) : null;
    },
  };
}

/** The target of the project that is written so in the config, or means the same; null: it has none. */
function findTarget(project: Project, written: string): Target | null {
  const targets = [...project.targets, ...project.competitors];
  const literal = targets.find(({ value }) => value === written.trim());
  if (literal !== undefined) return literal;
  try {
    const key = targetKey(parseTarget(written));
    return targets.find((target) => targetKey(target) === key) ?? null;
  } catch (error) {
    if (error instanceof InvalidTarget) return null;
    throw error;
  }
}

function unknownTarget(project: Project, written: string): Error {
  const known = [...project.targets, ...project.competitors].map(({ value }) => value).join(', ');
  return usageError(
    `--target "${written}" is not a target or competitor of project ${project.id}, which has: ${known}`,
  );
}
