import type { Delivery, Failure } from './delivery.ts';
import type { Person } from './identity.ts';
import type { Pressed } from './interactions.ts';
import type { Where } from './persons.ts';
import type { Workspace } from './workspace.ts';

/** What became of a press: the person sees a warning when the app did not acknowledge it within three seconds. */
export type PressOutcome =
  | { readonly acknowledged: true }
  | { readonly acknowledged: false; readonly reason: Failure['reason'] };

/** One workspace of the simulator, and what its people do. People are named by id or name. */
export type SlackWorkspace = {
  readonly botToken: string;
  readonly botUserId: string;
  readonly teamId: string;
  /** The id of `general`. */
  readonly channel: string;
  readonly users: readonly Person[];
  readonly core: Workspace;
  /** A person posts. Resolves with the message's ts. */
  say(user: string, text: string, where?: Where): Promise<string>;
  /**
   * A person presses a button of a message: its label, its `action_id`, or its place. Resolves once the app has answered
   * or three seconds are over. Rejects for what the person cannot see or press.
   */
  press(user: string, ts: string, what: Pressed, channel?: string): Promise<PressOutcome>;
  /** A person presses Slack's own Stop in a thread of `general`, or of another channel. */
  stop(user: string, thread: string, channel?: string): Promise<void>;
};

export function createSide(core: Workspace, delivery: Pick<Delivery, 'interact'>): SlackWorkspace {
  const { identity } = core;
  const idOf = (user: string): string =>
    identity.users.find((one) => one.name === user.toLowerCase())?.id ?? user;
  return {
    botToken: identity.botToken,
    botUserId: identity.botUserId,
    teamId: identity.teamId,
    channel: core.channel,
    users: identity.users,
    core,
    async say(user, text, where) {
      return core.say(idOf(user), text, where);
    },
    async press(user, ts, what, channel) {
      const reason = await delivery.interact(core.press(idOf(user), ts, what, channel));
      return reason === undefined ? { acknowledged: true } : { acknowledged: false, reason };
    },
    async stop(user, thread, channel) {
      core.stop(idOf(user), channel ?? core.channel, thread);
    },
  };
}
