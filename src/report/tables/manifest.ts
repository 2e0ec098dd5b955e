// manifest.json: the run, its reliability, and the files of a report with checksums.
import { joinNotes } from '../../read/note.ts';

/** Origin of the data; only `live` is real. */
export type DataKind = 'live' | 'sandbox' | 'replay';

export interface ManifestFile {
  readonly name: string;
  /** Without the header; null: not a table. */
  readonly rows: number | null;
  readonly bytes: number;
  /** Of the file's bytes, lower-case hex. */
  readonly sha256: string;
}

export interface ManifestInput {
  readonly project: string;
  readonly run: {
    readonly id: number;
    readonly kind: 'ranks' | 'volumes';
    /** Local date-time, `YYYY-MM-DDTHH:mm`. */
    readonly slot: string;
    readonly timezone: string;
    /** State of the run: complete, partial, halted, ... */
    readonly status: string;
    /** UTC milliseconds, like `closedAt`. */
    readonly openedAt: number;
    readonly closedAt: number | null;
  };
  /** Why the run is suspect; null: it is not. */
  readonly suspectReason: string | null;
  /** Texts about providers that stated higher prices than agreed. Default: none. */
  readonly disputes?: readonly string[];
  /** The day on which the pages were read, if not the slot's; absent or null: the same. */
  readonly late?: string | null;
  readonly coverage: { readonly checked: number; readonly total: number };
  /** The baseline: `previous`, `7d`, a date. */
  readonly compare: string;
  /** Of a report on another day, or on a period: local dates. */
  readonly asOf?: string;
  readonly period?: { readonly from: string; readonly to: string };
  readonly ctrCurve: string;
  readonly data: { readonly kind: DataKind; readonly sources: readonly string[] };
  readonly csv: { readonly bom: boolean; readonly delimiter: string; readonly safe: boolean };
  readonly files: readonly ManifestFile[];
  /** UTC milliseconds. */
  readonly generatedAt: number;
}

/** The JSON document. `format` increases with every incompatible change. */
export interface Manifest
  extends Pick<
    ManifestInput,
    'project' | 'suspectReason' | 'coverage' | 'compare' | 'asOf' | 'period' | 'ctrCurve' | 'csv' | 'files'
  > {
  readonly format: 1;
  readonly run: Omit<ManifestInput['run'], 'openedAt' | 'closedAt'> & {
    readonly openedAt: string;
    readonly closedAt: string | null;
  };
  readonly suspect: boolean;
  readonly late: string | null;
  /** The warning of the report in one line; null: none. */
  readonly warning: string | null;
  readonly data: { readonly kind: DataKind; readonly simulated: boolean; readonly sources: readonly string[] };
  readonly generatedAt: string;
}

/** Builds the manifest. Times become ISO 8601. */
export function buildManifest(input: ManifestInput): Manifest {
  const { run, data, asOf, period } = input;
  return {
    format: 1,
    project: input.project,
    run: {
      id: run.id,
      kind: run.kind,
      slot: run.slot,
      timezone: run.timezone,
      status: run.status,
      openedAt: iso(run.openedAt),
      closedAt: run.closedAt === null ? null : iso(run.closedAt),
    },
    suspect: input.suspectReason !== null,
    suspectReason: input.suspectReason,
    late: input.late ?? null,
    warning: reportWarning(input.suspectReason, data.kind, input.disputes, input.late),
    coverage: input.coverage,
    compare: input.compare,
    asOf,
    period,
    ctrCurve: input.ctrCurve,
    data: { kind: data.kind, simulated: data.kind !== 'live', sources: data.sources },
    csv: input.csv,
    files: input.files,
    generatedAt: iso(input.generatedAt),
  };
}

/** One line for the top of a report, the `warning` column of summary.csv and the manifest; null: no warning. */
export function reportWarning(
  suspectReason: string | null,
  kind: DataKind,
  disputes: readonly string[] = [],
  late: string | null = null,
): string | null {
  const warnings: string[] = disputes.map((words) => `price in dispute: ${words}`);
  if (late !== null) warnings.push(`late run: ${late}`);
  if (suspectReason !== null) warnings.push(`suspect run: ${suspectReason}`);
  if (kind === 'sandbox') warnings.push('simulated data (sandbox), not real results');
  if (kind === 'replay') warnings.push('replayed recordings, not fresh results');
  return joinNotes(warnings);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
