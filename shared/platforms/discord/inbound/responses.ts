import { truncateText } from '../../../utils/index.ts';
import type { APIInteractionResponse } from 'discord-api-types/v10';
import type { Modal } from '../../../domain/index.ts';
import {
  EPHEMERAL,
  RESPOND_AUTOCOMPLETE,
  RESPOND_DEFERRED_MESSAGE,
  RESPOND_DEFERRED_UPDATE,
  RESPOND_MESSAGE,
  RESPOND_MODAL,
  RESPOND_PONG,
  NO_MENTIONS,
} from '../api/enums.ts';
import { renderModal } from '../blocks/modal.ts';

export { EPHEMERAL };

/** The initial response to an interaction. See docs:interactions/receiving-and-responding#interaction-response-object. */
export type Response = APIInteractionResponse;

export const PONG: Response = { type: RESPOND_PONG };

/** The response follows within 15 minutes. It is ephemeral if and only if its deferral is. */
export const createDeferredResponse = (isEphemeral: boolean): Response => ({
  type: RESPOND_DEFERRED_MESSAGE,
  ...(isEphemeral && { data: { flags: EPHEMERAL } }),
});

/** Acknowledges a component. The message that it belongs to changes later, if at all. */
export const ACKNOWLEDGED: Response = { type: RESPOND_DEFERRED_UPDATE };

/** Responds with an ephemeral message. */
export const createMessageResponse = (content: string): Response => ({
  type: RESPOND_MESSAGE,
  data: { content, flags: EPHEMERAL, allowed_mentions: NO_MENTIONS },
});

const MAX_CHOICES = 25;
const MAX_CHOICE_LENGTH = 100;

/** Responds with the suggestions that contain the typed text. */
export function autocompleteResponse(
  values: readonly { readonly value: string; readonly name: string }[],
  typed: string,
): Response {
  const text = typed.trim().toLowerCase();
  const choices = values
    .filter(({ value, name }) => value.length <= MAX_CHOICE_LENGTH && name.toLowerCase().includes(text))
    .slice(0, MAX_CHOICES)
    .map(({ value, name }) => ({ name: truncateText(name, MAX_CHOICE_LENGTH), value }));
  return { type: RESPOND_AUTOCOMPLETE, data: { choices } };
}

export const createModalResponse = (form: Modal): Response => ({
  type: RESPOND_MODAL,
  data: renderModal(form),
});
