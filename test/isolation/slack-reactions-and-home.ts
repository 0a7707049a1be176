import { pick } from './commands.ts';
import type { IsolationHarness } from './harness.ts';
import type { Operation } from './operation.ts';
import { actorOf, asEvents, eventsDuring, messagesIn, pickActor, posting, RECENT } from './slack-actor.ts';
import { VISITOR } from './slack-tenants.ts';

/** Opens the App Home, adds a reaction, or stops an answer. */
export function reactOrOpenHome(harness: IsolationHarness): Operation | undefined {
  const at = pickActor(harness);
  const { of, user, channel } = at;
  const message = pick(
    harness.random,
    messagesIn(at)
      .filter(({ ephemeralTo }) => ephemeralTo === undefined)
      .slice(-RECENT),
  );
  if (!message && user === VISITOR) return undefined;
  const isHome = message === undefined || (harness.random() < 0.4 && user !== VISITOR);
  const events = eventsDuring(of, () => {
    if (isHome) of.sim.openHome(user);
    else
      of.sim.react(
        user,
        channel,
        message.ts,
        pick(harness.random, ['eyes', 'scroll', 'memo', 'studio_microphone']) ?? 'eyes',
      );
  });
  const actor = actorOf(
    harness,
    at,
    isHome ? 'home' : 'press about: react',
    message?.thread ?? message?.ts ?? '',
  );
  return { actor, act: posting(harness, actor, asEvents(events)) };
}

/** Removes the app from a workspace. */
export function uninstall(harness: IsolationHarness): Operation | undefined {
  const of = pick(
    harness.random,
    harness.slack.filter(({ code }) => code !== undefined),
  );
  if (!of) return undefined;
  const at = { of, user: of.sim.identity.users[0]?.id ?? '', channel: of.sim.channel };
  const actor = { ...actorOf(harness, at, 'uninstall', ''), admin: true };
  harness.ownKeys.removeApp(of.tenant, harness.time.now());
  harness.schedules.uninstall(of.tenant);
  return { actor, act: posting(harness, actor, asEvents(eventsDuring(of, () => of.sim.uninstall()))) };
}
