// Builds the context of a command: config and app on demand, log, progress.
import { relative } from 'node:path';
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { App, AppOptions, LockWait } from '../app/app.ts';
import type { Context, ParsedCommand } from './command.ts';
import type { Host } from './terminal/host.ts';
import { openLog } from './terminal/log.ts';
import type { Printer } from './terminal/printer.ts';
import { Progress } from './terminal/progress.ts';

interface Invocation {
  readonly host: Host;
  readonly out: Printer;
  readonly err: Printer;
  readonly signal: AbortSignal;
  readonly letSignalsEnd: () => () => void;
  readonly line: ParsedCommand;
  readonly offline: boolean;
  readonly readsKeywordFiles: boolean;
  readonly leavesOutBroken: boolean;
  readonly config?: string | readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly isLongRunning: boolean;
}

const lockNote = 'The database is locked by another program: waiting for it, for ten minutes at most.';

export function createContext(invocation: Invocation): Context {
  const { host, out, err, signal, line } = invocation;
  const isVerbose = invocation.verbose === true;
  const configFiles = [invocation.config ?? []].flat();
  const [file, ...otherFiles] = configFiles;
  let config: Promise<ResolvedConfig> | undefined;
  const onLocked = () => context.progress.note(lockNote);
  const serving: LockWait = { stop: signal, onLocked };
  const context: Context = {
    lock: {
      ...{ stop: signal, onLocked },
      // while it waits where it is, no signal reaches it
      onBlocked() {
        const keepSignals = invocation.letSignalsEnd();
        onLocked();
        return keepSignals;
      },
    },
    host,
    out,
    err,
    signal,
    action: line.action,
    args: line.args,
    json: invocation.json === true,
    configFiles,
    // A log line would break the progress line, which is overwritten in place.
    progress: new Progress(err, host.now, !isVerbose),
    // safe as long as a command asks for what its own line was parsed by
    flags: <Flags>() => line.flags as Flags,
    log: openLog(err, isVerbose, invocation.isLongRunning),
    isVerbose,
    config: () => (config ??= loadedConfig(invocation, file)),
    reloadedConfig: (options) => loadedConfig({ ...invocation, ...options }, file),
    async withApp(work, options = {}) {
      const loaded = await context.config();
      for (const hint of formerNameHints(line.flags, loaded)) err.line(hint);
      const lock = lockFor(options, invocation.isLongRunning ? serving : context.lock);
      const app = await host.openApp(loaded, { log: context.log, ...lock, ...options });
      try {
        return await work(app);
      } catch (error) {
        throw app.asStoreError(error);
      } finally {
        await app.close();
      }
    },
    async withApps(work, options = {}) {
      const { printBroken } = await import('./text/results/run-text.ts');
      return await context.withApp(
        async (first) => {
          const others: App[] = [];
          try {
            for (const other of otherFiles) {
              const loaded = await loadedConfig(invocation, other);
              others.push(await host.openApp(loaded, { log: context.log, ...options }));
            }
            for (const { config, context: opened } of [first, ...others]) {
              printBroken(context.err, config.broken);
              const { missing } = opened.store;
              if (missing !== null)
                context.err.line(
                  `${context.shown(missing)} does not exist yet: it is shown as empty until this starts again after the first run.`,
                );
            }
            return await work([first, ...others]);
          } finally {
            for (const app of others) await app.close();
          }
        },
        { ...lockFor(options, serving), ...options },
      );
    },
    shown(file) {
      const shown = relative(host.cwd, file);
      if (shown === '') return '.';
      return shown.startsWith('..') ? file : shown;
    },
  };
  return context;
}

/** Those who only read wait for no lock. */
function lockFor({ isReading, keepsSchema }: AppOptions, lock: LockWait): Pick<AppOptions, 'lock'> {
  return isReading === true || keepsSchema === true ? {} : { lock };
}

async function loadedConfig(invocation: Invocation, file: string | undefined): Promise<ResolvedConfig> {
  const { host, offline, readsKeywordFiles, leavesOutBroken } = invocation;
  const { loadConfig } = await import('../../config/load.ts');
  const loaded = await loadConfig({
    cwd: host.cwd,
    offline,
    readsKeywordFiles,
    leavesOutBroken,
    file,
    env: host.env,
  });
  host.restrictFiles(loaded.fileAccess);
  return loaded;
}

/** One line for each earlier name of a project that the command line uses. */
function formerNameHints(flags: object, { formerly, file }: ResolvedConfig): string[] {
  const named: unknown = (flags as { readonly project?: unknown }).project; // some commands have no such flag
  return [named].flat().flatMap((name) => {
    const present = typeof name === 'string' ? formerly.projects.get(name) : undefined;
    return present === undefined ? [] : [`Hint: project ${name} is ${present} now (formerly, in ${file}).`];
  });
}
