import type { UserId } from '../../domain/index.ts';
import type { TextMessage } from '../../i18n/index.ts';

/** A file to upload. `content` is read once, as a stream. */
export type Upload = {
  readonly name: string;
  readonly mimetype: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
  /** Whom it is for: named above it. */
  readonly by?: UserId | undefined;
  /** Markdown above the file. Mentions in it notify nobody. */
  readonly words?: string | undefined;
  /** The language of code, which Slack shows in colors: its `snippet_type`. */
  readonly snippetType?: string | undefined;
  /** Makes it a voice message, where the platform has those. */
  readonly voice?: { readonly seconds: number; readonly waveform: Uint8Array } | undefined;
};

export type CardOptions = {
  /** No other attempt uses this key: nothing has to be looked up. */
  readonly isNew?: boolean | undefined;
  /** A message with this key stays as it is: an update that arrives late would replace what the card shows by then. Ignored in Discord, whose nonce does the same. */
  readonly keepsExisting?: boolean | undefined;
};

/** A file cannot be downloaded or uploaded. `why` tells people what happened and what they can do. */
export class FileUnavailableError extends Error {
  override readonly name = 'FileUnavailableError';
  readonly why: TextMessage;
  constructor(why: TextMessage) {
    super(why[0]);
    this.why = why;
  }
}
