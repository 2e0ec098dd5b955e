// A host with text streams and a fixed clock.
import { Writable } from 'node:stream';
import type { ResolvedConfig } from '../../config/resolve.ts';
import { App, type AppOptions } from '../../src/app/app.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { main } from '../../src/cli/main.ts';
import type { Host } from '../../src/cli/terminal/host.ts';

/** A stream that keeps what is written to it. */
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
  /** Times that the clock shows, one per reading; then `now`. */
  readonly moments?: number[];
}

export interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** Exit codes with which the process was ended at once. */
  readonly exits: readonly number[];
  readonly opened: readonly { readonly config: ResolvedConfig; readonly options: AppOptions }[];
  readonly closed: number;
}

/** Runs one command line. The clock of its app stands at `now`, unless `openApp` opens another one. */
export async function invoke(argv: readonly string[], invocation: Invocation = {}): Promise<Outcome> {
  const { now = Date.UTC(2026, 0, 15, 12), isTerminal = false, moments = [] } = invocation;
  const stdout = new TextStream(isTerminal);
  const stderr = new TextStream(isTerminal);
  const exits: number[] = [];
  const opened: { config: ResolvedConfig; options: AppOptions }[] = [];
  let closed = 0;
  const exitCode = await main(argv, {
    stdout: invocation.stdout ?? stdout,
    stderr,
    cwd: invocation.cwd ?? '/nowhere',
    program: 'npx rankledger',
    env: invocation.env ?? {},
    now: () => moments.shift() ?? now,
    openApp: async (config, options) => {
      opened.push({ config, options });
      const open = invocation.openApp ?? (async () => new App(config, { clock: new SimulatedClock(now), ...options }));
      const app = await open(config, options);
      const close = app.close.bind(app);
      app.close = async () => {
        closed += 1;
        await close();
      };
      return app;
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
