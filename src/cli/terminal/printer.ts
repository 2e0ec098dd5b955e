// An output stream for commands: waits for a slow reader, and drops output after the reader has gone (`| head`).
import type { Stream } from './host.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

const columnsDefault = 100;

export class Printer {
  readonly #stream: Stream;
  #isClosed = false;
  #hasWritten = false;
  #failure: Error | undefined;

  constructor(stream: Stream) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#isClosed = true;
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') this.#failure = error;
    });
  }

  get stream(): Stream {
    return this.#stream;
  }

  /** The reader has gone; further output is dropped. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why output could not be written, such as a full disk. A reader that closed the pipe is not a failure. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Width of the terminal, in characters; some terminals report 0 if they do not know it. */
  get columns(): number {
    return this.#stream.columns || columnsDefault;
  }

  text(text: string): void {
    if (this.#isClosed || text === '') return;
    this.#hasWritten = true;
    this.#stream.write(text);
  }

  line(text = ''): void {
    this.text(`${text}\n`);
  }

  /** Only on a terminal: the log has the same notice. */
  notice(words: string): void {
    if (this.isTerminal) this.line(`${this.styled('yellow', 'Note:')} ${words}`);
  }

  /** For long output: resolves when there is room for more. */
  async chunk(chunk: string | Uint8Array): Promise<void> {
    if (this.#isClosed || chunk.length === 0) return;
    this.#hasWritten = true;
    if (this.#stream.write(chunk)) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        this.#stream.off('drain', go);
        this.#stream.off('close', go);
        this.#stream.off('error', go);
        resolve();
      };
      this.#stream.on('drain', go).on('close', go).on('error', go);
    });
  }

  /** Resolves when all output has been written, or has failed. */
  async flush(): Promise<void> {
    if (this.#isClosed || !this.#hasWritten) return;
    await new Promise<void>((done) => this.#stream.write('', () => done()));
    // The caller of a failed write learns of it first; other callers in the next turn of the event loop.
    await new Promise((next) => setImmediate(next));
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value, null, 2));
  }

  /** Styles the text if the stream is a terminal with styles and NO_COLOR is not set. */
  styled(style: Style, text: string): string {
    if (!this.isTerminal) return text;
    // an import would run all getters of node:util: a seventh of the time of `--help`
    const { styleText } = process.getBuiltinModule('node:util');
    return styleText(style, text, { stream: this.#stream as NodeJS.WriteStream });
  }
}
