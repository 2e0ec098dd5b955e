// Imports a list of keywords and dies at a call to the dataset: dataset-child.ts LIST DATASET CALL NTH before|after
import { KeywordDatasetWriter } from '../../db/dataset/keyword-dataset-import.ts';
import { importKeywords } from '../../src/cli/subcommands/keywords-import.ts';

/** Where it dies: at the nth call, from 1, before the call or right after it. */
export interface DatasetDeath {
  readonly call: 'begin' | 'add' | 'commit' | 'close';
  readonly nth: number;
  readonly moment: 'before' | 'after';
}

const [list = '', into = '', call = '', nth = '', moment = ''] = process.argv.slice(2);
const writer = KeywordDatasetWriter.prototype as unknown as Record<string, (...values: unknown[]) => unknown>;
const real = writer[call];
let calls = 0;

writer[call] = function (...values: unknown[]) {
  calls += 1;
  const isLast = calls === Number(nth);
  if (isLast && moment === 'before') process.kill(process.pid, 'SIGKILL');
  const result = real?.apply(this, values);
  if (isLast) process.kill(process.pid, 'SIGKILL');
  return result;
};
await importKeywords({ files: [list], into, country: 'US', language: 'en' });
