import type { MessageId, TurnRef } from '../../../domain/index.ts';
import { localize } from '../../../i18n/index.ts';
import {
  createLiveReply,
  deleteMessages,
  listMessageIds,
  createIndependentPacing,
  type AnswerState,
  createAnswerState,
  createMessageState,
  type Publishing,
} from '../../live-answer/index.ts';
import { type ReplyContext, type Reply, ThreadDeletedError } from '../../ports/index.ts';
import { isClosed, isForbidden, getErrorReason } from '../api/errors.ts';
import { renderQuote } from '../blocks/answer-components.ts';
import type { DiscordDeps, FindAnswerChannel } from '../deps.ts';
import { answerDirectly, sendFilesDirectly } from './direct-answer.ts';
import { readValue } from '../api/json-path.ts';
import type { FindOrphans } from './orphaned-messages.ts';
import { createMessages, type Messages } from '../posts/messages.ts';
import { ChannelUnreachableError } from '../posts/message-sender.ts';
import type { PermissionFinder } from '../lookup/permissions.ts';
import { botMayWrite, isPrivate, hasRootMessage } from '../inbound/conversation-key.ts';
import { notifyInDirectMessage } from '../posts/ephemeral.ts';
import type { QueueStatusMessages } from './queue-status-message.ts';
import type { DiscordLayout } from './rendering.ts';
import { DiscordTransport } from './transport.ts';

/** Between the end of one edit and the next: five in ten seconds are below all known limits. */
const EARLY_INTERVAL_MS = 1_500;
const LATE_INTERVAL_MS = 2_500;
const LATE_FROM_EDIT = 10;
const MAX_MESSAGES = 5;
/** With a token alone, Discord accepts one response and five more messages; one is kept for an ephemeral message. */
const MAX_MESSAGES_BY_TOKEN = 5;

export type ReplyDeps = DiscordDeps & {
  readonly find: FindOrphans;
  readonly findChannel: FindAnswerChannel;
  readonly permissions: PermissionFinder;
  readonly statuses: Pick<QueueStatusMessages, 'begin' | 'take' | 'has'>;
};

/** An answer on Discord. `existing` are messages of this turn from an earlier attempt, in order. */
export function createReply(
  deps: ReplyDeps,
  turn: TurnRef,
  existing: readonly MessageId[],
  context: ReplyContext = {},
): Reply {
  const { time, log, maxMessages = MAX_MESSAGES } = deps;
  deps.statuses.begin(turn);
  const byTokenOnly = !botMayWrite(turn.thread);
  const answer = createAnswerState(byTokenOnly ? [] : existing);
  const transport = new DiscordTransport({
    turn,
    maxMessages: byTokenOnly ? Math.min(maxMessages, MAX_MESSAGES_BY_TOKEN) : maxMessages,
    open: () => openMessages(deps, turn, { answer, existing, context, byTokenOnly }),
    find: () => deps.find(turn),
    sendFiles: async (files, error) =>
      sendFilesDirectly(deps, { turn, locale: (await context.locale) ?? 'en', error }, files),
  });
  const live = { answer, transport, pacing: PACING, time, log, locale: context.locale };
  const { stream, ...reply } = createLiveReply(live, {
    onFailure: async (error, content, publishing) => {
      const locale = (await context.locale) ?? 'en';
      if (error instanceof ChannelUnreachableError) {
        // If only the token could post the answer, it is stored but not posted, and the asker is informed.
        await notifyInDirectMessage(deps, turn, localize(locale, `answers.discord.${error.why}`));
        return;
      }
      if (error instanceof ThreadDeletedError) {
        await deleteAll(publishing);
        if (isClosed(error)) await answerDirectly(deps, { turn, locale, error: error.cause }, content);
      }
      throw error;
    },
  });
  return {
    ...reply,
    stopped: new AbortController().signal,
    // A message that is being written has its Stop button; before it, Discord shows none.
    enableStopButton: () => undefined,
    stopStreaming: () => stream.halt(),
    posted: () => stream.posted(),
    get hasUnconfirmedPosts() {
      return answer.unconfirmedPosts > 0 || deps.statuses.has(turn);
    },
  };
}

const PACING = createIndependentPacing((sent) =>
  sent < LATE_FROM_EDIT ? EARLY_INTERVAL_MS : LATE_INTERVAL_MS,
);

/** Deletes all that the answer has posted, as far as Discord allows it: its channel is gone. Never throws. */
async function deleteAll(publishing: Publishing<DiscordLayout>): Promise<void> {
  await deleteMessages(publishing).catch((error: unknown) =>
    publishing.log?.('discord.message-delete-failed', { reason: getErrorReason(error) }),
  );
}

type Opening = {
  readonly answer: AnswerState;
  readonly existing: readonly MessageId[];
  readonly context: ReplyContext;
  /** The bot may not write there without a token. */
  readonly byTokenOnly: boolean;
};

/** Finds the interaction token and the messages that it can edit: those that were posted with it, not older ones. */
async function openMessages(deps: ReplyDeps, turn: TurnRef, opening: Opening): Promise<Messages> {
  const { answer, existing, context, byTokenOnly } = opening;
  const token = await deps.findInteractionToken(turn);
  const editable = token && byTokenOnly ? existing.filter((id) => isLater(id, token.id)) : [];
  answer.messages.push(...editable.map((id, index) => createMessageState(index, id)));
  const isInteraction = token !== undefined || (await wasInteraction(deps, turn, existing));
  const question = isPrivate(turn.thread) ? '' : renderQuote(context.question ?? '');
  const asking = { quote: isInteraction ? question : '', insteadOfReference: question };
  const messages = createMessages(deps, turn, token, { locale: await context.locale, ...asking });
  const status = await deps.statuses.take(turn);
  if (status && answer.messages.length === 0) answer.messages.push({ ...createMessageState(0), ...status });
  else if (status?.id !== undefined && !listMessageIds(answer).includes(status.id)) {
    const { id } = status;
    await messages.remove(id).catch(() => answer.replaced.push(id));
  }
  return messages;
}

/**
 * Whether a turn with an expired token was an interaction: Discord shows that on the first message of its
 * answer. Never rejects.
 */
async function wasInteraction(
  { call, findChannel }: Pick<ReplyDeps, 'call' | 'findChannel'>,
  turn: TurnRef,
  [first]: readonly MessageId[],
): Promise<boolean> {
  if (!hasRootMessage(turn.thread)) return true;
  if (first === undefined) return false;
  try {
    const path = `/channels/${await findChannel(turn)}/messages/${first}`;
    return readValue(await call({ method: 'GET', path }), 'interaction_metadata') !== undefined;
  } catch (error) {
    // An unreadable message may belong to an interaction. The question is then shown twice rather than not
    // at all.
    return isForbidden(error);
  }
}

const isLater = (id: string, than: string): boolean => BigInt(id) > BigInt(than);
