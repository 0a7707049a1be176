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
    const { channel, message } = event;
    const chatEvents = await retryForever(
      () => event.chatEvents(channels),
      retryOptions('find-thread', deps),
    );
    if (typeof chatEvents === 'string') return log.debug('gateway.event-dropped', { reason: chatEvents });
    for (const chatEvent of chatEvents ?? []) {
      const outcome = await retryForever(
        () => onChatEvent(chatEvent),
        retryOptions('handle-event', deps, true),
      );
      const level = outcome === 'ignored' ? 'debug' : 'info';
      log[level]('gateway.event-accepted', { kind: chatEvent.kind, outcome, channel, message });
    }
  };
}
