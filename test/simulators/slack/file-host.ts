import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendFile } from '../send-file.ts';
import { type Api, ofToken, stopsBefore } from './api.ts';
import { bearerOf } from './http.ts';
import { type Token, tokenBehind } from './oauth.ts';

/** `files.download` in faults and among the recorded requests. */
const METHOD = 'files.download';
const PATH = /^\/files-pri\/([A-Z0-9]+)-(F[A-Z0-9]+)\/(download\/)?[^/]*$/;

/** The page that Slack sends, with status 200, for a missing or insufficient token. */
const LOGIN = `<!DOCTYPE html><html lang="en-US" class="supports_custom_scrollbar"><head><meta charset="utf-8">
<title>Sign in | Slack</title></head><body><form id="signin_form" action="/" method="post">
<h1>Sign in to your workspace</h1><input type="email" name="email"><button type="submit">Sign In With Email</button>
</form></body></html>`;

/** True if the path is that of a file, as in `url_private` and `url_private_download`. */
export const isFilePath = (path: string): boolean => path.startsWith('/files-pri/');

/** How a host authorizes downloads. */
export type FileAccess = {
  /** The token that counts; by default that of the request. */
  readonly token?: string | undefined;
  /** The redirect target for authorized clients. */
  readonly redirect?: ((path: string) => string) | undefined;
};

/** Serves a file for a bot token that may see it. A token of another workspace gets the login page. */
export async function serveFile(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  access: FileAccess = {},
): Promise<void> {
  const { redirect } = access;
  const { token, scopes, error }: Token = access.token
    ? { token: access.token }
    : tokenBehind(api, bearerOf(request));
  const workspace = ofToken(api, token);
  const [, team, file = ''] = PATH.exec(path) ?? [];
  const record = (outcome: string): void =>
    api.onCall({ method: METHOD, args: { file }, at: api.now(), outcome, team: workspace.identity.teamId });
  const fault = api.faults.hit(METHOD);
  if (fault && stopsBefore(fault, response)) return record(fault.kind);
  if (fault?.kind === 'delay') await new Promise<void>((resolve) => void api.after(fault.ms, resolve));
  const lookup =
    team === workspace.identity.teamId && error === undefined
      ? workspace.download(file, token, scopes)
      : ({ kind: 'login' } as const);
  if (lookup.kind === 'file' && redirect) {
    record('redirect');
    return void response.writeHead(302, { location: redirect(path), 'content-type': HTML }).end();
  }
  record(lookup.kind === 'file' ? 'ok' : lookup.kind);
  if (lookup.kind !== 'file') {
    response.writeHead(lookup.kind === 'login' ? 200 : 404, { 'content-type': HTML });
    return void response.end(lookup.kind === 'login' ? LOGIN : '<html><body>File not found</body></html>');
  }
  if (fault?.kind === 'lose-reply') return sendHalf(response, lookup.content);
  sendFile(
    request,
    response,
    { id: lookup.file.id, content: lookup.content },
    {
      'content-type': lookup.file.mimetype || 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    },
  );
}

const HTML = 'text/html; charset=utf-8';

/** The connection breaks in the middle of the file. */
function sendHalf(response: ServerResponse, content: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': content.length });
  response.write(content.subarray(0, content.length / 2), () => void response.destroy());
}
