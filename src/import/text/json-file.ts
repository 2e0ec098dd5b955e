// Parses a file that is JSON as a whole.
import { UnreadableFile } from './unreadable-file.ts';

const jsonCharsMax = 128 * 1_048_576;

/** Throws UnreadableFile for other text, and for more than 128 MiB. */
export function parseJson(text: Iterable<string>): unknown {
  let whole = '';
  for (const piece of text) {
    whole += piece;
    if (whole.length > jsonCharsMax) {
      throw new UnreadableFile(`it is JSON of more than ${jsonCharsMax} characters`, 'Export one domain per file.');
    }
  }
  try {
    return JSON.parse(whole);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UnreadableFile('it begins like JSON, but is not valid JSON', 'Check whether the file was truncated.');
  }
}
