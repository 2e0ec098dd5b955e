// Tests a regular expression against many texts in report.html: a slow one holds up its own reader only.

/** One answer per text. */
export function testExpression(source: string, texts: readonly string[]): readonly boolean[] {
  const compiled = new RegExp(source, 'iu');
  return texts.map((text) => compiled.test(text));
}
