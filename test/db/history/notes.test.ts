// Notes belong to a day and to one project or all, and are listed by date.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../db/store.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => store.close());

const add = (date: string, text: string, project: string | null = null) => store.notes.add({ date, text, project }, 7);
const texts = (project?: string) => store.notes.list(project).map(({ text }) => text);

describe('notes', () => {
  it('are read as they were written, by date and then in the order of insertion', () => {
    const late = add('2026-11-03', 'core update');
    add('2026-10-01', 'relaunch', 'acme');
    add('2026-11-03', 'sale begins');
    expect(texts()).toEqual(['relaunch', 'core update', 'sale begins']);
    expect(late).toEqual({ id: 1, date: '2026-11-03', text: 'core update', project: null, createdAt: 7 });
    expect(store.notes.list()[1]).toEqual(late);
  });

  it('of a project are its own and those for all projects', () => {
    add('2026-11-01', 'for all');
    add('2026-11-02', 'acme only', 'acme');
    add('2026-11-03', 'other only', 'other');
    expect(texts('acme')).toEqual(['for all', 'acme only']);
    expect(texts('never seen')).toEqual(['for all']);
  });

  it('are removed one by one, and an unknown id removes none', () => {
    const { id } = add('2026-11-01', 'a mistake');
    add('2026-11-02', 'right');
    expect(store.notes.remove(id)?.text).toBe('a mistake');
    expect(store.notes.remove(id)).toBeNull();
    expect(texts()).toEqual(['right']);
  });
});
