import type { Read } from './events.ts';
import { patienceFor, patiently } from './patiently.ts';
import type { Places } from './places.ts';
import type { RelayDeps } from './relay-deps.ts';

/** Hands over what an event means, however long that takes. Resolves once it counts as seen. Never rejects. */
export type HandOver = (read: Read) => Promise<void>;

export function handOverTo(deps: RelayDeps, places: Places): HandOver {
  const { happen, log } = deps;
  return async (read) => {
    if (read.kind === 'drop') return;
    const { channel, message } = read;
    const happenings = await patiently(() => read.happenings(places), patienceFor('places', deps));
    if (typeof happenings === 'string') return log.debug('gateway.dropped', { reason: happenings });
    for (const happening of happenings ?? []) {
      const outcome = await patiently(() => happen(happening), patienceFor('happen', deps, true));
      const level = outcome === 'ignored' ? 'debug' : 'info';
      log[level]('gateway.taken', { kind: happening.kind, outcome, channel, message });
    }
  };
}
