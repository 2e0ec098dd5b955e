// Failures of the store, with the file and the remedy; commands print them.

export type StoreErrorCode =
  | 'DATABASE_MISSING'
  | 'DATABASE_LOST'
  | 'DATABASE_EMPTY_FILE'
  | 'DATABASE_FOREIGN'
  | 'DATABASE_NEWER'
  | 'DATABASE_OLDER'
  | 'DATABASE_CORRUPT'
  | 'DATABASE_READ_ONLY'
  | 'DATABASE_LOCKED'
  | 'DATABASE_IN_USE'
  | 'DATABASE_UNOPENABLE'
  | 'DATABASE_REPLACED'
  | 'DATABASE_CLOSED'
  | 'DISK_FULL'
  | 'RUN_IN_PROGRESS'
  | 'RUN_TAKEN_OVER'
  | 'BACKUP_EXISTS'
  | 'BACKUP_BROKEN'
  | 'DATABASE_ERROR';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  readonly hint: string;

  constructor(code: StoreErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }
}

const sqliteErrors: readonly (readonly [prefix: string, code: StoreErrorCode, what: string, hint: string])[] = [
  [
    'SQLITE_NOTADB',
    'DATABASE_CORRUPT',
    'is not a SQLite database',
    'Point `database:` at another file, or restore this one from a backup.',
  ],
  [
    'SQLITE_CORRUPT',
    'DATABASE_CORRUPT',
    'is damaged',
    'Restore it from a backup; `rankledger verify` says what is wrong with it.',
  ],
  [
    'SQLITE_READONLY',
    'DATABASE_READ_ONLY',
    'cannot be written',
    'Give this user write permission to the file and its folder.',
  ],
  [
    'SQLITE_FULL',
    'DISK_FULL',
    'cannot grow: the disk is full',
    'Free some space and run again; what was recorded is safe, the rest resumes.',
  ],
  [
    'SQLITE_IOERR_SHORT_READ',
    'DATABASE_CORRUPT',
    'is cut short',
    'Stop all rankledger processes, and restore it from a backup; `rankledger verify` says what is wrong with it.',
  ],
  [
    'SQLITE_IOERR',
    'DISK_FULL',
    'could not be written or read: the disk failed or is full',
    'Check the disk, then run again; what was recorded is safe.',
  ],
  [
    'SQLITE_BUSY',
    'DATABASE_LOCKED',
    'is locked by another program',
    'Wait for it to end, or close the program that holds the database open.',
  ],
  [
    'SQLITE_LOCKED',
    'DATABASE_LOCKED',
    'is locked by another program',
    'Wait for it to end, or close the program that holds the database open.',
  ],
  [
    'SQLITE_CANTOPEN',
    'DATABASE_UNOPENABLE',
    'cannot be opened',
    'Check that the folder exists, that this user may write there, and that not too many files are open (ulimit -n).',
  ],
];

export function diskFull(file: string, cause: unknown): StoreError {
  return new StoreError(
    'DISK_FULL',
    `${file} cannot grow: the disk is full`,
    'Free some space and run again; what was recorded is safe, the rest resumes.',
    cause,
  );
}

/** SQLite's own words for it: another program holds the write lock. */
export function isLocked(error: unknown): boolean {
  return errorCode(error).startsWith('SQLITE_BUSY') || errorCode(error) === 'DATABASE_LOCKED';
}

/** A write found no room. A sync that fails is another matter: it may have been done. */
export function isDiskFull(error: unknown): boolean {
  return (
    errorCode(error) === 'SQLITE_FULL' || (error instanceof StoreError && errorCode(error.cause) === 'SQLITE_FULL')
  );
}

function errorCode(error: unknown): string {
  return String((error as { readonly code?: unknown } | null | undefined)?.code ?? '');
}

/** The error of SQLite or of the file system as a StoreError that names `file`; others come back as they are. */
export function asStoreError(error: unknown, file: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const sqliteCode = (error as { code?: unknown }).code;
  if (typeof sqliteCode !== 'string') return error;
  const known = sqliteErrors.find(([prefix]) => sqliteCode.startsWith(prefix));
  if (known !== undefined) return new StoreError(known[1], `${file} ${known[2]}`, known[3], error);
  const { path = file } = error as { readonly path?: unknown };
  // not that of a file which is written meanwhile, such as an export
  const isOfDatabase = typeof path === 'string' && (path.startsWith(file) || file.startsWith(path));
  if ('syscall' in error && isOfDatabase)
    return new StoreError(
      'DATABASE_UNOPENABLE',
      `${file} cannot be made or opened: ${error.message}`,
      'Name a file in a folder that this user may write.',
      error,
    );
  if (!sqliteCode.startsWith('SQLITE_')) return error;
  return new StoreError(
    'DATABASE_ERROR',
    `${file}: ${error.message}`,
    'Run `rankledger audit`; if it finds nothing, report this as a bug.',
    error,
  );
}
