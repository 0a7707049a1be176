import type { Server } from 'node:http';

/** The port is taken by another process. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
  readonly port: number;
  constructor(port: number) {
    super(`Port ${port} is in use.`);
    this.port = port;
  }
}

/** Listens and returns the port. Port 0 takes any free one. Rejects with PortTaken, or with the system's own error. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortTaken(port) : error);
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Takes no new connections and resolves when the last answer went out, or after `graceMs` at the latest. */
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
