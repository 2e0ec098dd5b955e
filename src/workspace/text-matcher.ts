// Matches words or a regular expression against many texts, within a time limit.
import { InvalidQuery } from './contract.ts';
import { testExpression } from './expression.ts';

const charactersMax = 200;

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

function expressionMatcher(parameter: string, source: string): TextMatcher {
  try {
    new RegExp(source, 'iu');
  } catch {
    throw new InvalidQuery(`${parameter}: /${source}/ is not a regular expression`);
  }
  return (texts) => {
    try {
      return testExpression(source, texts);
    } catch (error) {
      if (error instanceof InvalidQuery) throw error;
      throw new InvalidQuery(`${parameter}: /${source}/ takes too long; write a simpler expression`);
    }
  };
}
