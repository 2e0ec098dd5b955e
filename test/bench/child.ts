// A measurement in a separate process with its own memory: it gets a question and returns one answer.
import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { peakBytes } from './peak.js';

/** The resources that a process used over its whole life. */
export interface Peak {
  /** Bytes. */
  readonly rssMax: number;
}

/** Runs the file at `url` with `question` and the memory limits of Node.js. Rejects on a failure or without answer. */
export async function inChild<Answer>(url: string, question: unknown): Promise<Answer & Peak> {
  const child = spawn(process.execPath, ['--expose-gc', fileURLToPath(url), JSON.stringify(question)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const piece of child.stdout.setEncoding('utf8')) said += piece;
  const last = said.trimEnd().split('\n').at(-1) ?? '';
  if (last === '') throw new Error(`${fileURLToPath(url)} ended without an answer`);
  return JSON.parse(last) as Answer & Peak;
}

/** In the child: answers the question. Does nothing if the file was imported. */
export async function answerAsChild<Question, Answer extends object>(
  url: string,
  answer: (question: Question) => Promise<Answer> | Answer,
): Promise<void> {
  const [, file, question] = process.argv;
  if (file === undefined || question === undefined || pathToFileURL(file).href !== url) return;
  const answered = await answer(JSON.parse(question) as Question);
  const peak: Peak = { rssMax: peakBytes() };
  process.stdout.write(`${JSON.stringify({ ...answered, ...peak })}\n`);
}
