// The test data of one source of AI answers. All samples are constructed from the vendor's documentation (2026-11).
import type { AnswerEngine } from '../../../src/service/index.ts';
import type { Reply, SeenRequest } from '../sources/vendor-server.ts';

/** What the scripted vendor answers. */
export interface Said {
  readonly text: string;
  readonly cited: readonly { readonly url: string; readonly title: string }[];
  /** The prompt that the answer names; absent if it names none. */
  readonly prompt?: string;
}

export interface AnswerSubject {
  /** Name in the registry of answer sources. */
  readonly source: string;
  options(key: string, url: string): Record<string, unknown>;
  /** An answer of that engine; pages that were only searched are beside the cited ones. */
  sells(engine: AnswerEngine, said: Said): Reply;
  /** Prompt and key of a request. */
  asked(request: SeenRequest): { readonly prompt: string; readonly key: string };
  readonly outOfCredits: Reply;
  readonly badKey: Reply;
  readonly throttled: Reply;
  /** In USD; null if the vendor states none. */
  readonly cost: number | null;
}
