// The side thread: opens the databases for reading, and makes answers piece by piece.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { UnreadableFile } from '../../import/text/text-file.ts';
import { errorText } from '../../service/terms.ts';
import { tools } from '../../workspace/mcp/tools.ts';
import { readBody, refusalOf } from '../../workspace/server/read.ts';
import { UsageError, withHint } from '../opening/failures.ts';
import { planAddition } from './addition.ts';
import { expressionLimit } from './door.ts';
import { combined } from './portfolio.ts';
import type { FromThread, SideJob, ToThread } from './side-thread.ts';
import { type HistorySource, openHistory, readerFor, type SourcedHistory } from './workspace.ts';

/** Pieces of answers are joined up to so many bytes: each is a message. */
const pieceBytes = 262_144;
/** Answers to others are sent first where both threads want the processor. */
const niceness = 10;

function begin(port: NonNullable<typeof parentPort>, sources: readonly HistorySource[]): void {
  // of this thread alone on Linux; elsewhere it would be of the whole process
  if (process.platform === 'linux') setPriority(niceness);
  let now = 0;
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const [first, ...others] = sources.map((source) => openHistory(source, clock));
  if (first === undefined) return;
  const histories: [SourcedHistory, ...SourcedHistory[]] = [first, ...others];
  const { own, all } = combined(histories);
  const reader = readerFor(own, all);
  const limitExpressions = expressionLimit(clock);
  const open = new Map<number, Iterator<Uint8Array>>();
  const say = (message: FromThread, bytes?: Uint8Array): void =>
    port.postMessage(message, bytes === undefined ? [] : [bytes.buffer as ArrayBuffer]); // made here, by `joined`

  function make({ scope, client, work }: SideJob): { readonly type: string; readonly chunks: Iterable<Piece> } {
    own.version();
    if (work.kind === 'call') {
      const tool = tools.find(({ name }) => name === work.tool);
      const answer = limitExpressions(client, () => tool?.read(reader(scope), work.input));
      return { type: 'application/json', chunks: [JSON.stringify(answer)] };
    }
    const { pathname, search, accept } = work;
    return readBody(reader(scope), { pathname, query: new URLSearchParams(search), accept, client }, limitExpressions);
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
    try {
      if (message.kind === 'drop') open.delete(id);
      else if (message.kind === 'more') {
        const { value, done } = open.get(id)?.next() ?? { value: undefined, done: true };
        if (done === true) open.delete(id);
        const bytes = value ?? null;
        say({ kind: 'piece', id, bytes }, bytes ?? undefined);
      } else {
        now = message.now;
        const { type, chunks } = make(message);
        open.set(id, joined(chunks));
        say({ kind: 'made', id, type });
      }
    } catch (error) {
      open.delete(id);
      fail(id, error);
    }
  });

  function fail(id: number, error: unknown): void {
    const isWrong = error instanceof UsageError || error instanceof UnreadableFile;
    const refusal = isWrong ? { status: 400, message: withHint(error), headers: {} } : refusalOf(error);
    say(refusal === null ? { kind: 'failed', id, error: errorText(error) } : { kind: 'refused', id, refusal });
  }
}

type Piece = string | Uint8Array;

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

if (parentPort !== null) begin(parentPort, workerData as readonly HistorySource[]); // of `SideThread`
