import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { type Api, stopsBefore } from './api.ts';
import { jsonOf, readBody, sendJson } from './http.ts';

/** `response_url` in faults and among the recorded requests. */
const METHOD = 'response_url';

/** True if the path is that of a `response_url`. */
export const isHookPath = (path: string): boolean => path.startsWith('/actions/');

/** Handles a request to a `response_url`. Slack requires no token: the URL is the secret. */
export async function serveHook(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const [, , team, , id = ''] = path.split('/');
  const workspace = api.workspaces.find(({ identity }) => identity.teamId === team);
  const body = jsonOf(await readBody(request));
  const record = (outcome: string): void =>
    api.onCall({ method: METHOD, args: isArgs(body) ? body : {}, at: api.now(), outcome, team: team ?? '' });
  api.record?.({ platform: 'slack', kind: 'call', operation: METHOD, request: body });
  const fault = api.faults.hit(METHOD);
  if (fault && stopsBefore(fault, response)) return record(fault.kind);
  if (api.hooksRefuseMarkdown && hasMarkdown(body)) {
    record('markdown');
    return void response.writeHead(500).end();
  }
  const answer = workspace?.respond(id, body) ?? ({ ok: false, error: 'expired_url' } as const);
  const outcome = answer.ok ? 'ok' : answer.error;
  record(outcome);
  if (answer.ok) return void response.writeHead(200, { 'content-type': 'text/html' }).end('ok');
  // Errors in the content have status 200.
  sendJson(response, GONE.has(outcome) ? 404 : 200, answer);
}

const GONE = new Set(['expired_url', 'used_url']);

const blocksShape = v.object({ blocks: v.array(v.looseObject({ type: v.string() })) });
const hasMarkdown = (body: unknown): boolean =>
  v
    .parse(v.fallback(v.optional(blocksShape), undefined), body)
    ?.blocks.some(({ type }) => type === 'markdown') === true;

const isArgs = (body: unknown): body is Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null && !Array.isArray(body);
