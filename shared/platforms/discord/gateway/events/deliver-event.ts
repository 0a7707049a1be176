import type { ParsedEvent } from './events.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { ChannelDirectory } from './channel-directory.ts';
import type { RelayDeps } from '../relay-deps.ts';

/** Delivers the chat events of a gateway event, and retries without limit. Resolves once it is handled. Never rejects. */
export type DeliverEvent = (event: ParsedEvent) => Promise<void>;

export function createEventDelivery(deps: RelayDeps, channels: ChannelDirectory): DeliverEvent {
  const { onChatEvent, log } = deps;
  return async (event) => {
    if (event.kind === 'drop') return;
    const place = { channel: event.channel, message: event.message };
    const chatEvents = await retryForever(
      () => event.chatEvents(channels),
      retryOptions('find-thread', deps, { place }),
    );
    if (typeof chatEvents === 'string') return log.debug('gateway.event-dropped', { reason: chatEvents });
    for (const chatEvent of chatEvents ?? []) {
      const outcome = await retryForever(
        () => onChatEvent(chatEvent),
        retryOptions('handle-event', deps, { mayGiveUp: true, place }),
      );
      const level = outcome === 'ignored' ? 'debug' : 'info';
      log[level]('gateway.event-accepted', { kind: chatEvent.kind, outcome, ...place });
    }
  };
}
