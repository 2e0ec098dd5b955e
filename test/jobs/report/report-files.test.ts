// Report files appear complete or not at all when writing fails.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LatestLink, ReportError, ReportFolder } from '../../../jobs/report/files/report-files.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

function publish(parent: string, name: string, text: string, latest: LatestLink = 'set'): string {
  const folder = new ReportFolder(parent);
  folder.add('a.csv', [text]);
  folder.add('manifest.json', ['{}']);
  return folder.publish(name, latest);
}

const contents = (...path: string[]): string => readFileSync(join(...path), 'utf8');

function* brokenAfter(text: string, code: string): Generator<string> {
  yield text;
  throw Object.assign(new Error(`${code}: no space left on device`), { code });
}

describe('a report folder', () => {
  it('is created with its parents, and latest points at it', () => {
    const parent = join(temporaryFolder(), 'new', 'acme');
    expect(publish(parent, 'one', 'x')).toBe(join(parent, 'one'));
    expect(readdirSync(parent).sort()).toEqual(['latest', 'one']);
    expect(readlinkSync(join(parent, 'latest'))).toBe('one');
    expect(contents(parent, 'latest', 'a.csv')).toBe('x');
  });

  it('returns the size and the hash of each file', () => {
    const folder = new ReportFolder(temporaryFolder());
    const sha256 = createHash('sha256').update('Zürich').digest('hex');
    expect(folder.add('a.csv', ['Zü', 'rich'])).toEqual({ name: 'a.csv', bytes: 7, sha256 });
    folder.discard();
  });

  it('accepts files that are written concurrently in pieces', () => {
    const parent = temporaryFolder();
    const folder = new ReportFolder(parent);
    const pieces = (['0a', '1x', '0b', '1', '0c'] as const).map((each) => [Number(each[0]), each.slice(1)] as const);
    const files = folder.addTogether(['a.csv', 'b.csv', 'empty.csv'], pieces);
    folder.publish('one', 'set');
    expect(files.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['a.csv', 3],
      ['b.csv', 1],
      ['empty.csv', 0],
    ]);
    expect(['a.csv', 'b.csv', 'empty.csv'].map((name) => contents(parent, 'one', name))).toEqual(['abc', 'x', '']);
    expect(files[0]?.sha256).toBe(createHash('sha256').update('abc').digest('hex'));
  });

  it('of a run that is reported again replaces the files of the first report', () => {
    const parent = temporaryFolder();
    publish(parent, 'one', 'first');
    publish(parent, 'one', 'second');
    expect(contents(parent, 'one', 'a.csv')).toBe('second');
    expect(readdirSync(parent).sort()).toEqual(['latest', 'one']);
  });

  it('of a run that is reported again has the files of the manifest and those that users added', () => {
    const parent = temporaryFolder();
    const first = new ReportFolder(parent);
    for (const name of ['a.csv', 'report.xlsx']) first.add(name, ['first']);
    first.add('manifest.json', [JSON.stringify({ files: [{ name: 'a.csv' }, { name: 'report.xlsx' }] })]);
    writeFileSync(join(first.publish('one', 'set'), 'notes.txt'), 'mine');
    publish(parent, 'one', 'second');
    expect(readdirSync(join(parent, 'one')).sort()).toEqual(['a.csv', 'manifest.json', 'notes.txt']);
    expect(contents(parent, 'one', 'notes.txt')).toBe('mine');
    expect(contents(parent, 'latest', 'a.csv')).toBe('second');
    expect(readdirSync(parent).sort()).toEqual(['latest', 'one']);
  });

  it('that a process left as the target of latest stays until another one replaces it', () => {
    const parent = temporaryFolder();
    mkdirSync(join(parent, '.writing-x'));
    writeFileSync(join(parent, '.writing-x', 'a.csv'), 'whole');
    symlinkSync('.writing-x', join(parent, 'latest'));
    const longAgo = new Date('2020-01-01');
    utimesSync(join(parent, '.writing-x'), longAgo, longAgo);
    const folder = new ReportFolder(parent);
    expect(contents(parent, 'latest', 'a.csv')).toBe('whole');
    folder.discard();
    publish(parent, 'one', 'new');
    expect(contents(parent, 'latest', 'a.csv')).toBe('new');
    new ReportFolder(parent).discard();
    expect(readdirSync(parent).sort()).toEqual(['latest', 'one']);
  });

  it('of an earlier slot does not change latest', () => {
    const parent = temporaryFolder();
    publish(parent, 'newer', 'newer');
    publish(parent, 'older', 'older', 'set-if-missing');
    expect(contents(parent, 'latest', 'a.csv')).toBe('newer');
    expect(contents(parent, 'older', 'a.csv')).toBe('older');
  });

  it.each(['ENOSPC', 'EIO'])('that fails with %s keeps the old report and leaves no partial file', (code) => {
    const parent = temporaryFolder();
    publish(parent, 'one', 'whole');
    const folder = new ReportFolder(parent);
    expect(() => folder.add('a.csv', brokenAfter('half', code))).toThrow(ReportError);
    expect(readdirSync(parent).sort()).toEqual(['latest', 'one']);
    expect(contents(parent, 'latest', 'a.csv')).toBe('whole');
  });

  it('names a full disk as the cause, and says that history is safe', () => {
    const folder = new ReportFolder(temporaryFolder());
    let caught: unknown;
    try {
      folder.add('a.csv', brokenAfter('half', 'ENOSPC'));
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({
      message: expect.stringContaining('the disk is full'),
      hint: expect.stringContaining('History is safe'),
    });
  });

  it('whose path is not a folder, or vanishes, fails with a ReportError', () => {
    const parent = temporaryFolder();
    writeFileSync(join(parent, 'file'), '');
    expect(() => new ReportFolder(join(parent, 'file', 'acme'))).toThrow(ReportError);
    const folder = new ReportFolder(parent);
    folder.discard();
    expect(() => folder.add('a.csv', ['x'])).toThrow(ReportError);
  });

  it('deletes what a crash left long ago, and keeps what another process is writing', () => {
    const parent = temporaryFolder();
    mkdirSync(join(parent, '.writing-old'));
    writeFileSync(join(parent, '.writing-old', 'a.csv'), 'half');
    const longAgo = new Date('2020-01-01');
    utimesSync(join(parent, '.writing-old'), longAgo, longAgo);
    const other = new ReportFolder(parent);
    other.add('a.csv', ['theirs']);
    publish(parent, 'one', 'ours');
    expect(existsSync(join(parent, '.writing-old'))).toBe(false);
    other.add('manifest.json', ['{}']);
    other.publish('two', 'set');
    expect(contents(parent, 'two', 'a.csv')).toBe('theirs');
    expect(readlinkSync(join(parent, 'latest'))).toBe('two');
  });

  it('that two processes write for one slot is complete, and that of the later one', () => {
    const parent = temporaryFolder();
    const [first, second] = [new ReportFolder(parent), new ReportFolder(parent)];
    for (const [folder, text] of [
      [first, '1'],
      [second, '2'],
    ] as const) {
      folder?.add('a.csv', [text]);
      folder?.add('manifest.json', [text]);
    }
    first?.publish('one', 'set');
    second?.publish('one', 'set');
    first?.discard();
    second?.discard();
    expect(contents(parent, 'latest', 'a.csv') + contents(parent, 'latest', 'manifest.json')).toBe('22');
    expect(readdirSync(parent).sort()).toEqual(['latest', 'one']);
  });
});
