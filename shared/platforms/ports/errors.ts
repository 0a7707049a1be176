/** The root message of the thread, or its channel, is deleted: nothing more can be posted there. */
export class ThreadDeletedError extends Error {
  override readonly name = 'ThreadDeletedError';
}

/** The bot may not post there: it is not in the channel, or lacks a permission. */
export class CannotPostError extends Error {
  override readonly name = 'CannotPostError';
}

/** The bot is no member of the conversation, and can write there only in response to an interaction. */
export class ResponseOnlyError extends Error {
  override readonly name = 'ResponseOnlyError';
}

/** An interaction cannot be responded to, however often it is retried: its token is expired, or the platform refuses the response. */
export class ReplyRefusedError extends Error {
  override readonly name: string = 'ReplyRefusedError';
  /** A filter of the platform, or of the workspace, blocks the words of the response: another text may be accepted. */
  readonly why: 'words-blocked' | undefined;

  constructor(message: string, options: ErrorOptions & { readonly why?: 'words-blocked' | undefined } = {}) {
    super(message, options);
    this.why = options.why;
  }
}
