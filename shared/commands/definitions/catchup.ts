import { CATCH_UP } from '../../i18n/index.ts';
import { getMessageTimeMs } from '../../utils/index.ts';
import type {
  CommandSpec,
  MessageCommandSpec,
  MessageCommandTexts,
  TextsOf,
} from '../framework/command-spec.ts';
import type { CommandHandler, CommandRequest, InteractionRequest } from '../framework/types.ts';
import { CHANNEL_RANGE, getChannelInstructions } from './parts/request-summary.ts';
import { replyPeriod, replySummary } from './summarise.ts';

export const spec = { name: 'catchup', options: [] } as const satisfies CommandSpec;

export const messageCommand = {
  name: 'catchup',
  label: 'Catch up from here',
} as const satisfies MessageCommandSpec;

/**
 * Summarizes what was said in this channel or thread since the person last wrote or reacted there, ephemerally. No platform tells a bot what
 * somebody has read: in Slack, `last_read` is that of the token's owner.
 */
export const run: CommandHandler<CommandRequest> = (request, context, delivery) =>
  replyPeriod(request, context, delivery, 'last-message', true);

/** Summarizes what was said from a message on, ephemerally: in its thread if it is a reply, otherwise in its channel. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = (
  request,
  context,
  delivery,
) => {
  const { thread, id } = request.payload.message;
  const { root, ...channel } = thread;
  const sinceMs = Math.floor(getMessageTimeMs(id));
  const since = Number.isFinite(sinceMs) ? sinceMs : context.time.now();
  return replySummary(request, context, delivery, 'channel', {
    place: root === id ? channel : thread,
    range: { since, ...CHANNEL_RANGE },
    instructions: getChannelInstructions(request.locale),
    select: ({ messages, incomplete }) => ({
      // Slack includes the root message of a thread even if it is older.
      messages: messages.filter(({ at }) => at >= since),
      incomplete,
      since,
    }),
  });
};

export const texts = {
  name: {
    en: 'catchup',
    de: 'nachholen',
    fr: 'rattraper',
    es: 'ponerse-al-día',
    pt: 'ficar-em-dia',
    ja: '未読の要約',
    ko: '따라잡기',
    zh: '补看',
  },
  about: {
    en: 'What was said here since your last message, only for you',
    de: 'Was hier seit deiner letzten Nachricht gesagt wurde, nur für dich',
    fr: 'Ce qui a été dit ici depuis votre dernier message, pour vous seul',
    es: 'Lo que se dijo aquí desde tu último mensaje, solo para ti',
    pt: 'O que foi dito aqui desde a sua última mensagem, só para você',
    ja: 'あなたの最後のメッセージ以降の内容を、あなただけに要約する',
    ko: '회원님의 마지막 메시지 이후 오간 말을 회원님에게만 요약합니다',
    zh: '总结你上一条消息之后的内容，只给你看',
  },
  messageCommand: CATCH_UP,
} satisfies TextsOf<typeof spec> & MessageCommandTexts;
