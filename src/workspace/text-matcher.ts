// Matches words or a regular expression against many texts, within a time limit.
import { createContext, Script } from 'node:vm';
import { InvalidQuery } from './contract.ts';

const charactersMax = 200;
/** An ordinary expression takes a microsecond per text; one that backtracks without end stops here. */
const millisecondsMax = 500;

/** Whether a text matches, one answer per text. Throws InvalidQuery for an expression that takes too long. */
export type TextMatcher = (texts: readonly string[]) => readonly boolean[];

/**
 * Matches texts that contain all words of `written`, in any case and order; `/.../` is a regular expression. Throws
 * InvalidQuery for an invalid or too long expression.
 */
export function textMatcher(parameter: string, written: string): TextMatcher {
  if (written.length > charactersMax) throw new InvalidQuery(`${parameter}: longer than ${charactersMax} characters`);
  const source = /^\/(.+)\/i?$/s.exec(written)?.[1];
  if (source !== undefined) return expressionMatcher(parameter, source);
  const words = written.toLowerCase().split(/\s+/).filter(Boolean);
  const containsAll = (text: string): boolean => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
  return (texts) => texts.map(containsAll);
}

const testAll = new Script('const compiled = new RegExp(source, "iu"); texts.map((text) => compiled.test(text))');

/** The texts run in one context with one deadline: a deadline per text would cost a hundred times as much. */
function expressionMatcher(parameter: string, source: string): TextMatcher {
  try {
    new RegExp(source, 'iu');
  } catch {
    throw new InvalidQuery(`${parameter}: /${source}/ is not a regular expression`);
  }
  return (texts) => {
    try {
      return testAll.runInContext(createContext({ source, texts }), { timeout: millisecondsMax }) as boolean[];
    } catch {
      throw new InvalidQuery(`${parameter}: /${source}/ takes too long; write a simpler expression`);
    }
  };
}
