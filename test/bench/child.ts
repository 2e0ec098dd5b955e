// A measurement in a separate process with its own memory: it gets a question and returns one answer.
import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { peakBytes } from './peak.js';

/** The resources that a process used over its whole life. */
export interface Peak {
  /** Bytes. */
  readonly rssMax: number;
}

interface MemoryLimits {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Of long commands, as in src/cli/rankledger.mjs. */
export const longCommandLimits: MemoryLimits = {
  flags: ['--max-semi-space-size=8', '--max-old-space-size=2047'],
  env: { MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_ARENA_MAX: '2' },
};

/** Runs the file at `url` with `question`, by a Node.js with these limits. Rejects on a failure or without answer. */
export async function inChild<Answer>(
  url: string,
  question: unknown,
  { flags, env }: MemoryLimits = { flags: [], env: {} },
): Promise<Answer & Peak> {
  const child = spawn(process.execPath, ['--expose-gc', ...flags, fileURLToPath(url), JSON.stringify(question)], {
    env: { ...process.env, ...env },
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
