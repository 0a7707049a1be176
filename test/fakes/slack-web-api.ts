import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request to Slack's Web API: the method and its arguments. */
type Received = { readonly method: string; readonly args: Readonly<Record<string, string>> };

/** A server in the place of Slack's Web API that responds to each method with one body. */
export async function slackWebApi(bodies: Readonly<Record<string, unknown>>) {
  const received: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = (request.url ?? '').replace('/api/', '');
    const body = bodies[method] ?? { ok: false, error: 'unknown_method' };
    received.push({ method, args: Object.fromEntries(new URLSearchParams(await text(request))) });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = server.address();
  return {
    slackApiUrl: `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}/api/`,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
