import type { Attachment, TurnRef } from '../../../domain/index.ts';
import { readBoundedBody, getDownloadTimeoutMs, shortenFileName } from '../../index.ts';
import { FileUnavailableError } from '../../ports/index.ts';
import { classifyError, isForbidden, retryDiscord, getErrorReason } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { parseAttachments } from '../inbound/attachments.ts';
import { readValue } from '../api/json-path.ts';
import { PERMISSIONS } from '../lookup/permissions.ts';

const CDN = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];
const ASK_TIMEOUT_MS = 8_000;

/** The origins from which attachments are fetched: the given hosts, or Discord's CDN and the host of the API, if that is another one. */
export function listCdnOrigins(apiUrl: string, hosts: readonly string[] = []): string[] {
  const { origin, host, hostname } = new URL(apiUrl);
  if (hosts.length > 0) return hosts.map((named) => (named === host ? origin : `https://${named}`));
  return hostname === 'discord.com' ? CDN : [...CDN, origin];
}

/**
 * Fetches a file from the allowed origins only. If its URL has expired, which only the host can tell, the message is read again for a
 * fresh one. Rejects with FileUnavailableError.
 */
export async function fetchFile(
  deps: DiscordDeps,
  turn: TurnRef,
  { id, name, bytes }: Attachment,
  maxBytes: number,
): Promise<Uint8Array> {
  const refusal = (why: Refusal): FileUnavailableError =>
    new FileUnavailableError([
      `files.refused.${why}`,
      {
        name: shortenFileName(name),
        platform: 'Discord',
        mb: Math.floor(maxBytes / 1024 / 1024),
        permissions: PERMISSIONS.ReadMessageHistory.name,
      },
    ]);
  if (bytes > maxBytes) throw refusal('too-large');
  const timeoutMs = deps.downloadTimeoutMs ?? getDownloadTimeoutMs(bytes);
  const get = (address: string) => download(address, { timeoutMs, maxBytes }, deps);
  const first = await get(id);
  const response = first === 'gone' ? await fetchByFreshUrl(deps, turn, id, get) : first;
  if (typeof response !== 'string') return response;
  deps.log?.('discord.file-download-failed', { reason: response });
  throw refusal(response);
}

type Refusal = 'gone' | 'too-large' | 'elsewhere' | 'no-answer' | 'no-permission';

/**
 * Fetches the file by a fresh URL, from the question or the message that it replies to. Its channel is in the path of the URL, except
 * for a forwarded file: that path can have the channel of the original, also of a guild without the bot.
 */
async function fetchByFreshUrl(
  deps: DiscordDeps,
  { thread, message }: TurnRef,
  address: string,
  fetched: (address: string) => Promise<Uint8Array | Refusal>,
): Promise<Uint8Array | Refusal> {
  const path = URL.canParse(address) ? new URL(address).pathname : '';
  const named = /^\/attachments\/(\d+)\//.exec(path)?.[1];
  if (named === undefined) return 'gone';
  const own = [String(thread.channel), String(thread.root)];
  const channels = own.includes(named)
    ? [named]
    : [...(message === thread.root ? own : own.toReversed()), named];
  const retryOptions = { time: deps.time, deadline: deps.time.now() + ASK_TIMEOUT_MS };
  let refusal: Refusal = 'gone';
  for (const channel of channels) {
    try {
      const get = { method: 'GET', path: `/channels/${channel}/messages/${message}` } as const;
      const response = await retryDiscord(() => deps.call(get), retryOptions);
      const files = [response, readValue(response, 'referenced_message')].flatMap(parseAttachments);
      const fresh = files.find(({ id }) => URL.canParse(id) && new URL(id).pathname === path);
      return fresh ? await fetched(fresh.id) : 'gone';
    } catch (error) {
      deps.log?.('discord.file-lookup-failed', { reason: getErrorReason(error) });
      if (isForbidden(error) && own.includes(channel)) refusal = 'no-permission';
      else if (classifyError(error).kind !== 'refused') return 'no-answer';
    }
  }
  return refusal;
}

/** Downloads at most `most` bytes without credentials. Redirects are not followed. */
async function download(
  address: string,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
  { cdnOrigins: origins = CDN }: DiscordDeps,
): Promise<Uint8Array | Refusal> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || url.username !== '' || !origins.includes(url.origin)) return 'elsewhere';
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, {
      redirect: 'error',
      credentials: 'omit',
      signal,
      headers: { accept: '*/*' },
    });
    if (answer.status === 403 || answer.status === 404 || answer.status === 410) return 'gone';
    if (answer.status !== 200) return 'no-answer';
    return (await readBoundedBody(answer, maxBytes)) ?? 'too-large';
  } catch {
    return 'no-answer';
  }
}
