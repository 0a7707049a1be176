import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const CHECK_INTERVAL_MS = 5;
/** The number of known requests from which on those whose clients are gone are forgotten. */
const MAX_KNOWN = 100;

/** The requests that a server works on. */
export type OpenRequests = {
  /** Refuses new requests. Resolves when the server has handled all others, or after `limitMs`. */
  finish(limitMs: number): Promise<void>;
};

/**
 * Follows the requests that the handlers of a server work on, also after their clients are gone: dynalite goes on reading for them, and an error of a
 * read from a closed database ends the process.
 */
export function trackRequests(server: Server): OpenRequests {
  const open = new Map<ServerResponse, IncomingMessage>();
  let isFinishing = false;
  /** A request that arrived only in part is not handled. */
  const isOpen = (): boolean =>
    [...open].some(([response, request]) => request.complete && !response.writableEnded);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isFinishing) return void request.destroy();
    if (open.size >= MAX_KNOWN)
      for (const one of open.keys()) if (one.writableEnded || one.destroyed) open.delete(one);
    open.set(response, request);
    response.once('finish', () => open.delete(response));
  });
  return {
    async finish(limitMs) {
      isFinishing = true;
      for (let elapsedMs = 0; isOpen() && elapsedMs < limitMs; elapsedMs += CHECK_INTERVAL_MS)
        await wait(CHECK_INTERVAL_MS);
    },
  };
}
