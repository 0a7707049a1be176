import type { Json, Message } from '../simulators/slack/state.ts';
import { pick } from './commands.ts';
import type { Actor } from './model.ts';
import type { Operation } from './operation.ts';
import { signedBySlack } from './signing.ts';
import { administers, type SlackTenant, VISITOR } from './slack-places.ts';
import { slackName } from './watch.ts';
import type { World } from './world.ts';

/** Somebody in a channel of a workspace. */
export type Scene = { readonly of: SlackTenant; readonly user: string; readonly channel: string };

export const RECENT = 14;

export function scene(world: World): Scene {
  const of = pick(world.random, world.slack) ?? world.slack[0];
  if (!of) throw new Error('there is no workspace');
  const user = pick(world.random, of.sim.identity.users)?.id ?? '';
  const channels = [...of.sim.state.channels.values()].filter(({ members }) => members.includes(user));
  return { of, user, channel: pick(world.random, channels)?.id ?? of.sim.channel };
}

/** Who does it. `root` names the conversation; that of a thread which a card of the bot began is known by that. */
export function actorOf(
  world: World,
  { of, user, channel }: Scene,
  operation: string,
  root: string,
  secret = false,
): Actor {
  const conversation = world.conversations.get(slackName(of.tenant, channel, root)) ?? root;
  const guest = user === VISITOR;
  const admin = administers(of, user);
  return { tenant: of.tenant, channel, conversation, user, admin, guest, secret, operation };
}

export const FORM = 'application/x-www-form-urlencoded';

/** Posts these to the front, one after the other or at once. */
export function posting(
  world: World,
  actor: Actor,
  bodies: readonly (readonly [string, string])[],
): Operation['act'] {
  return async () => {
    const send = async ([body, type]: readonly [string, string]): Promise<void> => {
      const event = signedBySlack(body, type, world.time.now());
      world.keepRequest({ actor, to: 'slack', event });
      await world.system.slack(event);
    };
    if (world.races) await Promise.all(bodies.map(send));
    else for (const body of bodies) await send(body);
  };
}

export const asEvents = (envelopes: readonly Json[]) =>
  envelopes.map((one) => [JSON.stringify(one), 'application/json'] as const);
export const asForm = (payload: Json) =>
  [[new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), FORM] as const] as const;

/** What Slack tells of what a person does there. */
export function told({ sim }: SlackTenant, act: () => void): readonly Json[] {
  const envelopes: Json[] = [];
  const stop = sim.onEvent((one) => envelopes.push(one));
  act();
  stop();
  return envelopes;
}

export const messagesIn = ({ of, channel }: Scene): Message[] => [
  ...(of.sim.state.messages.get(channel)?.values() ?? []),
];
