import type { Body } from './body.ts';
import { choiceFaults } from './check/commands.ts';
import { modalFaults } from './check/modal.ts';
import { fault } from './check/faults.ts';
import { RESPONSE_TYPE, INTERACTION_TYPE, FLAG, MESSAGE, PERMISSION } from './flags.ts';
import { isJson, type Json, listOf, numberOf } from './json.ts';
import { add, change, post } from './posting.ts';
import { record } from './record.ts';
import { RefusalError, refuseFaults } from './refusal.ts';
import { may } from './permissions.ts';
import type { Channel, Interaction, Message } from './state.ts';
import type { SimulatorContext } from './context.ts';

/** The time for the response of an app. */
export const ANSWER_TIMEOUT_MS = 3_000;
/** The lifetime of a token. */
export const TOKEN_TTL_MS = 15 * 60_000;

/** The response types that each interaction type permits. */
const ALLOWED: Readonly<Record<number, readonly number[]>> = {
  [INTERACTION_TYPE.ping]: [RESPONSE_TYPE.pong],
  [INTERACTION_TYPE.command]: [RESPONSE_TYPE.message, RESPONSE_TYPE.deferred, RESPONSE_TYPE.modal],
  [INTERACTION_TYPE.component]: [
    RESPONSE_TYPE.message,
    RESPONSE_TYPE.deferred,
    RESPONSE_TYPE.deferredUpdate,
    RESPONSE_TYPE.update,
    RESPONSE_TYPE.modal,
  ],
  [INTERACTION_TYPE.autocomplete]: [RESPONSE_TYPE.choices],
  [INTERACTION_TYPE.modal]: [
    RESPONSE_TYPE.message,
    RESPONSE_TYPE.deferred,
    RESPONSE_TYPE.deferredUpdate,
    RESPONSE_TYPE.update,
  ],
};

/**
 * Processes the app's first response to an interaction, inline or by the callback route. Returns the created or
 * edited message. Throws 10062 when it is late, 40060 for a second one, 50035 for an invalid one.
 */
export function applyResponse(
  context: SimulatorContext,
  interaction: Interaction,
  body: Body,
): Message | undefined {
  if (interaction.answered !== undefined) throw new RefusalError(40060);
  if (context.now() - interaction.at > ANSWER_TIMEOUT_MS) throw new RefusalError(10062);
  const type = numberOf(body.json['type']);
  const formWithoutMessage = interaction.type === INTERACTION_TYPE.modal && interaction.source === undefined;
  const updates = type === RESPONSE_TYPE.deferredUpdate || type === RESPONSE_TYPE.update;
  if (!(ALLOWED[interaction.type] ?? []).includes(type) || (updates && formWithoutMessage))
    refuseFaults([
      fault(['type'], 'INTERACTION_RESPONSE_TYPE_INVALID', 'This interaction does not take that type'),
    ]);
  const data = isJson(body.json['data']) ? body.json['data'] : {};
  const { shown, message } = take(context, interaction, type, body, data);
  const source = updates ? interaction.source : undefined;
  const original = message?.id ?? source;
  const answered: Interaction = {
    ...interaction,
    answered: type,
    ...(original === undefined ? {} : { original }),
    ...(shown ? { shown } : {}),
  };
  record(context, { kind: 'interaction', interaction: answered });
  return message;
}

type Taken = { readonly shown?: Json; readonly message?: Message };

function take(
  context: SimulatorContext,
  interaction: Interaction,
  type: number,
  body: Body,
  data: Json,
): Taken {
  switch (type) {
    case RESPONSE_TYPE.message: {
      const hidden = isHidden(context, interaction, data) ? { ephemeralTo: interaction.user } : {};
      const origin = {
        way: 'answer',
        type: typeOf(interaction),
        interaction: interaction.id,
        at: ['data'],
      } as const;
      return { message: post(context, placeOf(context, interaction), body, data, { ...origin, ...hidden }) };
    }
    case RESPONSE_TYPE.deferred:
      return { message: think(context, interaction, data) };
    case RESPONSE_TYPE.update: {
      const message = sourceOf(context, interaction);
      return { message: change(context, placeOf(context, interaction), message, body, data) };
    }
    case RESPONSE_TYPE.modal:
      refuseFaults(modalFaults(data, ['data']));
      return { shown: data };
    case RESPONSE_TYPE.choices:
      refuseFaults(choiceFaults(listOf(data['choices']), ['data', 'choices']));
      return { shown: data };
    default:
      return {};
  }
}

/** The thinking state: a message that says so. Only now can it be made ephemeral. */
function think(context: SimulatorContext, interaction: Interaction, data: Json): Message {
  if ((numberOf(data['flags']) & ~FLAG.ephemeral) !== 0)
    refuseFaults([
      fault(['data', 'flags'], 'BASE_TYPE_CHOICES', 'Only EPHEMERAL can be set while deferring'),
    ]);
  const { applicationId } = context.identity;
  const hidden = isHidden(context, interaction, data);
  const message: Message = {
    id: context.ids.next(),
    channel: interaction.channel,
    author: applicationId,
    webhook: applicationId,
    content: '',
    type: typeOf(interaction),
    flags: FLAG.loading | (hidden ? FLAG.ephemeral : 0),
    embeds: [],
    components: [],
    files: [],
    reactions: [],
    mentions: [],
    interaction: interaction.id,
    ...(hidden ? { ephemeralTo: interaction.user } : {}),
  };
  add(context, placeOf(context, interaction), message);
  return message;
}

/** A response of a user-installed app is ephemeral in a place that forbids such apps. */
export function isHidden(
  context: SimulatorContext,
  { userInstall, channel }: Interaction,
  data: Json,
): boolean {
  if ((numberOf(data['flags']) & FLAG.ephemeral) !== 0) return true;
  const place = context.state.channels.get(channel);
  return userInstall === true && place !== undefined && !may(context, place, PERMISSION.useExternalApps);
}

const typeOf = ({ type, commandType }: Interaction): number => {
  if (type !== INTERACTION_TYPE.command) return MESSAGE.plain;
  return commandType === 1 ? MESSAGE.command : MESSAGE.contextMenu;
};

export function placeOf({ state }: SimulatorContext, { channel }: Interaction): Channel {
  const place = state.channels.get(channel);
  if (!place) throw new RefusalError(10003);
  return place;
}

function sourceOf({ state }: SimulatorContext, { source, channel }: Interaction): Message {
  const message = state.messages.get(channel)?.get(source ?? '');
  if (!message) throw new RefusalError(10008);
  return message;
}
