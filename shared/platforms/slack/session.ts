import type { TurnRef } from '../../conversation/index.ts';
import { type SlackAnswer, SlackRefused } from './call.ts';
import type { SlackDeps } from './deps.ts';
import { persist } from './patience.ts';

/** A Stop that stays is no reason to hold the work up for longer. */
const END_WITHIN_MS = 10_000;

/**
 * What Slack shows of the bot's work in a thread: while it is `processing` there is a Stop. A stream alone makes it so, and
 * ends it; before the first word the bot has to say it, and what it said is its own to end. See docs.slack.dev/ai/agent-sessions.
 */
export class Session {
  readonly #deps: Pick<SlackDeps, 'call' | 'time'>;
  readonly #turn: TurnRef;
  #begun: Promise<SlackAnswer> | undefined;
  #over = false;

  constructor(deps: Pick<SlackDeps, 'call' | 'time'>, turn: TurnRef) {
    this.#deps = deps;
    this.#turn = turn;
  }

  /** Shows the Stop. Rejects where a workspace has no sessions, and once this has ended. */
  async begin(): Promise<SlackAnswer> {
    if (this.#over) throw new Error('the answer has ended');
    this.#begun ??= this.#set('processing');
    return this.#begun;
  }

  /**
   * The next question can come. `surely`: also where this is not known to have begun it. Slack has ended a stream by its
   * Stop, and waits to be told; or an earlier worker may have begun it. Never rejects.
   */
  async end(surely: boolean): Promise<void> {
    this.#over = true;
    const begun = await this.#begun?.then(
      () => true,
      (error: unknown) => !(error instanceof SlackRefused),
    );
    this.#begun = undefined;
    if (!begun && !surely) return;
    const { time } = this.#deps;
    const patience = { time, deadline: time.now() + END_WITHIN_MS };
    await persist(() => this.#set('active'), patience).catch(() => undefined);
  }

  #set(status: 'processing' | 'active'): Promise<SlackAnswer> {
    const { channel, root } = this.#turn.thread;
    return this.#deps.call('agents.sessions.setStatus', { channel_id: channel, thread_ts: root, status });
  }
}
