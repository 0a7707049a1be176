import type { MessageId, TurnRef, UserId } from '../../domain/index.ts';

/** A message that a search found: text of whoever wrote it. */
export type MessageHit = {
  readonly id: MessageId;
  /** Absent for authors that the platform does not identify. */
  readonly by?: UserId | undefined;
  /** Display name. */
  readonly author: string;
  /** An app or webhook wrote it. */
  readonly isBot?: boolean | undefined;
  /** When it was sent (ms since 1970). */
  readonly at: number;
  /** The name of its channel, without `#`. */
  readonly channel: string;
  readonly text: string;
  /** Permalink for people. */
  readonly link: string;
};

/**
 * Why messages cannot be searched. `not-allowed-now`: the platform gave no permission for this question, or it has expired; `missing-scope`: the
 * app was installed without the permission; `not-offered`: the platform offers no search to this workspace or app; `no-permission`: the bot may
 * not read messages there; `indexing`: the platform is preparing the search; `busy`: a rate limit; `down`: it does not respond.
 */
export const MESSAGE_SEARCH_FAILURES = [
  'not-allowed-now',
  'missing-scope',
  'not-offered',
  'no-permission',
  'indexing',
  'busy',
  'down',
] as const;
export type MessageSearchFailure = (typeof MESSAGE_SEARCH_FAILURES)[number];

/** A search of messages failed. Holds neither the query nor the token. */
export class MessageSearchError extends Error {
  override readonly name = 'MessageSearchError';
  readonly failure: MessageSearchFailure;
  /** The code of the platform, for the log. */
  readonly code: string | undefined;
  constructor(failure: MessageSearchFailure, code?: string) {
    super(`the search of messages failed: ${failure}`);
    this.failure = failure;
    this.code = code;
  }
}

/**
 * Finds the messages that fit a query best, the best first. Rejects with MessageSearchError, or with the reason of the aborted signal. The
 * results are never stored.
 */
export type MessageSearch = (query: string, signal: AbortSignal) => Promise<readonly MessageHit[]>;

/** Searches the messages of a workspace. */
export interface MessageSearcher {
  /**
   * Returns the search for a question, which finds only what the asker and every reader of the thread may read; undefined where there is no
   * workspace to search. `token`: what the platform gave with the question.
   */
  prepareMessageSearch(turn: TurnRef, token: string | undefined): MessageSearch | undefined;
}
