import type { ParsedEvent } from './events.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { ChannelDirectory } from './channel-directory.ts';
import type { RelayDeps } from '../relay-deps.ts';

/** Hands over what an event means, however long that takes. Resolves once it counts as seen. Never rejects. */
export type DeliverEvent = (read: ParsedEvent) => Promise<void>;

export function deliverTo(deps: RelayDeps, places: ChannelDirectory): DeliverEvent {
  const { happen, log } = deps;
  return async (read) => {
    if (read.kind === 'drop') return;
    const { channel, message } = read;
    const happenings = await retryForever(() => read.happenings(places), retryOptions('places', deps));
    if (typeof happenings === 'string') return log.debug('gateway.dropped', { reason: happenings });
    for (const happening of happenings ?? []) {
      const outcome = await retryForever(() => happen(happening), retryOptions('happen', deps, true));
      const level = outcome === 'ignored' ? 'debug' : 'info';
      log[level]('gateway.taken', { kind: happening.kind, outcome, channel, message });
    }
  };
}
