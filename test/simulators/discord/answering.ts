import type { Body } from './body.ts';
import { choiceFaults } from './check/commands.ts';
import { modalFaults } from './check/components.ts';
import { fault } from './check/faults.ts';
import { ANSWER, ASKED, FLAG, MESSAGE, PERMISSION } from './flags.ts';
import { isJson, type Json, listOf, numberOf } from './json.ts';
import { add, change, post } from './posting.ts';
import { record } from './record.ts';
import { Refusal, refuseFaults } from './refusal.ts';
import { may } from './permissions.ts';
import type { Channel, Interaction, Message } from './state.ts';
import type { World } from './world.ts';

/** Within this an app has to answer an interaction. */
export const ANSWER_TIMEOUT_MS = 3_000;
/** So long a token works. */
export const TOKEN_LIFE_MS = 15 * 60_000;

/** Which answers each kind of interaction may get. */
const ALLOWED: Readonly<Record<number, readonly number[]>> = {
  [ASKED.ping]: [ANSWER.pong],
  [ASKED.command]: [ANSWER.message, ANSWER.deferred, ANSWER.modal],
  [ASKED.component]: [ANSWER.message, ANSWER.deferred, ANSWER.deferredUpdate, ANSWER.update, ANSWER.modal],
  [ASKED.autocomplete]: [ANSWER.choices],
  [ASKED.modal]: [ANSWER.message, ANSWER.deferred, ANSWER.deferredUpdate, ANSWER.update],
};

/**
 * Takes the app's first answer to an interaction, inline or by the callback route. Gives the message that was made or
 * changed. Throws 10062 when it comes too late, 40060 when there was one, 50035 for what Discord does not take.
 */
export function answer(world: World, interaction: Interaction, body: Body): Message | undefined {
  if (interaction.answered !== undefined) throw new Refusal(40060);
  if (world.now() - interaction.at > ANSWER_TIMEOUT_MS) throw new Refusal(10062);
  const type = numberOf(body.json['type']);
  const formWithoutMessage = interaction.type === ASKED.modal && interaction.source === undefined;
  const updates = type === ANSWER.deferredUpdate || type === ANSWER.update;
  if (!(ALLOWED[interaction.type] ?? []).includes(type) || (updates && formWithoutMessage))
    refuseFaults([
      fault(['type'], 'INTERACTION_RESPONSE_TYPE_INVALID', 'This interaction does not take that type'),
    ]);
  const data = isJson(body.json['data']) ? body.json['data'] : {};
  const { shown, message } = take(world, interaction, type, body, data);
  const source = updates ? interaction.source : undefined;
  const original = message?.id ?? source;
  const answered: Interaction = {
    ...interaction,
    answered: type,
    ...(original === undefined ? {} : { original }),
    ...(shown ? { shown } : {}),
  };
  record(world, { kind: 'interaction', interaction: answered });
  return message;
}

type Taken = { readonly shown?: Json; readonly message?: Message };

function take(world: World, interaction: Interaction, type: number, body: Body, data: Json): Taken {
  switch (type) {
    case ANSWER.message: {
      const hidden = isHidden(world, interaction, data) ? { ephemeralTo: interaction.user } : {};
      const origin = {
        way: 'answer',
        type: typeOf(interaction),
        interaction: interaction.id,
        at: ['data'],
      } as const;
      return { message: post(world, placeOf(world, interaction), body, data, { ...origin, ...hidden }) };
    }
    case ANSWER.deferred:
      return { message: think(world, interaction, data) };
    case ANSWER.update: {
      const message = sourceOf(world, interaction);
      return { message: change(world, placeOf(world, interaction), message, body, data) };
    }
    case ANSWER.modal:
      refuseFaults(modalFaults(data, ['data']));
      return { shown: data };
    case ANSWER.choices:
      refuseFaults(choiceFaults(listOf(data['choices']), ['data', 'choices']));
      return { shown: data };
    default:
      return {};
  }
}

/** The app is thinking: a message that says so. Only whether others see it can be said now. */
function think(world: World, interaction: Interaction, data: Json): Message {
  if ((numberOf(data['flags']) & ~FLAG.ephemeral) !== 0)
    refuseFaults([
      fault(['data', 'flags'], 'BASE_TYPE_CHOICES', 'Only EPHEMERAL can be set while deferring'),
    ]);
  const { applicationId } = world.identity;
  const hidden = isHidden(world, interaction, data);
  const message: Message = {
    id: world.ids.next(),
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
  add(world, placeOf(world, interaction), message);
  return message;
}

/** Of a person's own app, in a place that forbids such apps, nobody else sees an answer. */
export function isHidden(world: World, { userInstall, channel }: Interaction, data: Json): boolean {
  if ((numberOf(data['flags']) & FLAG.ephemeral) !== 0) return true;
  const place = world.state.channels.get(channel);
  return userInstall === true && place !== undefined && !may(world, place, PERMISSION.useExternalApps);
}

const typeOf = ({ type, commandType }: Interaction): number => {
  if (type !== ASKED.command) return MESSAGE.plain;
  return commandType === 1 ? MESSAGE.command : MESSAGE.contextMenu;
};

export function placeOf({ state }: World, { channel }: Interaction): Channel {
  const place = state.channels.get(channel);
  if (!place) throw new Refusal(10003);
  return place;
}

function sourceOf({ state }: World, { source, channel }: Interaction): Message {
  const message = state.messages.get(channel)?.get(source ?? '');
  if (!message) throw new Refusal(10008);
  return message;
}
