import * as v from 'valibot';
import { type SlackCall, SlackApiError } from '../api/call.ts';

/** The response to a post. */
export const postedSchema = v.object({
  ts: v.pipe(v.string(), v.minLength(1)),
  message: v.optional(v.object({ thread_ts: v.optional(v.string()) })),
});

/**
 * Whether a message for the thread of `root` was posted in the channel itself. If the root is deleted, Slack ignores `thread_ts`, and its
 * response has none. A proxy or test server may omit it from all responses, so the root is looked up before the message counts as
 * unthreaded.
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
