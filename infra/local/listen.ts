import type { Server } from 'node:http';
import { StartupError } from './startup-error.ts';

/** Ports to try without --port. */
const FIRST_PORT = 3000;
const MAX_PORTS_TRIED = 50;

/** The port is in use by another process. */
class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
  readonly port: number;
  constructor(port: number) {
    super(`Port ${port} is in use.`);
    this.port = port;
  }
}

/** Listens and returns the port. Port 0 selects a free one. Rejects with PortInUseError, or with the system's error. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortInUseError(port) : error);
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/**
 * Listens on `port`, or without one on the first free port from 3000 on, and returns the port. Rejects with StartupError if the
 * given port is in use.
 */
export async function listenOnPort(server: Server, host: string, port: number | undefined): Promise<number> {
  if (port !== undefined) {
    return await listen(server, host, port).catch((error: unknown) => {
      throw error instanceof PortInUseError
        ? new StartupError(
            `Port ${port} is in use. Choose another with --port, or leave it out for a free one.`,
          )
        : error;
    });
  }
  for (let candidate = FIRST_PORT; candidate < FIRST_PORT + MAX_PORTS_TRIED; candidate += 1) {
    const boundPort = await listen(server, host, candidate).catch((error: unknown) => {
      if (error instanceof PortInUseError) return undefined;
      throw error;
    });
    if (boundPort !== undefined) return boundPort;
  }
  return await listen(server, host, 0);
}

/** Returns the URL of a server that listens on this address and port. */
export const toOrigin = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Accepts no new connections. Resolves after the last response, or after `graceMs`. */
export function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
