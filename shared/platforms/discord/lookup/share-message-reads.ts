import type { Time } from '../../../runtime/index.ts';
import type { DiscordCall } from '../api/call.ts';

/** A response is passed on for this long: an answer begins with both reads. */
const TTL_MS = 5_000;
const MAX_ENTRIES = 100;
const MESSAGE = /^\/channels\/\d+\/messages\/\d+$/;

type Read = { readonly at: number; readonly response: Promise<unknown> };

/**
 * Two readers of the same messages: what one has read within the last 5 s, the other gets once without a request. Neither gets its own
 * response again, so that repeating a read reads anew. Rejects as `call`; the other reader then gets the same error once.
 */
export function shareMessageReads(
  call: DiscordCall,
  { now }: Pick<Time, 'now'>,
): readonly [DiscordCall, DiscordCall] {
  const reader =
    (own: Map<string, Read>, others: Map<string, Read>): DiscordCall =>
    (request) => {
      const { method, path } = request;
      if (method !== 'GET' || !MESSAGE.test(path)) return call(request);
      const read = others.get(path);
      others.delete(path);
      if (read && now() - read.at < TTL_MS) return read.response;
      const response = call(request);
      if (own.size >= MAX_ENTRIES) own.clear();
      own.set(path, { at: now(), response });
      return response;
    };
  const [first, second] = [new Map<string, Read>(), new Map<string, Read>()];
  return [reader(first, second), reader(second, first)];
}
