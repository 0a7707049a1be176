import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AwsAccess } from '../../shared/runtime/config/config.ts';

export type Seen = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly port: number };
/** What the server does with a request: an answer, or nothing more than the connection's end. */
export type Act = { readonly status: number; readonly body: string } | 'reset' | 'silent';

/** A real HTTP server in the place of AWS, which does one act after another and then repeats the last. */
export async function awsServer(
  ...acts: Act[]
): Promise<{ access: AwsAccess; requests: Seen[]; close: () => void }> {
  const requests: Seen[] = [];
  const server = createServer((request, response) => {
    const serve = (bytes: Buffer): void => {
      const act = acts[Math.min(requests.length, acts.length - 1)] ?? 'silent';
      requests.push({
        headers: request.headers,
        body: bytes.toString(),
        port: request.socket.remotePort ?? 0,
      });
      if (act === 'reset') request.socket.resetAndDestroy();
      else if (act !== 'silent') response.writeHead(act.status).end(act.body);
    };
    void buffer(request).then(serve);
  });
  const access = awsAccess(await listening(server));
  return {
    access,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Access to all services at one port of this machine. */
export function awsAccess(port: number): AwsAccess {
  const url = `http://127.0.0.1:${port}`;
  return {
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-key', sessionToken: 'session' },
    endpoints: { dynamodb: url, sqs: url, secretsmanager: url },
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}
