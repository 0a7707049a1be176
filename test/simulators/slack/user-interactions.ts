import type { Delivery, Failure } from './delivery.ts';
import type { Person } from './identity.ts';
import type { Pressed } from './interactions.ts';
import type { Where } from './persons.ts';
import type { Interaction } from './interaction-payloads.ts';
import type { Filled } from './views.ts';
import type { Workspace } from './workspace.ts';

/** The result of a click: the person sees a warning when the app did not acknowledge it within three seconds. */
export type PressOutcome =
  | { readonly acknowledged: true }
  | { readonly acknowledged: false; readonly reason: Failure['reason'] };

/** One workspace of the simulator, with the actions of its people by id or name. */
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
   * A person clicks a button of a message by its label, its `action_id`, or its position. Resolves once the app has
   * responded or three seconds have passed. Rejects for an element that the person cannot see or click.
   */
  press(user: string, ts: string, what: Pressed, channel?: string): Promise<PressOutcome>;
  /** A person clicks or selects an element of their App Home. */
  pressHome(user: string, what: Pressed): Promise<PressOutcome>;
  /** A person sends a command: `/parley help`. In `general` by default. */
  command(user: string, typed: string, channel?: string): Promise<PressOutcome>;
  /** A person runs a message shortcut, by its `callback_id`. */
  shortcut(user: string, callback: string, ts: string, channel?: string): Promise<PressOutcome>;
  /** A person submits their open modal; it stays open when the app does not accept it. */
  submit(user: string, filled: Filled): Promise<PressOutcome>;
  /** A person closes it. */
  dismiss(user: string): Promise<void>;
  /** A person opens the Home tab of the app. */
  openHome(user: string): void;
  /** A person clicks Slack's own Stop in a thread of `general`, or of another channel. */
  stop(user: string, thread: string, channel?: string): Promise<void>;
};

export function createUserInteractions(
  core: Workspace,
  delivery: Pick<Delivery, 'interact'>,
): SlackWorkspace {
  const { identity } = core;
  const idOf = (user: string): string =>
    identity.users.find((one) => one.name === user.toLowerCase())?.id ?? user;
  const tell = async (payload: Interaction): Promise<PressOutcome> => {
    const reason = await delivery.interact(payload);
    return reason === undefined ? { acknowledged: true } : { acknowledged: false, reason };
  };
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
    press: async (user, ts, what, channel) => tell(core.press(idOf(user), ts, what, channel)),
    pressHome: async (user, what) => tell(core.pressHome(idOf(user), what)),
    command: async (user, typed, channel = core.channel) => tell(core.command(idOf(user), typed, channel)),
    shortcut: async (user, callback, ts, channel) => tell(core.shortcut(idOf(user), callback, ts, channel)),
    async submit(user, filled) {
      const outcome = await tell(core.submission(idOf(user), filled));
      if (outcome.acknowledged) core.closeView(idOf(user));
      return outcome;
    },
    async dismiss(user) {
      const payload = core.closing(idOf(user));
      core.closeView(idOf(user));
      if (payload) await tell(payload);
    },
    openHome: (user) => core.openHome(idOf(user)),
    async stop(user, thread, channel) {
      core.stop(idOf(user), channel ?? core.channel, thread);
    },
  };
}
