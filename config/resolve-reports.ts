// Resolves the reports of the config: folder, formats, deliveries, templates; reads and checks logos.

import { readFileSync, statSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { type Comparison, parseComparison } from '../src/tracker/changes/change.ts';
import {
  commentDays,
  type DeliveryRule,
  type Logo,
  type ReportTemplate,
  weekdays,
} from '../src/tracker/changes/client-reports.ts';
import { type ReportTableName, reportTables } from '../src/tracker/report-tables.ts';
import type { PartialConfig } from './document/draft.ts';
import type { ConfigIssue, Path } from './document/problems.ts';
import { channelsOf } from './rules/alerts-rules.ts';
import { listDeliveries, type WrittenTemplate } from './schema/reports-schema.ts';
import { durationMs } from './schema/schema-parts.ts';

export interface ReportsConfig {
  /** Absolute. */
  readonly directory: string;
  readonly csv: { readonly bom: boolean; readonly delimiter: ',' | ';' | '\t'; readonly safe: boolean };
  readonly html: boolean;
  readonly xlsx: boolean;
  readonly tables: ReadonlySet<ReportTableName>;
  /** Absolute; absent: that of a source, or the one that is installed. */
  readonly browser?: string;
  readonly ctrCurve: string;
  readonly compare: Comparison;
  /** Absent: derived from the distance to the baseline. */
  readonly toleranceMs?: number;
  /** Ends with `/`; absent: reports are not published. */
  readonly url?: string;
  readonly agency: boolean;
  readonly agencyDays: number;
  readonly deliveries: readonly DeliveryRule[];
  /** Of what shows all projects. */
  readonly template: ReportTemplate;
  /** By project. */
  readonly templates: ReadonlyMap<string, ReportTemplate>;
}

export function resolveReports(draft: PartialConfig, directory: string, logos: Logos): ReportsConfig {
  const { dir, csv, compare, tolerance, url, template, browser, tables, deliver: _, ...rest } = draft.written.reports;
  return {
    directory: resolvePath(directory, dir),
    csv: { ...csv, delimiter: csv.delimiter === 'tab' ? '\t' : csv.delimiter },
    ...rest,
    tables: new Set(reportTables.filter((name) => tables === 'all' || tables.includes(name))),
    compare: parseComparison(compare) ?? { kind: 'previous' },
    browser: browser === undefined ? undefined : resolvePath(directory, browser),
    url: url === undefined ? undefined : `${trimSlashes(url)}/`,
    toleranceMs: tolerance === undefined ? undefined : durationMs(tolerance),
    deliveries: resolveDeliveries(draft),
    template: resolveTemplate(logos, template),
    templates: new Map(
      draft.projects.map(({ written }) => [written.id, resolveTemplate(logos, template, written.template)]),
    ),
  };
}

/** An address without slashes at its end. */
export function trimSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}

const monday = 1;

function resolveDeliveries(draft: PartialConfig): DeliveryRule[] {
  return listDeliveries(draft.written.reports.deliver).map((delivery) => {
    const { every, day, at, projects, attach } = delivery;
    const ofWeek = typeof day === 'string' ? weekdays.indexOf(day) : monday;
    const ofMonth = typeof day === 'number' ? day : 1;
    return {
      every,
      day: every === 'daily' ? null : every === 'weekly' ? ofWeek : ofMonth,
      at,
      channels: channelsOf(delivery, draft),
      projects: projects ?? null,
      attach,
    };
  });
}

/** Each report and mail carries the logo. */
const logoBytesMax = 262_144;

/** The logos of a config by their written path, and those that cannot be used. */
export interface Logos {
  readonly byPath: ReadonlyMap<string, Logo>;
  readonly issues: readonly ConfigIssue[];
}

/** Reads all logos. Written paths are relative to `directory`. */
export function readLogos({ written, projects, invalidKeys }: PartialConfig, directory: string): Logos {
  const named: { readonly path: Path; readonly logo: string | undefined }[] = [
    ...(invalidKeys.has('reports')
      ? []
      : [{ path: ['reports', 'template', 'logo'], logo: written.reports.template?.logo }]),
    ...projects.map(({ index, written: project }) => ({
      path: ['projects', index, 'template', 'logo'],
      logo: project.template?.logo,
    })),
  ];
  const byPath = new Map<string, Logo>();
  const issues: ConfigIssue[] = [];
  for (const { path, logo } of named) {
    if (logo === undefined) continue;
    const read = byPath.get(logo) ?? readLogo(resolvePath(directory, logo));
    if (typeof read === 'string') issues.push({ path, message: `${logo} ${read}` });
    else byPath.set(logo, read);
  }
  return { byPath, issues };
}

/** A logo, or what is wrong with it. */
function readLogo(file: string): Logo | string {
  let bytes: Buffer;
  try {
    const facts = statSync(file);
    if (!facts.isFile()) return 'is not a file';
    if (facts.size > logoBytesMax)
      return `is too large (${Math.ceil(facts.size / 1024)} KiB): a logo has at most ${logoBytesMax / 1024} KiB, because each report carries it`;
    bytes = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
    return code === 'EACCES' ? 'is not readable: check its permissions' : `cannot be read (${code ?? String(error)})`;
  }
  const type = typeOf(bytes);
  if (type === null) return 'is not a picture that reports can show: save it as PNG, JPEG or SVG';
  return { type, base64: bytes.toString('base64') };
}

const pngStart = Buffer.from('89504e470d0a1a0a', 'hex');
const jpegStart = Buffer.from('ffd8ff', 'hex');
const svgHeadBytes = 4_096;

/** By content: a file name proves nothing. */
function typeOf(bytes: Buffer): Logo['type'] | null {
  if (bytes.subarray(0, pngStart.length).equals(pngStart)) return 'image/png';
  if (bytes.subarray(0, jpegStart.length).equals(jpegStart)) return 'image/jpeg';
  const head = bytes.subarray(0, svgHeadBytes).toString('utf8').trimStart();
  return head.startsWith('<') && /<svg[\s>]/.test(head) && !/<html[\s>]/i.test(head) ? 'image/svg+xml' : null;
}

/** The template of a project; of none: that of all projects. Later ones stand before earlier ones, key by key. */
function resolveTemplate({ byPath }: Logos, ...written: readonly (WrittenTemplate | undefined)[]): ReportTemplate {
  const last = <Value>(of: (template: WrittenTemplate) => Value | undefined): Value | null =>
    written.map((template) => template && of(template)).findLast((value) => value !== undefined) ?? null;
  const [sections, columns] = [last((each) => each.sections), last((each) => each.columns)];
  return {
    name: last(({ name }) => name?.trim()),
    logo: byPath.get(last(({ logo }) => logo) ?? '') ?? null,
    accent: last(({ colours }) => colours?.accent?.toLowerCase()),
    series: last(({ colours }) => colours?.series?.map((colour) => colour.toLowerCase())) ?? [],
    introduction: last(({ introduction }) => introduction),
    comments: (last(({ comments }) => comments) ?? []).flatMap(({ period, text }) => {
      const days = commentDays(period);
      return days === null ? [] : [{ ...days, text }];
    }),
    sections: sections === null ? null : [...new Set(sections)],
    columns: columns === null ? null : [...new Set(columns)],
  };
}
