// The manifest describes a report and what to know before trusting it.
import { describe, expect, it } from 'vitest';
import { buildManifest, type ManifestInput, reportWarning } from '../../../src/report/tables/manifest.ts';

const input: ManifestInput = {
  project: 'acme',
  run: {
    id: 7,
    kind: 'ranks',
    slot: '2026-01-02T06:00',
    timezone: 'Europe/Berlin',
    status: 'complete',
    openedAt: Date.UTC(2026, 0, 2, 5),
    closedAt: Date.UTC(2026, 0, 2, 5, 10),
  },
  suspectReason: null,
  coverage: { checked: 9, total: 10 },
  compare: 'previous',
  ctrCurve: 'sistrix-2020',
  data: { kind: 'live', sources: ['vendor/remote'] },
  csv: { bom: true, delimiter: ',', safe: true },
  files: [{ name: 'rank-changes.csv', rows: 10, bytes: 1_000, sha256: 'ab'.repeat(32) }],
  generatedAt: Date.UTC(2026, 0, 2, 5, 11),
};

describe('the manifest', () => {
  it('names run, coverage, files and their hashes, with times in ISO 8601', () => {
    const manifest = buildManifest(input);
    expect(manifest).toMatchObject({
      format: 1,
      project: 'acme',
      run: {
        id: 7,
        slot: '2026-01-02T06:00',
        openedAt: '2026-01-02T05:00:00.000Z',
        closedAt: '2026-01-02T05:10:00.000Z',
      },
      suspect: false,
      warning: null,
      coverage: { checked: 9, total: 10 },
      data: { kind: 'live', simulated: false, sources: ['vendor/remote'] },
      generatedAt: '2026-01-02T05:11:00.000Z',
    });
    expect(manifest.files).toEqual(input.files);
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
    expect(buildManifest({ ...input, run: { ...input.run, closedAt: null } }).run.closedAt).toBeNull();
  });

  it('warns of a suspect run, and of simulated or recorded data', () => {
    const manifest = buildManifest({
      ...input,
      suspectReason: '5 of 10 ranked keywords were lost at once',
      data: { kind: 'sandbox', sources: ['default/sandbox'] },
    });
    expect(manifest).toMatchObject({ suspect: true, data: { simulated: true } });
    expect(manifest.warning).toBe(
      'suspect run: 5 of 10 ranked keywords were lost at once; simulated data (sandbox), not real results',
    );
    expect(reportWarning(null, 'replay')).toContain('replayed');
    expect(reportWarning(null, 'live')).toBeNull();
  });
});
