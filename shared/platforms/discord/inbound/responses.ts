import type { Modal } from '../../../domain/index.ts';
import { cut, renderModal } from './modal.ts';

/** What an interaction is answered with at once. See docs:interactions/receiving-and-responding#interaction-response-object. */
export type Response = { readonly type: number; readonly data?: Readonly<Record<string, unknown>> };

/** Only who called sees it. */
export const EPHEMERAL = 64;
/** Nobody is called by what a message says. Discord's own default calls people, and in the bot's messages everyone. */
export const NO_MENTIONS = { parse: [], replied_user: false } as const;

/** Link previews would fetch addresses that a model made up. */
export const NO_PREVIEWS = 4;

export const PONG: Response = { type: 1 };

/** The answer follows, within 15 minutes. Whether it is private is settled by this. */
export const deferred = (secret: boolean): Response => ({
  type: 5,
  ...(secret && { data: { flags: EPHEMERAL } }),
});

/** Seen; what is to be changed on the message will be. */
export const ACKNOWLEDGED: Response = { type: 6 };

/** A sentence for who called alone. */
export const messageResponse = (words: string): Response => ({
  type: 4,
  data: { content: words, flags: EPHEMERAL, allowed_mentions: NO_MENTIONS },
});

const MAX_CHOICES = 25;
const MAX_CHOICE_LENGTH = 100;

/** Suggestions while an option is typed: those that contain what was typed. */
export function autocompleteResponse(
  values: readonly { readonly value: string; readonly name: string }[],
  typed: string,
): Response {
  const like = typed.trim().toLowerCase();
  const choices = values
    .filter(({ value, name }) => value.length <= MAX_CHOICE_LENGTH && name.toLowerCase().includes(like))
    .slice(0, MAX_CHOICES)
    .map(({ value, name }) => ({ name: cut(name, MAX_CHOICE_LENGTH), value }));
  return { type: 8, data: { choices } };
}

export const modalResponse = (form: Modal): Response => ({ type: 9, data: renderModal(form) });
