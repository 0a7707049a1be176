import type { Server } from 'node:http';
import { handleBefore } from './handle-before.ts';

/** Requests of the local system itself (`callTable`), such as those of the dashboard, are never delayed. */
const OWN_CREDENTIALS = 'Credential=local,';

/** Delays all requests of the functions to a server. */
export type RequestDelay = {
  /** Milliseconds; 0 for none. */
  set(ms: number): void;
  /** Puts the delay before the handlers that the server has now. */
  apply(server: Server): void;
};

export function createRequestDelay(): RequestDelay {
  let delayMs = 0;
  return {
    set(ms) {
      delayMs = ms;
    },
    apply(server) {
      handleBefore(server, (request, _, handle) => {
        const isOwn = request.headers.authorization?.includes(OWN_CREDENTIALS) ?? false;
        if (delayMs === 0 || isOwn) return handle();
        // The client may have given up meanwhile.
        setTimeout(() => (request.destroyed ? undefined : handle()), delayMs).unref();
      });
    },
  };
}
