// Notes belong to a day and to one project or all, and are listed by date.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../db/store.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => store.close());

const add = (date: string, text: string, project: string | null = null) => store.notes.add({ date, text, project }, 7);
const texts = (filter?: Parameters<Store['notes']['list']>[0]) => store.notes.list(filter).map(({ text }) => text);

describe('notes', () => {
  it('are read as they were written, by date and then in the order of insertion', () => {
    const late = add('2026-11-03', 'core update');
    add('2026-10-01', 'relaunch', 'acme');
    add('2026-11-03', 'sale begins');
    expect(texts()).toEqual(['relaunch', 'core update', 'sale begins']);
    expect(late).toEqual({
      id: 1,
      date: '2026-11-03',
      text: 'core update',
      project: null,
      keyword: null,
      tag: null,
      createdAt: 7,
    });
    expect(store.notes.list()[1]).toEqual(late);
  });

  it('of a project are its own and those for all projects', () => {
    add('2026-11-01', 'for all');
    add('2026-11-02', 'acme only', 'acme');
    add('2026-11-03', 'other only', 'other');
    expect(texts({ project: 'acme' })).toEqual(['for all', 'acme only']);
    expect(texts({ project: 'never seen' })).toEqual(['for all']);
  });

  it('of a range include both of its ends', () => {
    for (const day of ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04']) add(day, day);
    expect(texts({ from: '2026-11-02', to: '2026-11-03' })).toEqual(['2026-11-02', '2026-11-03']);
    expect(texts({ from: '2026-11-04' })).toEqual(['2026-11-04']);
    expect(texts({ to: '2026-11-01' })).toEqual(['2026-11-01']);
  });

  it('are removed one by one, and an unknown id removes none', () => {
    const { id } = add('2026-11-01', 'a mistake');
    add('2026-11-02', 'right');
    expect(store.notes.remove(id)?.text).toBe('a mistake');
    expect(store.notes.remove(id)).toBeNull();
    expect(texts()).toEqual(['right']);
  });
});
