import type { Json, Message } from '../simulators/slack/state.ts';
import { pick } from './commands.ts';
import type { Actor } from './access-model.ts';
import type { Operation } from './operation.ts';
import { signedBySlack } from './signing.ts';
import { administers, type SlackTenant, VISITOR } from './slack-tenants.ts';
import { slackName } from './observe-platforms.ts';
import type { IsolationHarness } from './harness.ts';

/** A person in a channel of a workspace. */
export type SlackActor = { readonly of: SlackTenant; readonly user: string; readonly channel: string };

export const RECENT = 14;

export function pickActor(harness: IsolationHarness): SlackActor {
  const of = pick(harness.random, harness.slack) ?? harness.slack[0];
  if (!of) throw new Error('there is no workspace');
  const user = pick(harness.random, of.sim.identity.users)?.id ?? '';
  const channels = [...of.sim.state.channels.values()].filter(({ members }) => members.includes(user));
  return { of, user, channel: pick(harness.random, channels)?.id ?? of.sim.channel };
}

/**
 * The actor of an operation. `root` names the conversation; a thread that a card of the bot started has the
 * conversation of the card.
 */
export function actorOf(
  harness: IsolationHarness,
  { of, user, channel }: SlackActor,
  operation: string,
  root: string,
  secret = false,
): Actor {
  const conversation = harness.conversations.get(slackName(of.tenant, channel, root)) ?? root;
  const guest = user === VISITOR;
  const admin = administers(of, user);
  return { tenant: of.tenant, channel, conversation, user, admin, guest, secret, operation };
}

export const FORM = 'application/x-www-form-urlencoded';

/** Posts these bodies to the front, sequentially or concurrently. */
export function posting(
  harness: IsolationHarness,
  actor: Actor,
  bodies: readonly (readonly [string, string])[],
): Operation['act'] {
  return async () => {
    const send = async ([body, type]: readonly [string, string]): Promise<void> => {
      const event = signedBySlack(body, type, harness.time.now());
      harness.keepRequest({ actor, to: 'slack', event });
      await harness.system.slack(event);
    };
    if (harness.races) await Promise.all(bodies.map(send));
    else for (const body of bodies) await send(body);
  };
}

export const asEvents = (envelopes: readonly Json[]) =>
  envelopes.map((one) => [JSON.stringify(one), 'application/json'] as const);
export const asForm = (payload: Json) =>
  [[new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), FORM] as const] as const;

/** The Slack events of what a person does there. */
export function eventsDuring({ sim }: SlackTenant, act: () => void): readonly Json[] {
  const envelopes: Json[] = [];
  const stop = sim.onEvent((one) => envelopes.push(one));
  act();
  stop();
  return envelopes;
}

export const messagesIn = ({ of, channel }: SlackActor): Message[] => [
  ...(of.sim.state.messages.get(channel)?.values() ?? []),
];
