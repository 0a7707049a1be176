/** The root message of the thread, or its channel, is deleted: nothing more can be posted there. */
export class ThreadDeletedError extends Error {
  override readonly name = 'ThreadDeletedError';
}

/** A filter of the platform, or of the workspace, blocks the words: another text may be accepted. */
type RefusalOptions = ErrorOptions & { readonly why?: 'words-blocked' | undefined };

/** The platform refuses the message for good: the bot is not in the channel or lacks a permission, or a filter blocks the words. */
export class CannotPostError extends Error {
  override readonly name = 'CannotPostError';
  readonly why: RefusalOptions['why'];

  constructor(message: string, options: RefusalOptions = {}) {
    super(message, options);
    this.why = options.why;
  }
}

/** The bot is no member of the conversation, and can write there only in response to an interaction. */
export class ResponseOnlyError extends Error {
  override readonly name = 'ResponseOnlyError';
}

/** An interaction cannot be responded to, however often it is retried: its token is expired, or the platform refuses the response. */
export class ReplyRefusedError extends Error {
  override readonly name: string = 'ReplyRefusedError';
  readonly why: RefusalOptions['why'];

  constructor(message: string, options: RefusalOptions = {}) {
    super(message, options);
    this.why = options.why;
  }
}

/** Whether a filter of the platform, or of the workspace, blocks the words. */
export const hasBlockedWords = (error: unknown): boolean =>
  (error instanceof CannotPostError || error instanceof ReplyRefusedError) && error.why === 'words-blocked';
