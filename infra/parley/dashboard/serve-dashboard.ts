import { once } from 'node:events';
import { createDashboardServer, type DashboardSource } from '../../dashboard/index.ts';
import { OperatorError } from '../operator-error.ts';

export type ServedDashboard = { readonly url: string; readonly close: () => Promise<void> };

/** Serves the page on loopback, without faults. Port 0 is a free one. Rejects with OperatorError if the port is in use. */
export async function serveDashboard(
  source: DashboardSource,
  port: number,
  reportError: (error: unknown) => void,
): Promise<ServedDashboard> {
  const server = createDashboardServer({
    source,
    whereToLook: 'The terminal of "npx parley dashboard" says why.',
    reportError,
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    throw new OperatorError(`Port ${port} of this machine cannot be used. Choose another --port.`, {
      cause: error,
    });
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${actual}/`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
