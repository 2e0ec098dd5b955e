// What a command is, and what it is given. Reading the command line is command-line.ts's part, printing failures main.ts's.
import type { Command } from 'commander';
import type { ResolvedConfig } from '../../config/resolve.ts';
import type { App, AppOptions, Log } from '../app.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Host } from './host.ts';
import type { Printer } from './printer.ts';
import type { Progress } from './progress.ts';

export interface Example {
  /** Without the name of the program. */
  readonly command: string;
  readonly does: string;
}

/** What was typed, as the command declared it. */
export interface CommandLine {
  readonly action: string | undefined;
  readonly args: readonly string[];
  readonly flags: object;
}

export interface CommandDefinition {
  /** Two or three sentences below the summary, for who reads the help. */
  readonly about?: string;
  readonly examples: readonly Example[];
  /** Whether it reads a config; then it takes `--config`. */
  readonly readsConfig: boolean;
  /** Whether this command line asks services, the queue or channels of alerts for anything: only then their secrets must be at hand. Left out: it does. */
  asksServices?(line: CommandLine): boolean;
  /** Whether it also runs without any of its subcommands, though it takes no arguments. Left out: it does not. */
  readonly runsWithoutAction?: boolean;
  /** Whether it needs what keyword files hold. Left out: it does. */
  readonly readsKeywordFiles?: boolean;
  /** Whether it goes on with the sound projects where others are broken in the config. Left out: it refuses such a config. */
  readonly leavesOutBroken?: boolean;
  /**
   * Adds its arguments and options; every command has --json, --verbose, --debug and --help besides. One that does several things adds each as a
   * subcommand of its own.
   */
  describe(command: Command): void;
  run(context: Context): Promise<ExitCode>;
}

/** A command by its name, loaded when it is asked for. */
export interface CommandEntry {
  readonly name: string;
  /** Heading it stands under in the help. */
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<CommandDefinition>;
}

/** One invocation of a command. */
export interface Context {
  readonly host: Host;
  readonly out: Printer;
  readonly err: Printer;
  /** Which of its subcommands was typed, where it has any. */
  readonly action: string | undefined;
  readonly args: readonly string[];
  readonly json: boolean;
  /** Aborted by the first SIGINT or SIGTERM: finish what is in flight. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** The options as `describe` declared them; camel case. */
  flags<Flags>(): Flags;
  /** Log lines of the app: JSON on stderr, readable with --verbose on a terminal, silent there without. */
  readonly log: Log;
  readonly isVerbose: boolean;
  /** The config of `--config`, RANKLEDGER_CONFIG or the usual places. Throws ConfigError. */
  config(): Promise<ResolvedConfig>;
  /** The same file, read again. Throws ConfigError. */
  reloadedConfig(): Promise<ResolvedConfig>;
  /** Opens the app for the config, hands it to `work` and closes it. */
  withApp<Result>(work: (app: App) => Promise<Result>, options?: AppOptions): Promise<Result>;
  /** As a person would name the file from where they stand. */
  shown(file: string): string;
}
