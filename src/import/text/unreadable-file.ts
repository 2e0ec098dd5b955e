// The error of a file that cannot be read as a whole.

/** The file as a whole cannot be read; nothing was imported. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
