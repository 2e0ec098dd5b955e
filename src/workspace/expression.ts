// Tests a regular expression against many texts within a deadline. report.html replaces it: a browser has no contexts.
import { createContext, Script } from 'node:vm';

/** An ordinary expression takes a microsecond per text; one that backtracks without end stops here. */
const millisecondsMax = 500;

const program = 'const compiled = new RegExp(source, "iu"); texts.map((text) => compiled.test(text))';

let testAll: Script | undefined;

/**
 * One answer per text. Throws Error past the deadline. The texts run in one context with one deadline: a deadline per
 * text would cost a hundred times as much.
 */
export function testExpression(source: string, texts: readonly string[]): readonly boolean[] {
  testAll ??= new Script(program);
  return testAll.runInContext(createContext({ source, texts }), { timeout: millisecondsMax }) as boolean[];
}
