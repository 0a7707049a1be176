import { DiscordAPIError, REST } from '@discordjs/rest';
import * as v from 'valibot';
import { getKindOfCode } from '../index.ts';
import { FORBIDDEN, type GatewayReads, UnauthorizedError } from './rest-reads.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(1));
const gatewayBot = v.object({
  shards: count,
  session_start_limit: v.object({ remaining: v.number(), reset_after: v.number(), max_concurrency: count }),
});

/** Creates the REST requests for the API at `apiUrl`, which may end with a version. discord.js handles retries and rate limits. */
export function restReads(apiUrl: string, token: string): GatewayReads {
  const rest = new REST({
    version: '10',
    api: apiUrl.replace(/(\/v\d+)?\/*$/, ''),
    timeout: 15_000,
    retries: 2,
    // Cloudflare's 429 may not say how long to wait. The package would repeat the request at once and without end.
    rejectOnRateLimit: ({ retryAfter }) => !(retryAfter > 0),
  });
  const get = async (route: `/${string}`, query?: Record<string, string>): Promise<unknown> => {
    // After a 401, which may be a single one, the package forgets the token.
    rest.setToken(token);
    try {
      return await rest.get(route, query ? { query: new URLSearchParams(query) } : {});
    } catch (error) {
      if (!(error instanceof DiscordAPIError)) throw error;
      if (error.status === 401) throw new UnauthorizedError('the token of the bot is not valid');
      if (getKindOfCode(Number(error.code)) === 'forbidden') return FORBIDDEN;
      // Without a code of Discord, it is Cloudflare that refuses the address for some time: the resource may exist.
      if (error.status === 404 || (error.status === 403 && Number(error.code) > 0)) return undefined;
      throw error;
    }
  };
  return {
    gateway: async () => {
      const { shards, session_start_limit: left } = v.parse(gatewayBot, await get('/gateway/bot'));
      return {
        shards,
        remaining: left.remaining,
        resetAfterMs: left.reset_after,
        maxConcurrency: left.max_concurrency,
      };
    },
    messages: (channel, after, limit) =>
      get(`/channels/${channel}/messages`, { after, limit: String(limit) }),
    channel: (id) => get(`/channels/${id}`),
    message: (channel, id) => get(`/channels/${channel}/messages/${id}`),
  };
}
