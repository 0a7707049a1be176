import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Api } from './api.ts';
import { fill } from './uploads.ts';

const PATH = /^\/upload\/v1\/(F\w+)$/u;
export const isUploadPath = (path: string): boolean => PATH.test(path);

/** Takes the bytes. Whoever sends a token along has told it to a host that does not ask for one: 400. */
export async function takeUpload(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const id = PATH.exec(path)?.[1] ?? '';
  const parts: Buffer[] = [];
  for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part);
  const content = Buffer.concat(parts);
  const told = request.headers.authorization !== undefined || content.includes('xoxb-');
  const outcome = told ? 'token_sent' : fill(id, content) ? 'ok' : 'bad_length';
  const [first] = api.workspaces;
  api.seen({
    method: 'files.upload',
    args: { file: id },
    at: api.now(),
    outcome,
    team: first.identity.teamId,
  });
  const fault = api.faults.hit('files.upload');
  if (fault?.kind === 'lose-reply') return void response.destroy();
  response.writeHead(outcome === 'ok' ? 200 : 400, { 'content-type': 'text/plain' });
  response.end(outcome === 'ok' ? `OK - ${content.length}` : outcome);
}
