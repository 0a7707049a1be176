import { SerialQueue } from '../../../../utils/index.ts';
import { backfillChannels } from './backfill.ts';
import { parseRestMessage } from '../events/events.ts';
import type { DeliverEvent } from '../events/deliver-event.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { RawMessage } from '../events/payload-schemas.ts';
import type { RelayDeps } from '../relay-deps.ts';
import type { BotIdentity } from '../events/message.ts';
import type { ChannelDirectory } from '../events/channel-directory.ts';

export type BackfillSchedulerDeps = {
  readonly relay: RelayDeps;
  readonly channels: ChannelDirectory;
  readonly bot: () => BotIdentity;
  readonly deliver: DeliverEvent;
};

/** Reads messages that were written while the relay was not connected, before it handles new events of the same guild. */
export class BackfillScheduler {
  readonly #deps: BackfillSchedulerDeps;
  /** By guild; '' means DMs. */
  readonly #pending = new Map<string, Promise<void>>();
  /** One guild after the other, to limit the requests. */
  readonly #queue = new SerialQueue();

  constructor(deps: BackfillSchedulerDeps) {
    this.#deps = deps;
  }

  /** Resolves when the backfill of a guild is complete. Never rejects. */
  async untilBackfilled(guild: string | undefined): Promise<void> {
    await this.#pending.get(guild ?? '');
  }

  /** Backfills these channels after this message. Never rejects. */
  backfill(guild: string | undefined, channels: readonly string[], since: string): Promise<void> {
    const { relay, channels: directory, bot, deliver } = this.#deps;
    const messages = (channel: string, after: string, limit: number): Promise<unknown> =>
      retryForever(() => relay.reads.messages(channel, after, limit), retryOptions('messages', relay));
    const handle = (message: RawMessage): Promise<void> =>
      deliver(parseRestMessage(message, guild, bot(), directory));
    const backfilled = this.#queue.run(() =>
      backfillChannels(channels, since, { now: relay.now, messages, handle, log: relay.log.warn }),
    );
    this.#pending.set(guild ?? '', backfilled);
    return backfilled;
  }
}
