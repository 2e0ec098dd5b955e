// The contract of a source's memory for both implementations: the database, and the memory of a process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../db/store.ts';
import { ProcessMemory, type SourceMemory } from '../../../src/service/index.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const dayMs = 86_400_000;

let folder: string;
let store: Store;
let clock: FakeClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'source-memory-'));
  store = openStore(join(folder, 'a.sqlite'));
  clock = new FakeClock();
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

describe.each([
  ['in the database', (): SourceMemory => store.sourceMemories.of('vendor', clock)],
  ['in the process', (): SourceMemory => new ProcessMemory(clock)],
])('a remembered value of a source %s', (_name, open) => {
  it('is read as last written, and not after it was deleted', async () => {
    const memory = open();
    expect(await memory.get('page')).toBeUndefined();
    await memory.put('page', 'first', clock.now() + dayMs);
    await memory.put('page', 'second', clock.now() + dayMs);
    await memory.put('other', 'third', clock.now() + dayMs);
    expect([await memory.get('page'), await memory.get('other')]).toEqual(['second', 'third']);
    await memory.delete('page');
    expect([await memory.get('page'), await memory.get('other')]).toEqual([undefined, 'third']);
  });

  it('expires on time and can be written again', async () => {
    const memory = open();
    await memory.put('page', 'old', clock.now() + dayMs);
    await clock.advance(dayMs - 1);
    expect(await memory.get('page')).toBe('old');
    await clock.advance(1);
    expect(await memory.get('page')).toBeUndefined();
    await memory.put('page', 'new', clock.now() + dayMs);
    expect(await memory.get('page')).toBe('new');
  });
});

it('a remembered value survives a restart, for its own service only', async () => {
  await store.sourceMemories.of('vendor', clock).put('page', 'task 7', clock.now() + dayMs);
  await store.sourceMemories.of('other', clock).put('page', 'task 8', clock.now() + dayMs);
  store.close();
  store = openStore(join(folder, 'a.sqlite'));
  expect(await store.sourceMemories.of('vendor', clock).get('page')).toBe('task 7');
  expect(await store.sourceMemories.of('other', clock).get('page')).toBe('task 8');
  expect(await store.sourceMemories.of('third', clock).get('page')).toBeUndefined();
});
