import * as v from 'valibot';
import type { SlackDeps } from '../deps.ts';

/** The ids of the bot: its user, and its bot id, which `auth.test` returns. */
export type BotIdentity = { readonly user: string; readonly bot?: string | undefined };
/** Finds the ids of the bot. Rejects as SlackCall does. */
export type FindBotIdentity = () => Promise<BotIdentity>;

const authTestResponse = v.object({ user_id: v.string(), bot_id: v.optional(v.string()) });

/** Looks up the ids of the bot once (`auth.test`). Sends no request if `botUserId` is given. Failures are not cached. */
export function createBotIdentityFinder({
  call,
  botUserId,
}: Pick<SlackDeps, 'call' | 'botUserId'>): FindBotIdentity {
  let cached: Promise<BotIdentity> | undefined;
  const request = async (): Promise<BotIdentity> => {
    const { user_id: user, bot_id: bot } = v.parse(authTestResponse, await call('auth.test', {}));
    return { user, bot };
  };
  return () => {
    if (botUserId !== undefined) return Promise.resolve({ user: botUserId });
    cached ??= request().catch((error: unknown) => {
      cached = undefined;
      throw error;
    });
    return cached;
  };
}
