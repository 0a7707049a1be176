import type { Asked } from '../simulators/discord/interaction-payloads.ts';
import { takeAnswer } from '../simulators/discord/inline-answer.ts';
import type { Dispatch } from '../simulators/discord/index.ts';
import type { Json } from '../simulators/discord/json.ts';
import type { Message, User } from '../simulators/discord/state.ts';
import { writtenByBot } from './other-bots.ts';
import { pick } from './commands.ts';
import { ADA, BETWEEN, membersIn, tenantOf } from './discord-tenants.ts';
import type { Actor } from './access-model.ts';
import { type HttpEvent, type Operation, REPEATED_UPDATE } from './operation.ts';
import { placeOf } from './observe-platforms.ts';
import type { IsolationHarness } from './harness.ts';

export type DiscordActor = { readonly user: User; readonly channel: string };

export const RECENT = 14;

export function pickActor(harness: IsolationHarness): DiscordActor {
  const { state } = harness.discord;
  const user = pick(
    harness.random,
    [...state.users.values()].filter(({ bot }) => bot !== true),
  );
  if (!user) throw new Error('there is nobody');
  const channels = [...state.channels.values()].filter(
    ({ id, type }) =>
      type !== 15 && membersIn(harness.discord, id).includes(user.id) && (id !== BETWEEN || user.id === ADA),
  );
  return { user, channel: pick(harness.random, channels)?.id ?? '' };
}

/** The conversation of the bot to which an interaction there belongs. */
export function conversationOf(
  harness: IsolationHarness,
  { user, channel }: DiscordActor,
  secret: boolean,
): string {
  const channelState = harness.discord.state.channels.get(channel);
  if (secret) return `p${user.id}`;
  if (channel === BETWEEN || (channelState?.guild !== undefined && !isInstalled(harness, channelState.guild)))
    return `u${user.id}`;
  if (channelState?.guild === undefined || channelState.parent !== undefined) return channel;
  return `c${user.id}`;
}

const isInstalled = ({ discord }: IsolationHarness, guild: string): boolean =>
  discord.state.guilds.get(guild)?.installed === true;

export function actorOf(
  harness: IsolationHarness,
  at: DiscordActor,
  operation: string,
  conversation: string,
  secret = false,
): Actor {
  const tenant = tenantOf(harness.discord, at.channel);
  const admin = harness.discord.state.guilds.get(tenant)?.owner === at.user.id;
  return {
    tenant,
    channel: placeOf(harness, at.channel),
    conversation,
    user: at.user.id,
    admin,
    secret,
    operation,
  };
}

/** A request signed as Discord signs. */
export function signedByDiscord({ keys, time }: IsolationHarness, payload: Json): HttpEvent {
  const body = JSON.stringify(payload);
  const headers = keys.headers(body, Math.floor(time.now() / 1000));
  return { headers: { 'content-type': 'application/json', ...headers }, body, isBase64Encoded: false };
}

/** In a chat between two people the app is installed by one of them. */
export const inChat = (payload: Json, { user, channel }: DiscordActor): Json =>
  channel === BETWEEN
    ? { ...payload, context: 2, authorizing_integration_owners: { '1': user.id } }
    : payload;

export function interacting(
  harness: IsolationHarness,
  actor: Actor,
  request: Asked,
  payload: Json,
): Operation['act'] {
  return async () => {
    const event = signedByDiscord(harness, payload);
    harness.keepRequest({ actor, to: 'discord', event });
    const { statusCode, headers, body } = await harness.system.discord(event);
    if (statusCode !== 200) return;
    await takeAnswer(
      harness.discord.context,
      request.interaction.id,
      headers?.['content-type'] ?? '',
      Buffer.from(body),
    );
  };
}

/** The gateway events of what a person does there. */
export function deliverEvents(harness: IsolationHarness, act: () => void, bot?: string): Operation['act'] {
  const dispatches: Dispatch[] = [];
  const stop = harness.discord.onDispatch((one) => dispatches.push(one));
  act();
  stop();
  return async () => {
    for (const { t, d } of dispatches) {
      const data = writtenByBot(d, bot);
      await harness.system.gateway(t, data);
      if (t === 'MESSAGE_UPDATE') harness.keepUpdate(data);
    }
  };
}

/** Sends an earlier MESSAGE_UPDATE again, as Discord does when it adds a link preview: nobody asks anything. */
export function repeatUpdate(harness: IsolationHarness): Operation | undefined {
  const update = pick(harness.random, harness.updates);
  if (!update) return undefined;
  const actor = { ...update.actor, operation: REPEATED_UPDATE };
  return { actor, act: () => harness.system.gateway('MESSAGE_UPDATE', update.data) };
}

export const messagesIn = (harness: IsolationHarness, channel: string): Message[] => [
  ...(harness.discord.state.messages.get(channel)?.values() ?? []),
];

/** What the Discord client would refuse to send is not done. */
export function attempted(make: () => Operation): Operation | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
