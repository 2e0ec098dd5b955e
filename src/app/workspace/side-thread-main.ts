// The side thread: opens the databases for reading, and makes answers piece by piece.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { UnreadableFile } from '../../import/text/text-file.ts';
import { type LimitExpressions, limitedExpressions } from '../../read/expression.ts';
import { errorText } from '../../service/terms.ts';
import { tools } from '../../workspace/mcp/tools.ts';
import { readBody, refusalOf } from '../../workspace/server/read.ts';
import { App } from '../app.ts';
import { UsageError, withHint } from '../opening/failures.ts';
import { planAddition } from './addition.ts';
import { portfolioHistory } from './portfolio.ts';
import type { FromThread, SideJob, ToThread } from './side-thread.ts';
import { readerFor } from './workspace.ts';

/** Pieces of answers are joined up to so many bytes: each is a message. */
const pieceBytes = 262_144;
/** Answers to others are sent first where both threads want the processor. */
const niceness = 10;

async function begin(
  port: NonNullable<typeof parentPort>,
  [first, ...others]: readonly [ResolvedConfig, ...ResolvedConfig[]],
): Promise<void> {
  // of this thread alone on Linux; elsewhere it would be of the whole process
  if (process.platform === 'linux') setPriority(niceness);
  let now = Date.now();
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const open = (config: ResolvedConfig) => new App(config, { clock, isReading: true });
  const { own, all } = await portfolioHistory([open(first), ...others.map(open)]);
  const reader = readerFor(own, all);
  const unfinished = new Map<number, Iterator<Uint8Array>>();
  const say = (message: FromThread, bytes?: Uint8Array): void =>
    port.postMessage(message, bytes === undefined ? [] : [bytes.buffer as ArrayBuffer]); // made here, by `joined`

  function make({ scope, client, work }: SideJob, limitExpressions: LimitExpressions): Made {
    all.version();
    if (work.kind === 'call') {
      const tool = tools.find(({ name }) => name === work.tool);
      const answer = limitExpressions(client, () => tool?.read(reader(scope), work.input));
      return { type: 'application/json', chunks: [JSON.stringify(answer)] };
    }
    const { search, ...asked } = work;
    return readBody(reader(scope), { ...asked, query: new URLSearchParams(search), client }, limitExpressions);
  }

  port.on('message', (message: ToThread) => {
    if (message.kind === 'adopt') {
      own.adopt(message.projects);
      return;
    }
    const { id } = message;
    if (message.kind === 'add') {
      planAddition(message.config, message.options, message.now).then(
        (addition) => say({ kind: 'planned', id, addition }),
        (error: unknown) => fail(id, error),
      );
      return;
    }
    let expressionMs = 0;
    const limited: LimitExpressions = (_, work) => {
      const allowedMs = message.kind === 'job' ? message.expressionMs : 0;
      return limitedExpressions(allowedMs, work, (ms) => {
        expressionMs = ms;
      });
    };
    try {
      if (message.kind === 'drop') unfinished.delete(id);
      else if (message.kind === 'more') {
        const { value, done } = unfinished.get(id)?.next() ?? { value: undefined, done: true };
        if (done === true) unfinished.delete(id);
        const bytes = value ?? null;
        say({ kind: 'piece', id, bytes }, bytes ?? undefined);
      } else {
        now = message.now;
        const { type, chunks } = make(message, limited);
        unfinished.set(id, joined(chunks));
        say({ kind: 'made', id, type, expressionMs });
      }
    } catch (error) {
      unfinished.delete(id);
      fail(id, error, expressionMs);
    }
  });

  function fail(id: number, error: unknown, expressionMs = 0): void {
    const isWrong = error instanceof UsageError || error instanceof UnreadableFile;
    const refusal = isWrong ? { status: 400, message: withHint(error), headers: {} } : refusalOf(error);
    say(
      refusal === null
        ? { kind: 'failed', id, error: errorText(error) }
        : { kind: 'refused', id, refusal, expressionMs },
    );
  }
}

type Piece = string | Uint8Array;

interface Made {
  readonly type: string;
  readonly chunks: Iterable<Piece>;
}

/** Each with its own memory, which is handed over. */
function* joined(chunks: Iterable<Piece>): Generator<Uint8Array, undefined> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const all = (): Uint8Array => {
    const joint = new Uint8Array(bytes);
    let at = 0;
    for (const part of parts) {
      joint.set(part, at);
      at += part.length;
    }
    parts = [];
    bytes = 0;
    return joint;
  };
  const encoder = new TextEncoder();
  for (const chunk of chunks) {
    const part = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    parts.push(part);
    bytes += part.length;
    if (bytes >= pieceBytes) yield all();
  }
  if (bytes > 0) yield all();
  return undefined;
}

if (parentPort !== null) await begin(parentPort, workerData as [ResolvedConfig, ...ResolvedConfig[]]); // of `SideThread`
