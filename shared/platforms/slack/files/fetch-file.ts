import * as v from 'valibot';
import type { Attachment } from '../../../domain/index.ts';
import { getDownloadTimeoutMs, shortenFileName } from '../../index.ts';
import { FileUnavailableError } from '../../ports/index.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { download } from './download.ts';
import { DEFAULT_FILE_HOSTS } from './file-hosts.ts';
import { retrySlack } from '../api/retry.ts';

const ASK_TIMEOUT_MS = 8_000;
const MB = 1024 * 1024;
/** The types that Slack serves as HTML. The second is a canvas. */
const PAGES = new Set(['text/html', 'application/vnd.slack-docs']);

const text = v.nullish(v.string());
const info = v.object({
  file: v.object({
    name: text,
    mimetype: text,
    mode: text,
    size: v.nullish(v.number()),
    is_external: v.nullish(v.boolean()),
    url_private: text,
    url_private_download: text,
  }),
  // The header `x-oauth-scopes`, which Slack's client puts here.
  response_metadata: v.nullish(v.object({ scopes: v.nullish(v.array(v.string())) })),
});
type FileInfo = v.InferOutput<typeof info>['file'];

/**
 * Downloads a file. Requests its URL with `files.info` first, since events of shared channels do not contain it.
 * Rejects with FileUnavailableError.
 */
export async function fetchFile(
  { call, time, files, log }: Pick<SlackDeps, 'call' | 'time' | 'files' | 'log'>,
  { id, name }: Attachment,
  maxBytes: number,
): Promise<Uint8Array> {
  const facts = { name: shortenFileName(name), platform: 'Slack', mb: Math.floor(maxBytes / MB) };
  if (!files) throw new FileUnavailableError(['files.refused.off']);
  const retryOptions = { time, deadline: time.now() + ASK_TIMEOUT_MS };
  const { file, response_metadata: metadata } = await retrySlack(
    async () => v.parse(info, await call('files.info', { file: id })),
    retryOptions,
  ).catch((error: unknown) => {
    log?.('slack.file-lookup-failed', { reason: error instanceof SlackApiError ? error.code : 'no answer' });
    if (error instanceof SlackApiError && CANVASES_OFF.has(error.code))
      throw new FileUnavailableError(['files.canvas.off']);
    throw createRefusal(toReason(error), facts);
  });
  const { size, mimetype, mode } = file;
  if (size === 0) throw createRefusal('empty', facts);
  if (size && size > maxBytes) throw createRefusal('too-large', facts);
  const outcome = await download(getDownloadUrl(file, facts), {
    token: await files.token(),
    hosts: files.hosts ?? DEFAULT_FILE_HOSTS,
    timeoutMs: files.downloadTimeoutMs ?? getDownloadTimeoutMs(size ?? 0),
    maxBytes,
    bytes: size ?? undefined,
    isPage: mode === 'email' || PAGES.has(mimetype ?? ''),
  });
  if (outcome.kind === 'content') return outcome.bytes;
  log?.('slack.file-download-failed', { reason: outcome.kind });
  if (outcome.kind !== 'login') throw createRefusal(outcome.kind, facts);
  // The login page has many causes. A missing scope is in the response of `files.info`.
  const lacksScope = metadata?.scopes && !metadata.scopes.includes('files:read');
  throw createRefusal(lacksScope ? 'forbidden' : 'withheld', facts);
}

type RefusalFacts = { readonly name: string; readonly platform: string; readonly mb: number };
type Reason =
  | 'gone'
  | 'hidden'
  | 'external'
  | 'nowhere'
  | 'forbidden'
  | 'withheld'
  | 'not-shared'
  | 'empty'
  | 'too-large'
  | 'elsewhere'
  | 'no-answer';

const createRefusal = (reason: Reason, facts: RefusalFacts): FileUnavailableError =>
  new FileUnavailableError([`files.refused.${reason}`, facts]);

function getDownloadUrl(
  { mode, is_external, url_private, url_private_download }: FileInfo,
  facts: RefusalFacts,
): string {
  if (mode === 'tombstone') throw createRefusal('gone', facts);
  if (mode === 'hidden_by_limit') throw createRefusal('hidden', facts);
  if (is_external || mode === 'external') throw createRefusal('external', facts);
  const address = url_private_download || url_private;
  if (!address) throw createRefusal('nowhere', facts);
  return address;
}

/** Slack's errors that a retry does not resolve. Source: docs.slack.dev/reference/methods/files.info. */
const REASONS: Readonly<Record<string, Reason>> = {
  missing_scope: 'forbidden',
  no_permission: 'withheld',
  file_not_found: 'gone',
  file_deleted: 'gone',
  channel_canvas_deleted: 'gone',
  access_denied: 'not-shared',
  not_visible: 'not-shared',
  template_not_visible: 'not-shared',
  slack_connect_canvas_sharing_blocked: 'not-shared',
};

/** In the workspace of the file, or in that of the app. */
const CANVASES_OFF: ReadonlySet<string> = new Set([
  'canvas_globally_disabled',
  'canvas_disabled_user_team',
  'canvas_disabled_file_team',
]);

const toReason = (error: unknown): Reason =>
  (error instanceof SlackApiError ? REASONS[error.code] : undefined) ?? 'no-answer';
