import { type MessageId, messageId, type TurnRef } from '../../../domain/index.ts';
import { DiscordApiError } from '../api/call.ts';
import type { DiscordDeps } from '../deps.ts';
import { at, idAt, listAt, textAt } from '../inbound/json-path.ts';
import { botMayWrite } from '../lookup/conversation-key.ts';
import { parseButton } from '../inbound/answer-buttons.ts';
import type { AnswerChannel } from '../api/answer-channel.ts';

export type FindOrphans = (turn: TurnRef) => Promise<MessageId[]>;

const PAGE = 100;

/**
 * Looks for messages of a turn where it is answered: the bot's own, since the question, that came of its call, reply to it or,
 * of a thread's first question, stand in the thread without replying to anything. Cards stand there like that too, and files,
 * which are told from an answer with files by its buttons: in doubt a message is none of the turn's. Oldest first. What only a
 * ticket can reach nobody can look for. Rejects as DiscordCall does.
 */
export function orphanFinder(
  { call, applicationId }: Pick<DiscordDeps, 'call' | 'applicationId'>,
  where: AnswerChannel,
): FindOrphans {
  return async (turn) => {
    const { thread, message } = turn;
    if (!botMayWrite(thread)) return [];
    const channel = await where(turn);
    const found = await list(`/channels/${channel}/messages?after=${message}&limit=${PAGE}`);
    const first = message === thread.root && channel === String(thread.root);
    return found
      .filter(
        (one) => idAt(one, 'author', 'id') === applicationId || idAt(one, 'application_id') === applicationId,
      )
      .filter((one) => isOf(one, message, first))
      .flatMap((one) => idAt(one, 'id') ?? [])
      .toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
      .map(messageId);
  };

  async function list(path: string): Promise<readonly unknown[]> {
    try {
      return listAt({ messages: await call({ method: 'GET', path }) }, 'messages');
    } catch (error) {
      // Where the bot may not read, it lives with the small chance that a message stands twice.
      if (error instanceof DiscordApiError) return [];
      throw error;
    }
  }
}

function isOf(one: unknown, message: MessageId, first: boolean): boolean {
  const called = idAt(one, 'interaction_metadata', 'id') ?? idAt(one, 'interaction', 'id');
  const reply = idAt(one, 'message_reference', 'message_id');
  if (called !== undefined || reply !== undefined) return called === message || reply === message;
  if (!first || at(one, 'type') !== 0 || (Number(at(one, 'flags') ?? 0) & CARD) !== 0) return false;
  return (
    listAt(one, 'attachments').length === 0 ||
    buttonsOf(one).some((id) => parseButton(id)?.message === message)
  );
}

const buttonsOf = (one: unknown): string[] =>
  listAt(one, 'components')
    .flatMap((row) => listAt(row, 'components'))
    .flatMap((button) => textAt(button, 'custom_id') ?? []);

const CARD = 1 << 15;
