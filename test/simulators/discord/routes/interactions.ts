import { applyResponse, isHidden, placeOf, TOKEN_TTL_MS } from '../interaction-responses.ts';
import { RESPONSE_TYPE, FLAG, MESSAGE } from '../flags.ts';
import type { Json } from '../json.ts';
import { change, post } from '../posting.ts';
import { presentMessage } from '../present.ts';
import { record } from '../record.ts';
import { RefusalError } from '../refusal.ts';
import { refuseAsleep, refuseClosed } from './messages.ts';
import { type Answer, byToken, type Call, done, ok, type Routes } from '../route.ts';
import type { Interaction, Message } from '../state.ts';

/** The maximum number of follow-ups of a user-installed app. */
const FOLLOW_UPS_MOST = 5;

const ORIGINAL = '/webhooks/{webhook_id}/{webhook_token}/messages/@original';
const ONE = '/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}';

export const INTERACTIONS: Routes = {
  'POST /interactions/{interaction_id}/{interaction_token}/callback': byToken(5, 2_000, callback),
  'POST /webhooks/{webhook_id}/{webhook_token}': byToken(5, 2_000, (call) => ok(followUp(call))),
  [`GET ${ORIGINAL}`]: byToken(5, 2_000, (call) =>
    ok(presentMessage(call.context, originalOf(call).message)),
  ),
  [`PATCH ${ORIGINAL}`]: byToken(5, 2_000, (call) => ok(edit(call, originalOf(call)))),
  [`DELETE ${ORIGINAL}`]: byToken(5, 2_000, (call) => remove(call, originalOf(call))),
  [`GET ${ONE}`]: byToken(5, 2_000, (call) => ok(presentMessage(call.context, ownOf(call).message))),
  [`PATCH ${ONE}`]: byToken(5, 2_000, (call) => ok(edit(call, ownOf(call)))),
  [`DELETE ${ONE}`]: byToken(5, 2_000, (call) => remove(call, ownOf(call))),
};

function callback({ context, at, query, body }: Call): Answer {
  const interaction = context.state.interactions.get(at('interaction_id'));
  if (!interaction || interaction.token !== at('interaction_token')) throw new RefusalError(10062);
  const message = applyResponse(context, interaction, body);
  if (query.get('with_response') !== 'true') return done;
  const type = context.state.interactions.get(interaction.id)?.answered ?? RESPONSE_TYPE.pong;
  const flags = message?.flags ?? 0;
  const response: Json = message
    ? {
        response_message_id: message.id,
        response_message_loading: (flags & FLAG.loading) !== 0,
        response_message_ephemeral: (flags & FLAG.ephemeral) !== 0,
      }
    : {};
  const resource = message ? { resource: { type, message: presentMessage(context, message) } } : {};
  return ok({ interaction: { id: interaction.id, type: interaction.type, ...response }, ...resource });
}

/**
 * The interaction of a token. Throws 50027 for an invalid token or one older than 15 minutes, 10015 before Discord
 * received the first response.
 */
function interactionOf({ context, at }: Call): Interaction {
  if (at('webhook_id') !== context.identity.applicationId) throw new RefusalError(10015);
  const token = at('webhook_token');
  const interaction = [...context.state.interactions.values()].find((one) => one.token === token);
  if (!interaction || context.now() - interaction.at > TOKEN_TTL_MS) throw new RefusalError(50027);
  if (interaction.answered === undefined) throw new RefusalError(10015);
  return interaction;
}

type Found = { readonly interaction: Interaction; readonly message: Message };

function originalOf(call: Call): Found {
  const interaction = interactionOf(call);
  const message = call.context.state.messages.get(interaction.channel)?.get(interaction.original ?? '');
  if (!message) throw new RefusalError(10008);
  return { interaction, message };
}

/** One of the app's messages of this interaction. */
function ownOf(call: Call): Found {
  const interaction = interactionOf(call);
  const message = call.context.state.messages.get(interaction.channel)?.get(call.at('message_id'));
  const own = message?.interaction === interaction.id || message?.id === interaction.original;
  if (!message || !own) throw new RefusalError(10008);
  return { interaction, message };
}

/**
 * A token has no power over a thread that was closed meanwhile, and a user-installed app does not see it: discord-api-docs#6884. That an archived thread
 * refuses edits and deletions by token too is taken over from those by the bot. Ephemeral messages are not in the thread.
 */
function refuseInThread(
  { context }: Call,
  { userInstall, channel }: Interaction,
  message: Pick<Message, 'ephemeralTo'> | undefined,
): void {
  const place = context.state.channels.get(channel);
  if (!place || message?.ephemeralTo !== undefined) return;
  try {
    (message ? refuseAsleep : refuseClosed)(context, place);
  } catch (error) {
    throw userInstall === true ? new RefusalError(50001) : error;
  }
}

function edit(call: Call, { interaction, message }: Found): Json {
  const { context, body } = call;
  refuseInThread(call, interaction, message);
  return presentMessage(context, change(context, placeOf(context, interaction), message, body, body.json));
}

function remove(call: Call, { interaction, message }: Found): Answer {
  const { context } = call;
  refuseInThread(call, interaction, message);
  record(context, { kind: 'removal', channel: message.channel, id: message.id });
  return done;
}

function followUp(call: Call): Json {
  const { context, body } = call;
  const interaction = interactionOf(call);
  const place = placeOf(context, interaction);
  const original = context.state.messages.get(interaction.channel)?.get(interaction.original ?? '');
  // Right after a deferral a follow-up replaces the thinking state.
  if (original && interaction.answered === RESPONSE_TYPE.deferred && (original.flags & FLAG.loading) !== 0) {
    refuseInThread(call, interaction, original);
    const { flags: _kept, ...json } = body.json;
    return presentMessage(context, change(context, place, original, body, json));
  }
  if (interaction.userInstall === true && interaction.followUps >= FOLLOW_UPS_MOST)
    throw new RefusalError(40094);
  const hidden = isHidden(context, interaction, body.json) ? { ephemeralTo: interaction.user } : {};
  if (hidden.ephemeralTo === undefined) refuseInThread(call, interaction, undefined);
  const origin = { way: 'webhook', type: MESSAGE.plain, interaction: interaction.id } as const;
  const message = post(context, place, body, body.json, { ...origin, ...hidden });
  record(context, {
    kind: 'interaction',
    interaction: { ...interaction, followUps: interaction.followUps + 1 },
  });
  return presentMessage(context, message);
}
