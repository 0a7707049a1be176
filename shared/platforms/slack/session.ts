import type { TurnRef } from '../../conversation/index.ts';
import type { SlackCall } from './call.ts';

/**
 * What Slack shows of the bot's work in a thread: while it is `processing` there is a Stop. A stream alone makes it so, and
 * ends it; before the first word the bot has to say it. See docs.slack.dev/ai/agent-sessions.
 */
export class Session {
  readonly #call: SlackCall;
  readonly #turn: TurnRef;
  #begun: Promise<boolean> | undefined;

  constructor(call: SlackCall, turn: TurnRef) {
    this.#call = call;
    this.#turn = turn;
  }

  /** Shows the Stop. */
  begin(): void {
    this.#begun ??= this.#set('processing');
  }

  /** The next question can come. `stopped`: Slack has ended a stream by its Stop, and waits to be told. */
  async end(stopped = false): Promise<void> {
    const begun = await this.#begun;
    this.#begun = undefined;
    if (begun || stopped) await this.#set('active');
  }

  /** Workspaces without sessions refuse; nothing hangs on it. */
  #set(status: 'processing' | 'active'): Promise<boolean> {
    const { channel, root } = this.#turn.thread;
    return this.#call('agents.sessions.setStatus', { channel_id: channel, thread_ts: root, status }).then(
      () => true,
      () => false,
    );
  }
}
