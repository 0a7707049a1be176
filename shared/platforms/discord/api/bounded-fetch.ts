import type { RESTOptions } from '@discordjs/rest';
import { readBoundedBody } from '../../index.ts';
import { DiscordRateLimitError } from './call.ts';
import { ERROR_CODES } from './error-codes.ts';
import { readNumber } from './json-path.ts';

const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
/** How long to pause after a 429 that does not say how long: Cloudflare's is a page of HTML. */
const DEFAULT_PAUSE = { minMs: 5_000, spreadMs: 10_000 } as const;

export type BoundedFetchConfig = {
  readonly random: () => number;
  /** Called for each 429. */
  readonly onLimited?: (() => void) | undefined;
};

/**
 * Makes the function that sends one HTTP request for `@discordjs/rest`. The package reads bodies without a limit of bytes or time;
 * here the body is read before the deadline of the request, up to 2 MB. `pauseAll` is called when all requests have to stop.
 */
export function boundedFetch(
  { random, onLimited }: BoundedFetchConfig,
  pauseAll: (ms: number) => void,
): RESTOptions['makeRequest'] {
  return async (url, { method = 'GET', headers = {}, body = null, signal = null }) => {
    // The package passes headers as a plain object, but types them as those of its own undici.
    const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    // A redirect would take the bot token to another host.
    const response = await fetch(url, { method, headers: fields, body, signal, redirect: 'error' });
    if (response.status === 429) {
      onLimited?.();
      // Without these headers it is not Discord's API that responds but Cloudflare, which blocks the address for all requests.
      const isOfDiscord =
        response.headers.has('x-ratelimit-scope') && Number.isFinite(retryAfterSeconds(response));
      const code = isJson(response) ? await readErrorCode(response.clone()) : 0;
      // The limit of edits of old messages concerns these messages alone. The package would delay all edits in the channel.
      const isOfOldEdits = code === ERROR_CODES.MaximumNumberOfEditsToMessagesOlderThanOneHourReached;
      if (isOfOldEdits || !isOfDiscord) {
        await response.body?.cancel();
        const waitMs = Math.ceil(pauseMs(response, random));
        if (!isOfOldEdits) pauseAll(waitMs);
        throw new DiscordRateLimitError(waitMs, code);
      }
    }
    const content = await readBoundedBody(response, MAX_RESPONSE_BYTES);
    if (!content) throw new Error('the response of Discord is too large');
    return new Response(content.length > 0 ? new Uint8Array(content) : null, {
      status: response.status,
      headers: response.headers,
    });
  };
}

const retryAfterSeconds = ({ headers }: Response): number => Number(headers.get('retry-after') ?? Number.NaN);

function pauseMs(response: Response, random: () => number): number {
  const seconds = retryAfterSeconds(response);
  const { minMs, spreadMs } = DEFAULT_PAUSE;
  return Number.isFinite(seconds) ? seconds * 1_000 : minMs + random() * spreadMs;
}

const isJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') === true;

/** Discord's error code in a body; 0 if there is none. Reads the body. Rejects when reading fails. */
async function readErrorCode(response: Response): Promise<number> {
  const content = await readBoundedBody(response, MAX_RESPONSE_BYTES);
  try {
    return readNumber(JSON.parse(Buffer.from(content ?? []).toString('utf8')), 'code') ?? 0;
  } catch {
    return 0;
  }
}
