// Imports the rankings that another tool recorded, from its file.
import { basename } from 'node:path';
import type { GeoTargets } from '../../../config/rules/geo-targets.ts';
import type { ImportScopeOptions } from '../../../jobs/backfill/import-history.ts';
import { type ImportTally, importHistory as importRows } from '../../../jobs/backfill/import-history.ts';
import type { DateFormat } from '../../import/cells/dates.ts';
import { readHistory } from '../../import/history/read-history.ts';
import { type ColumnRole, type ImportFormat, type ReadOptions, rejectReasons } from '../../import/history/table.ts';
import type { Project, Target } from '../../tracker/project.ts';
import { InvalidTarget, parseTarget, targetKey } from '../../tracker/targets/target.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { geoTargets, parseLocationOption } from '../opening/place-names.ts';
import { UsageError } from '../opening/usage-error.ts';
import { FileBytes } from './file-bytes.ts';
import { parseMarket } from './row-markets.ts';

export interface ImportOptions {
  /** Absolute. */
  readonly file: string;
  /** Default: the config's only one. */
  readonly project?: string;
  /** Default: recognised. */
  readonly format?: ImportFormat;
  readonly map?: ReadonlyMap<ColumnRole, string>;
  /** Targets of the project, as the config writes them; `NAME=TARGET` for one that the file has another name for. */
  readonly targets?: readonly string[];
  /** For rows that do not say it themselves. */
  readonly country?: string;
  readonly language?: string;
  readonly device?: 'desktop' | 'mobile';
  /** A place inside the country, for rows that do not say one. */
  readonly location?: string;
  /** How many results the tool looked at. Default: 100. */
  readonly top?: number;
  readonly dateFormat?: DateFormat;
  /** The day of a file that names none, `YYYY-MM-DD`. */
  readonly date?: string;
  /** Texts that mean "not found", in addition to those of the format. */
  readonly notFound?: readonly string[];
  readonly isDryRun?: boolean;
  readonly signal?: AbortSignal;
  /** Bytes. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The result of an import. */
export interface ImportReport extends Omit<ImportTally, 'refused'> {
  readonly file: string;
  readonly project: string;
  readonly format: ImportFormat;
  readonly encoding: string;
  /** Null: JSON. */
  readonly delimiter: string | null;
  /** As history shows it: `import/<format>`; of our own export, `import/` and the source of each row. */
  readonly source: string;
  /** The place inside a country where the tool searched, by the file as a whole. */
  readonly place: string | null;
  /** Where rows without a place count; null: in the country as a whole. */
  readonly location: string | null;
  readonly top: number;
  readonly isDryRun: boolean;
  readonly notTaken: number;
  readonly refused: readonly (ImportTally['refused'][number] & {
    readonly what: string;
    readonly remedy: string | null;
  })[];
}

/** The usual depth of rank trackers. */
const topDefault = 100;

/** Throws UnreadableFile for a file that cannot be read, UsageError for options that do not fit the project. */
export async function importHistory({ config, context }: App, options: ImportOptions): Promise<ImportReport> {
  const ids = options.project === undefined ? [] : [options.project];
  const project = onlyOne(projectsNamed(config, ids));
  const { file, top = topDefault, isDryRun = false, onProgress } = options;
  const places = geoTargets(config);
  const stated = toScope(project, options, places);
  const bytes = new FileBytes(file);
  try {
    const readOptions: ReadOptions = {
      map: options.map ?? new Map(),
      notFound: (options.notFound ?? []).map((text) => text.trim().toLowerCase()),
      top,
      timezone: project.timezone,
      dateFormat: options.dateFormat,
      date: options.date,
    };
    const found = readHistory(() => bytes.pieces(), options.format ?? null, readOptions);
    if (!found.namesTargets && project.targets.length !== 1 && stated.only.length !== 1) throw targetMissing(project);
    const located = stated.location ?? trackedPlace(project, found.place, places);
    const scope = located === undefined ? stated : { ...stated, location: located };
    const formerly = [...config.formerly.projects].flatMap(([former, name]) => (name === project.id ? [former] : []));
    const request = { project, formerly, file: found, fileName: basename(file), scope, top, isDryRun };
    const stop = options.signal ?? new AbortController().signal;
    const { refused, ...tally } = await importRows(context, request, stop, () => onProgress?.(bytes.read, bytes.total));
    const { format, encoding, delimiter, place } = found;
    return {
      file,
      project: project.id,
      format,
      encoding,
      delimiter,
      source: format === 'rankledger' ? 'import/SERVICE/SOURCE' : `import/${format}`,
      place,
      location: located ?? null,
      top,
      isDryRun,
      ...tally,
      notTaken: refused.reduce((sum, { count }) => sum + count, 0),
      refused: refused.map((group) => ({ ...group, ...rejectReasons[group.reason] })),
    };
  } finally {
    bytes.close();
  }
}

function onlyOne([project, ...others]: readonly Project[]): Project {
  if (project === undefined) throw new UsageError('the config has no project to import history into');
  if (others.length === 0) return project;
  const known = [project, ...others].map(({ id }) => id).join(', ');
  throw new UsageError(`name the project of the file with --project; the config has: ${known}`);
}

function targetMissing(project: Project): UsageError {
  const known = project.targets.map(({ value }) => value).join(', ');
  return new UsageError(`the file names no target: name one with --target; project ${project.id} has: ${known}`);
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

function toScope(project: Project, options: ImportOptions, places: GeoTargets): ImportScopeOptions {
  const { device } = options;
  const { country, language } = parseMarket(options);
  const only: Target[] = [];
  const named = new Map<string, Target>();
  for (const written of options.targets ?? []) {
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

function unknownTarget(project: Project, written: string): UsageError {
  const known = [...project.targets, ...project.competitors].map(({ value }) => value).join(', ');
  return new UsageError(
    `--target "${written}" is not a target or competitor of project ${project.id}, which has: ${known}`,
  );
}
