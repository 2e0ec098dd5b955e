// How a browser is started, and for what.
export interface BrowserLaunch {
  /** What needs the browser, for messages. */
  readonly use: string;
  /** The browser's program; undefined for the Chrome that is installed. */
  readonly executablePath: string | undefined;
  /** The config key of the program, for messages. */
  readonly option: string;
  readonly args?: readonly string[];
}
