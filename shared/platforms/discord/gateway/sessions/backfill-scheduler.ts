import { SerialQueue } from '../../../../utils/serial-queue.ts';
import { backfill } from './backfill.ts';
import { readOld } from '../events/events.ts';
import type { DeliverEvent } from '../events/deliver-event.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { RawMessage } from '../events/payload-schemas.ts';
import type { RelayDeps } from '../relay-deps.ts';
import type { BotIdentity } from '../events/message.ts';
import type { ChannelDirectory } from '../events/channel-directory.ts';

export type BackfillSchedulerDeps = {
  readonly relay: RelayDeps;
  readonly places: ChannelDirectory;
  readonly me: () => BotIdentity;
  readonly handOver: DeliverEvent;
};

/** Reads messages that were written while the relay was not connected, before it handles new events of the same guild. */
export class BackfillScheduler {
  readonly #deps: BackfillSchedulerDeps;
  /** By guild; '' stands for DMs. */
  readonly #closing = new Map<string, Promise<void>>();
  /** One guild after the other, to limit the requests. */
  readonly #queue = new SerialQueue();

  constructor(deps: BackfillSchedulerDeps) {
    this.#deps = deps;
  }

  /** Resolves when the backfill of a guild is complete. Never rejects. */
  async closed(guild: string | undefined): Promise<void> {
    await this.#closing.get(guild ?? '');
  }

  /** Backfills these channels after this message. Never rejects. */
  close(guild: string | undefined, channels: readonly string[], since: string): Promise<void> {
    const { relay, places, me, handOver } = this.#deps;
    const messages = (channel: string, after: string, limit: number): Promise<unknown> =>
      retryForever(() => relay.reads.messages(channel, after, limit), retryOptions('messages', relay));
    const take = (message: RawMessage): Promise<void> => handOver(readOld(message, guild, me(), places));
    const closing = this.#queue.run(() =>
      backfill(channels, since, { now: relay.now, messages, take, log: relay.log.warn }),
    );
    this.#closing.set(guild ?? '', closing);
    return closing;
  }
}
