import type { Card, Modal } from '../../../shared/domain/index.ts';
import { CARD_FLAG, renderCard } from '../../../shared/platforms/discord/blocks/card-components.ts';
import { renderModal } from '../../../shared/platforms/discord/blocks/modal.ts';
import { createModalResponse } from '../../../shared/platforms/discord/inbound/responses.ts';
import { NO_MENTIONS } from '../../../shared/platforms/discord/api/enums.ts';
import { isTooManyBytes } from '../../simulators/discord/check/components.ts';
import { modalFaults } from '../../simulators/discord/check/modal.ts';
import { messageFaults } from '../../simulators/discord/check/message.ts';
import { isJson, type Json, listOf } from '../../simulators/discord/json.ts';
import { readSpecification } from '../../simulators/discord/spec.ts';

/** Discord's own specification, where it is available. */
const specification = readSpecification(process.env['PARLEY_SHARED']);
const payload = (of: object): Json => {
  const plain: unknown = JSON.parse(JSON.stringify(of));
  return isJson(plain) ? plain : {};
};

/** The violations of a card, by Discord's documents, and by its specification where available. */
export function cardFaults(card: Card): unknown[] {
  const body = payload({ components: renderCard(card), flags: CARD_FLAG, allowed_mentions: NO_MENTIONS });
  const much = isTooManyBytes(listOf(body['components'])) ? ['too many bytes'] : [];
  const route = 'POST /channels/{channel_id}/messages';
  return [
    ...messageFaults(body, 'create'),
    ...(specification?.request(route, { payload: body, json: body, uploads: [] }) ?? []),
    ...much,
  ];
}

/** The violations of a modal. */
export function formFaults(form: Modal): unknown[] {
  const route = 'POST /interactions/{interaction_id}/{interaction_token}/callback';
  const body = payload(createModalResponse(form));
  return [
    ...modalFaults(payload(renderModal(form))),
    ...(specification?.request(route, { payload: body, json: body, uploads: [] }) ?? []),
  ];
}
