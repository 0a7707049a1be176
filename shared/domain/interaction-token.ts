import type { MessageId } from './ids.ts';

/** By which a platform lets the bot answer something that a person called, for a while, and only there. */
export type InteractionToken = {
  /** Secret: whoever has it can speak for the bot. */
  readonly token: string;
  /** The call that it came with. Messages that are made with it have later ids. */
  readonly id: MessageId;
  /** Worth nothing after this (ms since 1970). */
  readonly until: number;
  /** What whoever called reads: a BCP 47 tag. */
  readonly locale?: string | undefined;
};
