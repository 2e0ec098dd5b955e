// A host whose streams are text, whose clock stands still and whose app is what a test says.
import { Writable } from 'node:stream';
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { App, AppOptions } from '../../src/app.ts';
import type { Host } from '../../src/cli/host.ts';
import { main } from '../../src/cli/main.ts';

/** A stream that keeps what it is given. */
export class TextStream extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 100;

  constructor(isTTY = false) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

export interface Invocation {
  readonly app?: Partial<App>;
  readonly cwd?: string;
  readonly now?: number;
  readonly env?: Host['env'];
  readonly isTerminal?: boolean;
  readonly stdout?: Host['stdout'];
  readonly openApp?: Host['openApp'];
  /** Called with a function that sends one signal. */
  readonly withSignal?: (interrupt: () => void) => void;
  /** Called with a function that sends one SIGHUP. */
  readonly withReload?: (reload: () => void) => void;
  /** Moments that the clock shows, one a reading; then `now`. */
  readonly moments?: number[];
}

export interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** Codes that the process was ended with at once. */
  readonly exits: readonly number[];
  readonly opened: readonly { readonly config: ResolvedConfig; readonly options: AppOptions }[];
  readonly closed: number;
}

/** Runs one command line against a fake app. */
export async function invoke(argv: readonly string[], invocation: Invocation = {}): Promise<Outcome> {
  const { app = {}, now = Date.UTC(2026, 0, 15, 12), isTerminal = false, moments = [] } = invocation;
  const stdout = new TextStream(isTerminal);
  const stderr = new TextStream(isTerminal);
  const exits: number[] = [];
  const opened: { config: ResolvedConfig; options: AppOptions }[] = [];
  let closed = 0;
  const exitCode = await main(argv, {
    stdout: invocation.stdout ?? stdout,
    stderr,
    cwd: invocation.cwd ?? '/nowhere',
    env: invocation.env ?? {},
    now: () => moments.shift() ?? now,
    openApp: async (config, options) => {
      if (invocation.openApp !== undefined) return await invocation.openApp(config, options);
      opened.push({ config, options });
      return {
        config,
        named: (error: unknown) => error,
        ...app,
        close: async () => {
          closed += 1;
        },
      } as App;
    },
    onInterrupt(listener) {
      invocation.withSignal?.(listener);
      return () => {};
    },
    onReload(listener) {
      invocation.withReload?.(listener);
      return () => {};
    },
    restrictFiles() {},
    exit: (code) => exits.push(code),
  });
  return { exitCode, out: stdout.text, err: stderr.text, exits, opened, closed };
}
