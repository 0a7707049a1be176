import * as v from 'valibot';
import { messageId, userId } from '../../../domain/index.ts';
import { type MessageHit, MessageSearchError, type MessageSearchFailure } from '../../ports/index.ts';
import { getMessageTimeMs } from '../../../utils/index.ts';
import { SlackApiError } from '../api/call.ts';
import { getFailureReason } from '../../index.ts';
import { classifyError } from '../api/errors.ts';
import { ts } from '../api/payload-fields.ts';
import { readText } from '../inbound/plain-text.ts';
import type { SlackDeps } from '../deps.ts';

/** The most that Slack returns at once. */
const PAGE_SIZE = 20;
const MAX_NAME_LENGTH = 80;

const foundMessage = v.object({
  message_ts: ts,
  content: v.pipe(v.string(), v.minLength(1)),
  permalink: v.string(),
  channel_id: v.nullish(v.string()),
  channel_name: v.nullish(v.string()),
  author_name: v.nullish(v.string()),
  author_user_id: v.nullish(v.string()),
  is_author_bot: v.nullish(v.boolean()),
});
const searchResponse = v.object({
  results: v.object({ messages: v.optional(v.nullish(v.array(v.unknown()))) }),
});

/** Errors that the reference of the method lists; all others mean that Slack does not answer now. */
const FAILURES: Readonly<Record<string, MessageSearchFailure>> = {
  invalid_action_token: 'not-allowed-now',
  missing_scope: 'missing-scope',
  not_allowed_token_type: 'missing-scope',
  access_denied: 'not-offered',
  assistant_search_context_disabled: 'not-offered',
  context_channel_not_found: 'not-offered',
  enterprise_is_restricted: 'not-offered',
  feature_not_enabled: 'not-offered',
  no_permission: 'not-offered',
  team_access_not_granted: 'not-offered',
  unknown_method: 'not-offered',
};

/**
 * Searches the public channels of the workspace for the person to whom the token was given (Real-time Search API). A bot token finds
 * nothing else: no private channels, no direct messages. One request, without a retry. Source:
 * docs.slack.dev/reference/methods/assistant.search.context.
 */
export async function searchMessages(
  { call }: Pick<SlackDeps, 'call'>,
  { query, token }: { readonly query: string; readonly token: string | undefined },
  signal: AbortSignal,
): Promise<readonly MessageHit[]> {
  if (token === undefined) throw new MessageSearchError('not-allowed-now');
  try {
    const response = await call('assistant.search.context', {
      query,
      action_token: token,
      content_types: 'messages',
      channel_types: 'public_channel',
      limit: PAGE_SIZE,
    });
    signal.throwIfAborted();
    const { messages } = v.parse(searchResponse, response).results;
    return (messages ?? []).flatMap(toHit);
  } catch (error) {
    signal.throwIfAborted();
    const failure = classifyError(error);
    const known = error instanceof SlackApiError ? FAILURES[error.code] : undefined;
    throw new MessageSearchError(
      known ?? (failure.kind === 'busy' ? 'busy' : 'down'),
      getFailureReason(failure),
    );
  }
}

function toHit(message: unknown): MessageHit[] {
  const { success, output: data } = v.safeParse(foundMessage, message);
  if (!success) return [];
  const author = (data.author_name || data.author_user_id) ?? 'someone';
  return [
    {
      id: messageId(data.message_ts),
      by: data.author_user_id ? userId(data.author_user_id) : undefined,
      author: author.slice(0, MAX_NAME_LENGTH).toWellFormed(),
      isBot: data.is_author_bot === true,
      at: getMessageTimeMs(data.message_ts),
      channel: (data.channel_name || data.channel_id) ?? '',
      text: readText(data.content, undefined),
      link: data.permalink,
    },
  ];
}
