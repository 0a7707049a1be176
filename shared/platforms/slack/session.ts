import type { TurnRef } from '../../conversation/index.ts';
import { SlackRefused } from './call.ts';
import type { SlackDeps } from './deps.ts';
import { persist } from './patience.ts';

/** A Stop that stays is no reason to hold the work up for longer. */
const END_WITHIN_MS = 10_000;

/**
 * What Slack shows of the bot's work in a thread: while it is `processing` there is a Stop. A stream alone makes it so, and
 * ends it; before the first word the bot has to say it. See docs.slack.dev/ai/agent-sessions.
 */
export class Session {
  readonly #deps: Pick<SlackDeps, 'call' | 'time'>;
  readonly #turn: TurnRef;
  #begun: Promise<boolean> | undefined;
  #over = false;

  constructor(deps: Pick<SlackDeps, 'call' | 'time'>, turn: TurnRef) {
    this.#deps = deps;
    this.#turn = turn;
  }

  /** Shows the Stop, unless it has ended. Workspaces without sessions refuse. */
  begin(): void {
    if (this.#over) return;
    this.#begun ??= this.#set('processing').then(
      () => true,
      (error: unknown) => !(error instanceof SlackRefused),
    );
  }

  /**
   * The next question can come. `surely`: also where this is not known to have begun it. Slack has ended a stream by its
   * Stop, and waits to be told; or an earlier worker may have begun it. Never rejects.
   */
  async end(surely: boolean): Promise<void> {
    this.#over = true;
    const begun = await this.#begun;
    this.#begun = undefined;
    if (!begun && !surely) return;
    const { time } = this.#deps;
    const patience = { time, deadline: time.now() + END_WITHIN_MS };
    await persist(() => this.#set('active'), patience).catch(() => undefined);
  }

  async #set(status: 'processing' | 'active'): Promise<void> {
    const { channel, root } = this.#turn.thread;
    await this.#deps.call('agents.sessions.setStatus', { channel_id: channel, thread_ts: root, status });
  }
}
