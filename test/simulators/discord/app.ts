import { once } from 'node:events';
import { createServer } from 'node:http';
import { createPublicKey, verify } from 'node:crypto';
import { isJson, type Json, parsed } from './json.ts';

/** The response of a test's app to an interaction: JSON, a status, or none. */
export type Reply = object | number | 'never';

/** An app that verifies signatures, records its requests, and responds as configured. */
export async function startApp(publicKey: () => string, reply: (payload: Json) => Reply | Promise<Reply>) {
  const received: { path: string; payload: Json }[] = [];
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const parts: Buffer[] = [];
      for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part);
      const body = Buffer.concat(parts);
      const header = (name: string): string => String(request.headers[name] ?? '');
      if (!isSigned(publicKey(), header('x-signature-ed25519'), header('x-signature-timestamp'), body))
        return void response.writeHead(401).end();
      const payload = parsed(body.toString('utf8'));
      if (!isJson(payload)) return void response.writeHead(400).end();
      if (payload['type'] === 0) return void response.writeHead(204).end();
      if (payload['type'] !== 1 || request.url === '/discord/events')
        received.push({ path: request.url ?? '', payload });
      const answer =
        payload['type'] === 1 && request.url !== '/discord/events' ? { type: 1 } : await reply(payload);
      if (answer === 'never') return;
      if (typeof answer === 'number') return void response.writeHead(answer).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    void take();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function isSigned(publicKey: string, signature: string, timestamp: string, body: Buffer): boolean {
  if (!/^[0-9a-f]{128}$/i.test(signature)) return false;
  const der = Buffer.from(`302a300506032b6570032100${publicKey}`, 'hex');
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(signature, 'hex'));
}
