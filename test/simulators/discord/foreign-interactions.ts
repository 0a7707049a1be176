import { createPublicKey, verify } from 'node:crypto';
import * as v from 'valibot';
import { takeAnswer, type Watch } from './inline-answer.ts';
import { jsonShape, parsed } from './json.ts';
import type { Keys } from './keys.ts';
import { record } from './record.ts';
import { isSnowflake } from './snowflakes.ts';
import type { Channel, Interaction } from './state.ts';
import type { SimulatorContext } from './context.ts';

/** In the form of Discord's ids; a placeholder such as `DM_CHANNEL_123` is not. */
const idShape = v.pipe(v.string(), v.regex(/^\d{1,20}$/));
const userShape = v.object({
  id: idShape,
  username: v.optional(v.string()),
  global_name: v.nullish(v.string()),
});
const askedShape = v.object({
  id: idShape,
  token: v.string(),
  type: v.number(),
  channel_id: idShape,
  channel: v.optional(
    v.object({ type: v.optional(v.number()), name: v.nullish(v.string()), parent_id: v.nullish(idShape) }),
  ),
  guild_id: v.nullish(idShape),
  member: v.optional(v.object({ user: userShape })),
  user: v.optional(userShape),
  data: v.optional(jsonShape),
  message: v.optional(
    v.object({ id: idShape, content: v.optional(v.string()), channel_id: v.optional(idShape) }),
  ),
});
type Told = v.InferOutput<typeof askedShape>;

/** The response of the app, which is passed to the result of `observe`. */
export type Answered = (type: string, content: Buffer) => Promise<void>;

/**
 * Records an interaction that another tool signed with the simulator's key and posted to the app: its token then
 * works, and its channel, guild and person exist. Returns a callback for the app's response; undefined for an
 * unsigned, known or malformed one.
 */
export function acceptForeignInteraction(
  context: SimulatorContext,
  { publicKey }: Keys,
  header: (name: string) => string | undefined,
  body: Buffer,
  watch?: Watch,
): Answered | undefined {
  const signature = Buffer.from(header('x-signature-ed25519') ?? '', 'hex');
  const message = Buffer.concat([Buffer.from(header('x-signature-timestamp') ?? ''), body]);
  const key = createPublicKey({
    key: Buffer.from(`302a300506032b6570032100${publicKey}`, 'hex'),
    format: 'der',
    type: 'spki',
  });
  if (signature.length !== 64 || !verify(null, message, key, signature)) return undefined;
  const interaction = v.parse(v.fallback(v.optional(askedShape), undefined), parsed(body.toString('utf8')));
  if (!interaction || !isSnowflake(interaction.id) || context.state.interactions.has(interaction.id))
    return undefined;
  learn(context, interaction);
  return async (type, content) => void (await takeAnswer(context, interaction.id, type, content, watch));
}

function learn(context: SimulatorContext, interaction: Told): void {
  const { state } = context;
  const person = interaction.member?.user ?? interaction.user;
  const user = person?.id ?? '0';
  if (person && !state.users.has(user)) {
    const username = person.username ?? `user${user}`;
    record(context, { kind: 'user', user: { id: user, username, name: person.global_name ?? username } });
  }
  const guild = interaction.guild_id ?? undefined;
  const ownGuild = guild === undefined ? undefined : state.guilds.get(guild);
  if (guild !== undefined && !ownGuild?.members.includes(user)) {
    const fresh = { id: guild, name: 'Elsewhere', owner: user, tier: 0, installed: true, denied: '0' };
    record(context, {
      kind: 'guild',
      guild: { ...fresh, ...ownGuild, members: [...(ownGuild?.members ?? []), user] },
    });
  }
  if (!state.channels.has(interaction.channel_id))
    record(context, { kind: 'channel', channel: channelOf(context, interaction, user, guild) });
  learnSource(context, interaction);
  record(context, { kind: 'interaction', interaction: interactionOf(context, interaction, user, guild) });
}

function channelOf(
  context: SimulatorContext,
  { channel_id: id, channel }: Told,
  user: string,
  guild: string | undefined,
): Channel {
  const type = channel?.type ?? (guild === undefined ? 1 : 0);
  const parent = channel?.parent_id;
  return {
    id,
    type,
    name: channel?.name ?? `channel-${id.slice(-4)}`,
    ...(guild === undefined ? { recipient: user } : { guild }),
    ...(type === 11 && typeof parent === 'string' ? { parent, active: context.now() } : {}),
  };
}

/** The message of a clicked component, if it is unknown. */
function learnSource(context: SimulatorContext, { channel_id: channel, message }: Told): void {
  if (!message || context.state.messages.get(channel)?.has(message.id)) return;
  record(context, {
    kind: 'message',
    message: {
      id: message.id,
      channel,
      author: context.identity.applicationId,
      content: message.content ?? '',
      type: 0,
      flags: 0,
      embeds: [],
      components: [],
      files: [],
      reactions: [],
      mentions: [],
    },
  });
}

function interactionOf(
  context: SimulatorContext,
  interaction: Told,
  user: string,
  guild: string | undefined,
): Interaction {
  const name = interaction.data?.['name'];
  const type = interaction.data?.['type'];
  return {
    id: interaction.id,
    token: interaction.token,
    type: interaction.type,
    user,
    channel: interaction.channel_id,
    at: context.now(),
    followUps: 0,
    ...(guild === undefined ? {} : { guild }),
    ...(typeof name === 'string' ? { name, commandType: typeof type === 'number' ? type : 1 } : {}),
    ...(interaction.message ? { source: interaction.message.id } : {}),
  };
}
