// Lines of every size to test table writers with, and their columns.
import type { CsvColumn } from '../../src/report/formats/csv.ts';

export const columns: readonly CsvColumn<{ readonly text: string; readonly number: number }>[] = [
  { name: 'text', kind: 'text', description: '', value: (row) => row.text },
  { name: 'number', kind: 'number', description: '', value: (row) => row.number },
];

export const lineTexts: readonly (readonly [what: string, texts: readonly string[]])[] = [
  ['no lines', []],
  ['one line', ['=a']],
  ['texts of several bytes a character', Array.from({ length: 30_000 }, (_, index) => `käse 寿司 🍣 "${index}"`)],
  ['lines longer than a piece', ['x', 'ü'.repeat(300_000), 'y', '🍣'.repeat(70_000), 'z']],
  ['lone surrogates', ['a\ud800', '\udfffb']],
];
