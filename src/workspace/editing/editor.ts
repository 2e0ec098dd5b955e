// What editors may do through `view --edit`. Only that command loads what implements it.

/** Nothing is written. `status`: of HTTP; `preview`: of the change as it would be now. */
export class EditRefused extends Error {
  override readonly name = 'EditRefused';
  readonly status: 400 | 404 | 409 | 500 | 503;
  readonly preview: object | null;

  constructor(status: EditRefused['status'], message: string, preview: object | null = null) {
    super(message);
    this.status = status;
    this.preview = preview;
  }
}

export interface NewNote {
  readonly text: string;
  /** Local date. Default: today. */
  readonly date?: string;
  /** Default: for all projects. */
  readonly project?: string;
  /** Only for this keyword, or for keywords with this tag, of the project. */
  readonly keyword?: string;
  readonly tag?: string;
}

/** Keywords to track. As in `keywords add`. */
export interface NewKeywords {
  readonly lists: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly columns: Readonly<Record<string, string>>;
  readonly country?: string;
  readonly language?: string;
  readonly devices?: readonly ('desktop' | 'mobile')[] | undefined;
  readonly location?: string;
  readonly tags: readonly string[];
  /** Of suggested tags and those of the lists. */
  readonly withoutTags: readonly string[];
  readonly suggests: readonly ('file' | 'folder' | 'cluster')[];
  readonly suggestsUrls: boolean;
}

/** A search whose keyword is edited, or a keyword in all its searches. */
export interface EditedKeyword {
  readonly keyword: string;
  readonly search?: {
    readonly country: string;
    readonly language: string;
    readonly location?: string;
    readonly device: string;
  };
}

export interface KeywordChange {
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  /** Absent: as it is. */
  readonly state?: 'tracked' | 'paused' | 'removed';
}

/** A check of keywords now. */
export interface CheckRequest {
  readonly keywords: readonly string[];
  /** Absent: only the price. */
  readonly creditsAtMost?: number | undefined;
  /** Of the price, which is bought once. Absent: that of the last price of these keywords that this server gave. */
  readonly confirm?: string | undefined;
}

/** Names the preview that is to be written; undefined: only a preview is asked for. */
type PreviewHash = string | undefined;

/**
 * Every method throws EditRefused or NotFound, and answers with what is sent. A change of a file is first previewed:
 * the same call with the `hash` of the preview writes it, unless the file or the change is another one by then: that is
 * refused, with the preview of the other one. `by`:
 * the editor, for the audit trail.
 */
export interface Editor {
  state(project: string): Promise<object>;
  addNote(note: NewNote, by: string): Promise<object>;
  removeNote(id: number, by: string): Promise<object>;
  addKeywords(project: string, keywords: NewKeywords, hash: PreviewHash, by: string): Promise<object>;
  changeKeywords(
    project: string,
    wanted: readonly EditedKeyword[],
    change: KeywordChange,
    hash: PreviewHash,
    by: string,
  ): Promise<object>;
  /** Of the last write of the keyword file by this server that is not undone. */
  undo(project: string, hash: PreviewHash, by: string): Promise<object>;
  /** What is bought goes on where the client hangs up. */
  checkNow(project: string, request: CheckRequest, by: string): Promise<object>;
  /** Resolves when nothing is being written or bought. */
  settled(): Promise<void>;
}
