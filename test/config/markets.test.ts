// Compares language codes with the names that the runtime knows.
import { expect, test } from 'vitest';
import { languageComplaint } from '../../config/schema/complaints.ts';

test('a language code of two letters is accepted only if the runtime has a name for it', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const known = codes.filter((code) => names.of(code) !== undefined);
  expect(known.length).toBeGreaterThan(150);
  expect(codes.filter((code) => languageComplaint(code) === undefined)).toEqual(known);
});
