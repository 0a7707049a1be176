import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Api } from './api.ts';
import { fill } from './uploads.ts';

const PATH = /^\/upload\/v1\/(F\w+)$/u;
export const isUploadPath = (path: string): boolean => PATH.test(path);

/**
 * Takes the bytes, raw or as the one file of a form (docs.slack.dev/reference/methods/files.getUploadURLExternal). It asks for no
 * token and, as Slack's own client sends one, refuses none; `token` among the arguments seen says whether there was one.
 */
export async function takeUpload(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const id = PATH.exec(path)?.[1] ?? '';
  const parts: Buffer[] = [];
  for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part);
  const body = Buffer.concat(parts);
  const token = request.headers.authorization !== undefined || body.includes('xoxb-');
  const content = await fileIn(body, request.headers['content-type'] ?? '');
  const outcome = content && fill(id, content) ? 'ok' : 'bad_length';
  const [first] = api.workspaces;
  api.onCall({
    method: 'files.upload',
    args: { file: id, token },
    at: api.now(),
    outcome,
    team: first.identity.teamId,
  });
  const fault = api.faults.hit('files.upload');
  if (fault?.kind === 'lose-reply') return void response.destroy();
  response.writeHead(outcome === 'ok' ? 200 : 400, { 'content-type': 'text/plain' });
  response.end(outcome === 'ok' ? `OK - ${content?.length}` : outcome);
}

async function fileIn(body: Buffer, type: string): Promise<Buffer | undefined> {
  if (!type.startsWith('multipart/form-data')) return body;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  for (const value of form.values()) {
    if (typeof value !== 'string') return Buffer.from(await value.arrayBuffer());
  }
  return undefined;
}
