// manifest.json: what a report is of and how far it can be trusted, beside the files it describes. Hashing and writing are left to the jobs.

/** Where the data comes from; only `live` is the world. */
export type DataKind = 'live' | 'sandbox' | 'replay';

export interface ManifestFile {
  readonly name: string;
  /** Without the header; null where the file is no table. */
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
  /** Why the run is suspect; null where it is not. */
  readonly suspectReason: string | null;
  /** Prices that providers stated above the agreed ones, in words. Default: none. */
  readonly disputes?: readonly string[];
  /** On which day the pages were seen, where that is not the day of the slot; absent or null where it is. */
  readonly late?: string | null;
  readonly coverage: { readonly checked: number; readonly total: number };
  /** What was compared with: `previous`, `7d`, a date. */
  readonly compare: string;
  readonly ctrCurve: string;
  readonly data: { readonly kind: DataKind; readonly sources: readonly string[] };
  readonly csv: { readonly bom: boolean; readonly delimiter: string; readonly safe: boolean };
  readonly files: readonly ManifestFile[];
  /** UTC milliseconds. */
  readonly generatedAt: number;
}

/** The written form: JSON as it stands. `format` rises with any change that a reader could trip over. */
export interface Manifest {
  readonly format: 1;
  readonly project: string;
  readonly run: {
    readonly id: number;
    readonly kind: 'ranks' | 'volumes';
    readonly slot: string;
    readonly timezone: string;
    readonly status: string;
    readonly openedAt: string;
    readonly closedAt: string | null;
  };
  readonly suspect: boolean;
  readonly suspectReason: string | null;
  readonly late: string | null;
  /** The report's banner in one line; null where there is nothing to warn of. */
  readonly warning: string | null;
  readonly coverage: { readonly checked: number; readonly total: number };
  readonly compare: string;
  readonly ctrCurve: string;
  readonly data: { readonly kind: DataKind; readonly simulated: boolean; readonly sources: readonly string[] };
  readonly csv: { readonly bom: boolean; readonly delimiter: string; readonly safe: boolean };
  readonly files: readonly ManifestFile[];
  readonly generatedAt: string;
}

/** Builds the manifest. Times become ISO 8601. */
export function buildManifest(input: ManifestInput): Manifest {
  const { run, data } = input;
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
    ctrCurve: input.ctrCurve,
    data: { kind: data.kind, simulated: data.kind !== 'live', sources: data.sources },
    csv: input.csv,
    files: input.files,
    generatedAt: iso(input.generatedAt),
  };
}

/** One line that stands at the top of a report, in summary.csv's `warning` column and in the manifest; null where all is well. */
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
  return warnings.length === 0 ? null : warnings.join('; ');
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
