import type { MessageId } from './ids.ts';

/**
 * The token with which the bot responds to an interaction. Valid for a limited time and for this interaction
 * only.
 */
export type InteractionToken = {
  /** Secret: anyone who has it can post as the bot. */
  readonly token: string;
  /** The interaction that it belongs to. Messages created with the token have later ids. */
  readonly id: MessageId;
  /** When it expires (ms since 1970). */
  readonly expiresAtMs: number;
  /** The person's locale: a BCP 47 tag. */
  readonly locale?: string | undefined;
};
