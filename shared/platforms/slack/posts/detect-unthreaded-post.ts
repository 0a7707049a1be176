import * as v from 'valibot';
import { type SlackCall, SlackApiError } from '../api/call.ts';

/** What Slack answers a post with. */
export const postedSchema = v.object({
  ts: v.pipe(v.string(), v.minLength(1)),
  message: v.optional(v.object({ thread_ts: v.optional(v.string()) })),
});

/**
 * Whether a message that was meant for the thread of `root` stands outside of it, for the whole channel to see: to a root
 * that was deleted, Slack posts as if no thread had been named, and its answer names none. A proxy or a test server may
 * leave the thread out of its answers altogether, so that the root is looked for before the message counts as astray.
 */
export async function isUnthreaded(
  call: SlackCall,
  { channel, root }: { readonly channel: string; readonly root: string },
  { message }: v.InferOutput<typeof postedSchema>,
): Promise<boolean> {
  if (!message || message.thread_ts === root) return false;
  try {
    await call('conversations.replies', { channel, ts: root, limit: 1 });
    return false;
  } catch (error) {
    return !(error instanceof SlackApiError && error.code === 'unknown_method');
  }
}
