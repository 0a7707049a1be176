import { type MessageId, messageId, type TurnRef } from '../../../domain/index.ts';
import { DiscordApiError } from '../api/call.ts';
import type { DiscordDeps, FindAnswerChannel } from '../deps.ts';
import { readValue, readId, readList, readString } from '../api/json-path.ts';
import { botMayWrite } from '../inbound/conversation-key.ts';
import { parseButton } from '../blocks/answer-buttons.ts';

export type FindOrphans = (turn: TurnRef) => Promise<MessageId[]>;

const PAGE_SIZE = 100;

/**
 * Finds messages of a turn's answer in its channel, oldest first: the bot's own, after the question, that respond to its interaction,
 * reply to it or, for the first question of a thread, are in the thread and reply to nothing. Cards and files do that too: a
 * message with files is an answer only if it has the buttons of one. Where only a token can write, nothing is found. Rejects as
 * DiscordCall does.
 */
export function createOrphanFinder(
  { call, applicationId }: Pick<DiscordDeps, 'call' | 'applicationId'>,
  findChannel: FindAnswerChannel,
): FindOrphans {
  return async (turn) => {
    const { thread, message } = turn;
    if (!botMayWrite(thread)) return [];
    const channel = await findChannel(turn);
    const messages = await list(`/channels/${channel}/messages?after=${message}&limit=${PAGE_SIZE}`);
    const isFirst = message === thread.root && channel === String(thread.root);
    return messages
      .filter(
        (one) =>
          readId(one, 'author', 'id') === applicationId || readId(one, 'application_id') === applicationId,
      )
      .filter((one) => isOf(one, message, isFirst))
      .flatMap((one) => readId(one, 'id') ?? [])
      .toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
      .map(messageId);
  };

  async function list(path: string): Promise<readonly unknown[]> {
    try {
      return readList({ messages: await call({ method: 'GET', path }) }, 'messages');
    } catch (error) {
      // If the bot may not read the channel, a message whose post had an unknown outcome may be posted
      // twice.
      if (error instanceof DiscordApiError) return [];
      throw error;
    }
  }
}

function isOf(one: unknown, message: MessageId, isFirst: boolean): boolean {
  const interaction = readId(one, 'interaction_metadata', 'id') ?? readId(one, 'interaction', 'id');
  const reply = readId(one, 'message_reference', 'message_id');
  if (interaction !== undefined || reply !== undefined) return interaction === message || reply === message;
  if (!isFirst || readValue(one, 'type') !== 0 || (Number(readValue(one, 'flags') ?? 0) & CARD) !== 0)
    return false;
  return (
    readList(one, 'attachments').length === 0 ||
    readButtonIds(one).some((id) => parseButton(id)?.message === message)
  );
}

const readButtonIds = (one: unknown): string[] =>
  readList(one, 'components')
    .flatMap((row) => readList(row, 'components'))
    .flatMap((button) => readString(button, 'custom_id') ?? []);

const CARD = 1 << 15;
