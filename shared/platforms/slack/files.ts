import * as v from 'valibot';
import type { Attachment } from '../../conversation/index.ts';
import { fetchWithinMs, nameIn } from '../fetching.ts';
import { FileRefused } from '../platform.ts';
import { SlackRefused } from './call.ts';
import type { SlackDeps } from './deps.ts';
import { download } from './download.ts';
import { persist } from './patience.ts';

const ORIGINS = ['https://files.slack.com'];
const ASK_WITHIN_MS = 8_000;
const MB = 1024 * 1024;
/** What is handed out as a page of HTML; the second is a canvas. */
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
});
type Found = v.InferOutput<typeof info>['file'];

/**
 * Where the files of a workspace lie: at the hosts that are named, or else by where its Web API is: elsewhere than at
 * Slack, in the same place.
 */
export function filesOrigins(slackApiUrl: string, hosts: readonly string[] = []): string[] {
  const { origin, hostname, host } = new URL(slackApiUrl);
  if (hosts.length > 0) return hosts.map((named) => (named === host ? origin : `https://${named}`));
  if (hostname === 'slack.com' || hostname === 'www.slack.com') return ORIGINS;
  if (hostname === 'slack-gov.com') return ['https://files.slack-gov.com'];
  return [origin];
}

/**
 * The content of a file: asks Slack where it lies (in shared channels the event does not say), and fetches it from
 * there. Rejects with FileRefused.
 */
export async function fetchFile(
  { call, time, files, log }: Pick<SlackDeps, 'call' | 'time' | 'files' | 'log'>,
  { id, name }: Attachment,
  mostBytes: number,
): Promise<Uint8Array> {
  const facts = { name: nameIn(name), platform: 'Slack', mb: Math.floor(mostBytes / MB) };
  if (!files) throw new FileRefused(['files.refused.off']);
  const patience = { time, deadline: time.now() + ASK_WITHIN_MS };
  const found = await persist(
    async () => v.parse(info, await call('files.info', { file: id })).file,
    patience,
  ).catch((error: unknown) => {
    log?.('slack.file_unknown', { reason: error instanceof SlackRefused ? error.code : 'no answer' });
    throw refusal(reasonOf(error), facts);
  });
  const { size, mimetype, mode } = found;
  if (size === 0) throw refusal('empty', facts);
  if (size && size > mostBytes) throw refusal('too-large', facts);
  const outcome = await download(addressOf(found, facts), {
    token: await files.token(),
    origins: files.origins ?? ORIGINS,
    timeoutMs: files.timeoutMs ?? fetchWithinMs(size ?? 0),
    mostBytes,
    bytes: size ?? undefined,
    page: mode === 'email' || PAGES.has(mimetype ?? ''),
  });
  if (outcome.kind === 'content') return outcome.bytes;
  log?.('slack.file_refused', { reason: outcome.kind });
  throw refusal(outcome.kind === 'login' ? 'forbidden' : outcome.kind, facts);
}

type Facts = { readonly name: string; readonly platform: string; readonly mb: number };
type Reason =
  | 'gone'
  | 'hidden'
  | 'external'
  | 'nowhere'
  | 'forbidden'
  | 'not-shared'
  | 'empty'
  | 'too-large'
  | 'elsewhere'
  | 'no-answer';

const refusal = (reason: Reason, facts: Facts): FileRefused =>
  new FileRefused([`files.refused.${reason}`, facts]);

function addressOf({ mode, is_external, url_private, url_private_download }: Found, facts: Facts): string {
  if (mode === 'tombstone') throw refusal('gone', facts);
  if (mode === 'hidden_by_limit') throw refusal('hidden', facts);
  if (is_external || mode === 'external') throw refusal('external', facts);
  const address = url_private_download || url_private;
  if (!address) throw refusal('nowhere', facts);
  return address;
}

function reasonOf(error: unknown): Reason {
  const code = error instanceof SlackRefused ? error.code : '';
  if (code === 'missing_scope' || code === 'no_permission') return 'forbidden';
  if (code === 'file_not_found' || code === 'file_deleted') return 'gone';
  return code === 'access_denied' || code === 'not_visible' ? 'not-shared' : 'no-answer';
}
