import * as v from 'valibot';
import type { Attachment, TurnRef } from '../../../domain/index.ts';
import { getRefusalReason } from '../api/errors.ts';
import { optionalId } from '../api/payload-fields.ts';
import { retrySlack } from '../api/retry.ts';
import type { SlackDeps } from '../deps.ts';
import { contentFields, listMessageFiles } from '../inbound/message-content.ts';
import { lookUp } from './message.ts';
import { readFirstPage } from './thread-pages.ts';

/** The answer waits for it. */
const TIMEOUT_MS = 3_000;

const messageWithFiles = v.object({
  ts: v.string(),
  user: optionalId,
  files: v.nullish(v.array(v.unknown())),
  ...contentFields,
});
const historyResponse = v.object({ messages: v.array(v.unknown()) });

/** The files of a message whose event did not list them: see `FileDownloader.listFiles`. With `withThread`, `call` caches pages: `cacheReplies`. */
export async function readMessageFiles(
  deps: Pick<SlackDeps, 'call' | 'time' | 'log'>,
  turn: TurnRef,
  withThread = false,
): Promise<readonly Attachment[] | undefined> {
  const { thread, message } = turn;
  const read = message === thread.root ? readRoot : withThread ? readOnFirstPage : readReply;
  try {
    const match = await read(deps, turn);
    return match ? listMessageFiles(match) : [];
  } catch (error) {
    deps.log?.('slack.files-read-failed', { channel: thread.channel, reason: getRefusalReason(error) });
    return undefined;
  }
}

type Deps = Pick<SlackDeps, 'call' | 'time'>;

/** By `conversations.history`: outside of the Marketplace, apps may send that and `conversations.replies` once a minute each. */
async function readRoot({ call, time }: Deps, { thread: { channel }, message }: TurnRef) {
  const range = { oldest: message, latest: message, inclusive: true, limit: 1 };
  const request = () => call('conversations.history', { channel, ...range });
  const response = await retrySlack(request, { time, deadline: time.now() + TIMEOUT_MS });
  return findMessage(v.parse(historyResponse, response).messages, message);
}

/** On the page with which the messages before the question begin. Where the message is on a later page, it is requested by itself. */
async function readOnFirstPage(deps: Deps, turn: TurnRef) {
  const { messages, cursor } = await readFirstPage(deps, turn, deps.time.now() + TIMEOUT_MS);
  const match = findMessage(messages, turn.message);
  return match || !cursor ? match : readReply(deps, turn);
}

const readReply = ({ call, time }: Deps, { thread: { channel }, message }: TurnRef) =>
  retrySlack(() => lookUp(call, channel, message), { time, deadline: time.now() + TIMEOUT_MS });

function findMessage(messages: readonly unknown[], ts: string) {
  return messages
    .flatMap((one) => {
      const { success, output } = v.safeParse(messageWithFiles, one);
      return success ? [output] : [];
    })
    .find((one) => one.ts === ts);
}
