// No text from outside can block the program: each regular expression of the product is linear, or its texts are short.
import { describe, expect, test } from 'vitest';
import { bounded, constructed } from './redos/bounded.ts';
import { nameOf, recorded, verdictOf } from './redos/checker.ts';
import { expressionsOfTheProduct } from './redos/expressions.ts';

describe('regular expressions of the product', () => {
  const expressions = expressionsOfTheProduct();
  const { literals } = expressions;
  const excepted = new Set(bounded.map(({ text }) => text));
  const known = recorded();

  test('are linear for any text, except those that are listed with a limit', () => {
    const unknown = literals.filter((each) => !known.has(nameOf(each)) && !excepted.has(each.text));
    const notLinear = unknown.filter((each) => verdictOf(each) !== 'safe').map(({ text, files }) => ({ text, files }));
    expect(notLinear, 'rewrite them, or cut their texts and list them in test/redos/bounded.ts').toEqual([]);
  });

  test('with a listed limit occur in the listed files, and nowhere else', () => {
    for (const { text, file } of bounded) {
      expect(new Set(literals.find((each) => each.text === text)?.files), text).toEqual(new Set([file]));
    }
  });

  test('that are recorded as linear mostly still exist: the record is renewed when many have changed', () => {
    const unknown = literals.filter((each) => !known.has(nameOf(each)) && !excepted.has(each.text));
    expect(unknown.length, 'run npx node test/redos/main.ts').toBeLessThan(40);
    expect(known.size - literals.length, 'run npx node test/redos/main.ts').toBeLessThan(120);
  });

  test('that are constructed at run time with a repetition are listed with the reason why they are safe', () => {
    expect(expressions.constructed).toEqual(new Set(constructed.map(([file]) => file)));
  });

  test('are judged by a checker that detects a quadratic one', () => {
    const quadratic = { text: '/a.*b/', pattern: 'a.*b', flags: '', files: [] };
    expect(verdictOf(quadratic)).toBe('vulnerable');
  });
});
