import { flat } from '../simulators/discord/check/components.ts';
import { stringOf } from '../simulators/discord/json.ts';
import { pick } from './commands.ts';
import * as discord from './discord-operations.ts';
import type { IsolationHarness } from './harness.ts';
import type { Operation } from './operation.ts';
import { actorOf, asForm, messagesIn, pickActor, posting, RECENT } from './slack-actor.ts';
import * as slack from './slack-operations.ts';

/** The action of the button that erases a thread. */
const FORGET_THREAD = /forget\.thread/u;

/** Chooses "Forget this" in the menu of a message of a thread in which the bot has answered. */
export function askSlackToForget(harness: IsolationHarness): Operation | undefined {
  const at = pickActor(harness);
  const messages = messagesIn(at).filter(({ ephemeralTo }) => ephemeralTo === undefined);
  const bot = at.of.sim.identity.botUserId;
  const answered = new Set(messages.filter(({ user }) => user === bot).map(({ thread }) => thread));
  const message = pick(
    harness.random,
    messages.filter(({ thread, ts }) => answered.has(thread ?? ts)).slice(-RECENT),
  );
  if (!message) return undefined;
  const actor = actorOf(harness, at, 'forget', message.thread ?? message.ts);
  const payload = at.of.sim.shortcut(at.user, 'forget', message.ts, at.channel);
  return { actor, act: posting(harness, actor, asForm(payload)), detail: 'forget' };
}

/** Presses the button that forgets a thread, on a card that only this person sees. */
export function confirmOnSlack(harness: IsolationHarness): Operation | undefined {
  const cards = harness.slack.flatMap((of) =>
    [...of.sim.state.messages].flatMap(([channel, messages]) =>
      [...messages.values()].flatMap((message) =>
        message.ephemeralTo !== undefined && FORGET_THREAD.test(JSON.stringify(message.blocks))
          ? [{ at: { of, user: message.ephemeralTo, channel }, message, action: FORGET_THREAD }]
          : [],
      ),
    ),
  );
  const card = pick(harness.random, cards.slice(-RECENT));
  return card && slack.pressOn(harness, card);
}

/** Presses the button that forgets a thread, on a card that only this person sees. */
export function confirmOnDiscord(harness: IsolationHarness): Operation | undefined {
  const { messages, users } = harness.discord.state;
  const cards = [...messages.values()]
    .flatMap((channel) => [...channel.values()])
    .flatMap((message) => {
      const user = users.get(message.ephemeralTo ?? '');
      const actions = message.components.flatMap(flat).map((one) => stringOf(one['custom_id']));
      return user && actions.some((one) => FORGET_THREAD.test(one))
        ? [{ at: { user, channel: message.channel }, message, action: FORGET_THREAD }]
        : [];
    });
  const card = pick(harness.random, cards.slice(-RECENT));
  return card && discord.pressOn(harness, card);
}
