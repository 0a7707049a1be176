import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';

/** A Web API request that passed the proxy, and its response. */
export type ProxiedCall = {
  readonly method: string;
  readonly status: number;
  /** False where the answer says so, or is not one of the Web API. */
  readonly ok: boolean;
  readonly error?: string | undefined;
  readonly response: unknown;
};

export type RecordingProxy = {
  /** Address of the Web API, with a slash at its end. */
  readonly apiUrl: string;
  readonly calls: readonly ProxiedCall[];
  close(): Promise<void>;
};

/**
 * What comes for a method that the Slack behind does not have: its own 404, or what Slack says, a 200 with `unknown_method`
 * (docs.slack.dev/apis/web-api).
 */
export type UnknownMethods = 'not-found' | 'unknown-method';

const webApiResponse = v.looseObject({ ok: v.boolean(), error: v.optional(v.string()) });

/** Forwards requests to a Slack and its responses back, and records both. */
export async function startRecordingProxy(
  target: string,
  unknownMethods: UnknownMethods,
): Promise<RecordingProxy> {
  const calls: ProxiedCall[] = [];
  const forward = async (
    request: IncomingMessage,
  ): Promise<{ status: number; body: string; type: string }> => {
    const path = request.url ?? '/';
    const response = await fetch(new URL(path, target), {
      method: request.method ?? 'GET',
      headers: {
        'content-type': request.headers['content-type'] ?? '',
        authorization: request.headers.authorization ?? '',
      },
      ...(request.method === 'POST' ? { body: new Uint8Array(await buffer(request)) } : {}),
    });
    const unknown = response.status === 404 && unknownMethods === 'unknown-method';
    const body = unknown ? JSON.stringify({ ok: false, error: 'unknown_method' }) : await response.text();
    const status = unknown ? 200 : response.status;
    const json: unknown = parsed(body);
    const { ok = false, error } = v.parse(v.fallback(v.optional(webApiResponse), undefined), json) ?? {};
    calls.push({ method: path.replace(/^\/api\//, ''), status, ok, error, response: json });
    return { status, body, type: 'application/json; charset=utf-8' };
  };
  const server = createServer((request, response) => {
    forward(request).then(
      ({ status, body, type }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    apiUrl: `http://127.0.0.1:${address.port}/api/`,
    calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
