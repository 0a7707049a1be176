import { pressDiscordCard, pressSlackCard } from './card-operations.ts';
import { pick } from './commands.ts';
import type { IsolationHarness } from './harness.ts';
import type { Operation } from './operation.ts';
import { actorOf, asForm, messagesIn, pickActor, posting, RECENT } from './slack-actor.ts';

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
export const confirmOnSlack = (harness: IsolationHarness): Operation | undefined =>
  pressSlackCard(harness, FORGET_THREAD, ({ ephemeralTo }) => ephemeralTo);

/** Presses the button that forgets a thread, on a card that only this person sees. */
export const confirmOnDiscord = (harness: IsolationHarness): Operation | undefined =>
  pressDiscordCard(harness, FORGET_THREAD, ({ ephemeralTo }) => ephemeralTo);
