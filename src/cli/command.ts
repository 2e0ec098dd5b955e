// The shape of a command, and the context that it runs in.
import type { Command } from '@commander-js/extra-typings';
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { Log } from '../../jobs/context.ts';
import type { App, AppOptions, LockWait } from '../app/app.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Host } from './terminal/host.ts';
import type { Printer } from './terminal/printer.ts';
import type { Progress } from './terminal/progress.ts';

export interface Example {
  /** Without the name of the program. */
  readonly command: string;
  readonly does: string;
}

/** The options of a command or subcommand as `describe` declares them; camel case. */
export type FlagsOf<Describe extends (command: Command) => { opts(): object }> = ReturnType<
  ReturnType<Describe>['opts']
>;

/** The parsed command line. */
export interface ParsedCommand {
  readonly action: string | undefined;
  readonly args: readonly string[];
  readonly flags: object;
}

export interface CommandDefinition {
  /** Two or three sentences below the summary in the help. */
  readonly about?: string;
  readonly examples: readonly Example[];
  /** Whether it reads a config; if so, it has `--config`. `several`: with one or more files. */
  readonly readsConfig: boolean | 'several';
  /** Whether it calls services, the queue or alert channels: only then must their secrets be set. Default: true. */
  asksServices?(line: ParsedCommand): boolean;
  /** Whether it also runs without a subcommand, although it takes no arguments. Default: false. */
  readonly runsWithoutAction?: boolean;
  /**
   * Whether it runs until a signal: such a command also logs without --verbose if stderr is not a terminal. Default:
   * false.
   */
  readonly isLongRunning?: boolean;
  /** Whether it needs the contents of keyword files. Default: true. */
  readonly readsKeywordFiles?: boolean;
  /** Whether it runs the valid projects of a config with broken entries. Default: it rejects such a config. */
  readonly leavesOutBroken?: boolean;
  /**
   * Adds its arguments and options; every command also has --json, --verbose, --debug and --help. A command with
   * several actions adds a subcommand for each.
   */
  describe(command: Command): void;
  run(context: Context): Promise<ExitCode>;
}

/** A command by its name, loaded when it runs. */
export interface CommandEntry {
  readonly name: string;
  /** Its heading in the help. */
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<CommandDefinition>;
}

/** One invocation of a command. */
export interface Context {
  readonly host: Host;
  readonly out: Printer;
  readonly err: Printer;
  /** The subcommand that was typed, if the command has subcommands. */
  readonly action: string | undefined;
  readonly args: readonly string[];
  readonly json: boolean;
  /** Those of `--config`. */
  readonly configFiles: readonly string[];
  /** Aborted by the first SIGINT or SIGTERM: finish what is in flight. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** How a command waits for another program's lock that writes. */
  readonly lock: LockWait;
  /** The parsed options that `describe` declares: that of the command, or of the subcommand that was typed. */
  flags<Flags>(describe: (command: Command) => { opts(): Flags }): Flags;
  /** Log lines of the app on stderr: with --verbose, or if a long-running command does not write to a terminal. */
  readonly log: Log;
  readonly isVerbose: boolean;
  /** The config of `--config` (the first one), RANKLEDGER_CONFIG or the default paths. Throws ConfigError. */
  config(): Promise<ResolvedConfig>;
  /** The same file, read again; without keyword files where `readsKeywordFiles` is false. Throws ConfigError. */
  reloadedConfig(
    options?: Pick<CommandDefinition, 'leavesOutBroken'> & { readonly readsKeywordFiles: boolean },
  ): Promise<ResolvedConfig>;
  /** Opens the app for the config, calls `work` with it and closes it. */
  withApp<Result>(work: (app: App) => Result | Promise<Result>, options?: AppOptions): Promise<Result>;
  /** The same for every file of `--config`, in their order. */
  withApps<Result>(
    work: (apps: readonly [App, ...App[]]) => Result | Promise<Result>,
    options?: AppOptions,
  ): Promise<Result>;
  shown(file: string): string;
}
