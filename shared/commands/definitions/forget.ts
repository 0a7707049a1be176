import type { CommandsContext } from '../context.ts';
import { channelId, messageId, type CardControl, type Thread } from '../../domain/index.ts';
import { localize, FORGET_THIS, forgetLabel, forgetMeLabel, whatLabel } from '../../i18n/index.ts';
import { enqueueErasure, enqueueThreadErasure } from '../../privacy/index.ts';
import { stopThread } from '../../intake/index.ts';
import { removeQuestion } from '../../intake/index.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  DONE,
  type CommandHandler,
  type OwnDataAccess,
  replyStale,
  replyCard,
  textCard,
} from '../framework/types.ts';
import { describeMissingThread } from '../arguments/menu-path.ts';
import { getCurrentThread } from '../framework/current-thread.ts';
import type {
  CommandSpec,
  MessageCommandSpec,
  MessageCommandTexts,
  TextsOf,
} from '../framework/command-spec.ts';

const TARGETS = ['me', 'thread', 'message'] as const;
type ForgetTarget = (typeof TARGETS)[number];

export const spec = {
  name: 'forget',
  options: [
    {
      name: 'what',
      kind: 'text',
      required: true,
      choices: TARGETS,
    },
  ],
} as const satisfies CommandSpec;

/** In Discord, deleting the message has the same effect. */
export const messageCommand = {
  name: 'forget',
  label: 'Forget this',
  platforms: ['slack'],
} as const satisfies MessageCommandSpec;

export const ownData: OwnDataAccess = { command: ({ what }) => what === 'me', actions: ['forget.me'] };

/** Asks for confirmation before the erasure. */
export const run: CommandHandler<CommandRequest> = (request, context) => {
  const { options } = request;
  const what = TARGETS.find((one) => one === options['what']) ?? 'me';
  return replyCard(request, createConfirmation(request, [what], getCurrentThread(request)), context);
};

export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = (request, context) => {
  const { thread, id } = request.payload.message;
  return replyCard(request, createConfirmation(request, ['message', 'thread', 'me'], thread, id), context);
};

/** Shows what can be erased, with a button each. Without a thread, only the person's own data, or an explanation. */
function createConfirmation(
  request: InteractionRequest,
  whats: readonly ForgetTarget[],
  thread: Thread | undefined,
  message?: string,
) {
  const { locale, interaction } = request;
  const possible = whats.filter((what) => what === 'me' || thread !== undefined);
  if (possible.length === 0) return textCard(describeMissingThread(FORGET_THIS, interaction, locale), 'bad');
  const { channel = '', root = '' } = thread ?? {};
  const controls = possible.map((what): CardControl => {
    const args = what === 'me' ? [] : [channel, root, ...(what === 'message' && message ? [message] : [])];
    const label = localize(locale, `memory.forget.button.${what}`);
    return { kind: 'button', label, style: 'danger', action: { name: `forget.${what}`, args } };
  });
  const lines = possible.map((what) => localize(locale, `memory.forget.${what}.sure`));
  // A person is the same in all guilds.
  if (interaction.platform === 'discord' && possible.includes('me'))
    lines.push(localize(locale, 'memory.only-here'));
  return {
    title: localize(locale, 'memory.forget.title'),
    parts: [
      { kind: 'text' as const, markdown: lines.join('\n\n') },
      { kind: 'controls' as const, controls },
    ],
  };
}

/** Handles `forget.me`, `forget.thread|channel|root` and `forget.message|channel|root|message`. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { interaction, payload, locale } = request;
  const { platform, workspace, by } = interaction;
  const { name, args } = payload.action;
  if (name === 'forget.me') {
    await replyCard(request, textCard(localize(locale, 'memory.forget.me.begun'), 'working'), context);
    const requestKey = `forget-${interaction.id}`;
    await enqueueErasure(
      platform,
      workspace,
      { kind: 'person', user: by.user },
      requestKey,
      context.queue,
      interaction,
    );
    return DONE;
  }
  const [channel = '', root = '', message] = args;
  if (channel === '' || root === '') return replyStale(request, context);
  const thread = { platform, workspace, channel: channelId(channel), root: messageId(root) };
  if (name === 'forget.thread') return forgetThread(request, thread, context);
  return name === 'forget.message'
    ? forgetMessage(request, thread, message, context)
    : replyStale(request, context);
};

/** Allowed for the person who started the thread, and admins. */
async function forgetThread(request: InteractionRequest, thread: Thread, context: CommandsContext) {
  const { interaction, locale, admin } = request;
  const starter = await context.turns.findThreadStarter(thread);
  if (starter === undefined)
    return replyCard(request, textCard(localize(locale, 'memory.nothing'), 'bad'), context);
  if (!admin && starter !== interaction.by.user)
    return replyCard(
      request,
      textCard(localize(locale, 'memory.forget.thread.theirs', { user: starter }), 'bad', [starter]),
      context,
    );
  // Running answers are stopped; the erasure follows them in the thread's queue.
  await stopThread(thread, context);
  await replyCard(request, textCard(localize(locale, 'memory.forget.thread.begun'), 'working'), context);
  await enqueueThreadErasure(thread, interaction, context.queue);
  return DONE;
}

/** Allowed for the asker and admins. Has the same effect as the deletion of the question. */
async function forgetMessage(
  request: InteractionRequest,
  thread: Thread,
  message: string | undefined,
  context: CommandsContext,
) {
  const { interaction, locale, admin } = request;
  // Also finds a turn beyond the retention period that is not yet deleted.
  const { turns } = context.deployment;
  const question = await turns.findByMessage(thread, message === undefined ? undefined : messageId(message));
  if (!question) return replyCard(request, textCard(localize(locale, 'memory.nothing'), 'bad'), context);
  const { asker: user } = question.turn;
  if (!admin && user !== interaction.by.user)
    return replyCard(
      request,
      textCard(localize(locale, 'memory.forget.message.theirs', { user }), 'bad', [user]),
      context,
    );
  // First: a request to answer again that is queued before the removal must not ask it.
  await context.turns.rememberForgotten(thread, question.turn.message);
  await removeQuestion(question, context);
  return replyCard(request, textCard(localize(locale, 'memory.forget.message.done'), 'good'), context);
}

export const texts = {
  name: forgetLabel,
  about: {
    en: 'Erase what I have stored',
    de: 'Löschen, was ich gespeichert habe',
    fr: 'Effacer ce que j’ai enregistré',
    es: 'Borrar lo que guardo',
    pt: 'Apagar o que tenho armazenado',
    ja: '保存しているデータを消去する',
    ko: '보관한 내용 지우기',
    zh: '删除我保存的内容',
  },
  'what.name': whatLabel,
  'what.about': {
    en: 'What to forget',
    de: 'Was vergessen werden soll',
    fr: 'Ce qu’il faut oublier',
    es: 'Qué hay que olvidar',
    pt: 'O que esquecer',
    ja: '消去する対象',
    ko: '잊을 대상',
    zh: '要忘记什么',
  },
  'what=me': forgetMeLabel,
  'what=thread': {
    en: 'this thread',
    de: 'diesen Thread',
    fr: 'ce fil',
    es: 'este hilo',
    pt: 'esta conversa',
    ja: 'このスレッド',
    ko: '이 스레드',
    zh: '此消息列',
  },
  'what=message': {
    en: 'the last answer',
    de: 'die letzte Antwort',
    fr: 'la dernière réponse',
    es: 'la última respuesta',
    pt: 'a última resposta',
    ja: '最後の回答',
    ko: '마지막 답변',
    zh: '上一个回答',
  },
  messageCommand: FORGET_THIS,
} satisfies TextsOf<typeof spec> & MessageCommandTexts;
