import * as v from 'valibot';
import type { SlackDeps } from '../deps.ts';

/** The bot as Slack knows it. */
export type Identity = { readonly user: string; readonly bot?: string | undefined };
/** Rejects as SlackCall does. */
export type WhoAmI = () => Promise<Identity>;

const answer = v.object({ user_id: v.string(), bot_id: v.optional(v.string()) });

/** Asks Slack who the bot is, once; not at all if its user is known. */
export function identifier({ call, botUserId }: Pick<SlackDeps, 'call' | 'botUserId'>): WhoAmI {
  let known: Promise<Identity> | undefined;
  const ask = async (): Promise<Identity> => {
    const { user_id: user, bot_id: bot } = v.parse(answer, await call('auth.test', {}));
    return { user, bot };
  };
  return () => {
    if (botUserId !== undefined) return Promise.resolve({ user: botUserId });
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
