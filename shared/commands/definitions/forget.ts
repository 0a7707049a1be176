import type { CommandsContext } from '../context.ts';
import { channelId, messageId, type CardControl, type Thread } from '../../domain/index.ts';
import { localize, FORGET_THIS, forgetLabel, whatLabel } from '../../i18n/index.ts';
import { enqueueErasure, enqueueThreadErasure } from '../../privacy/index.ts';
import { stopThread } from '../../chat/index.ts';
import { removeQuestion } from '../../intake/index.ts';
import {
  type AnyPayload,
  type InteractionContext,
  type CommandContext,
  DONE,
  type CommandRun,
  staleReply,
  replyCard,
  textCard,
} from '../framework/types.ts';
import { currentThread } from '../framework/current-thread.ts';
import type { CommandSpec, MessageCommandSpec, OnMessageTexts, TextsOf } from '../framework/command-spec.ts';

const WHATS = ['me', 'thread', 'message'] as const;
type What = (typeof WHATS)[number];

export const spec = {
  name: 'forget',
  options: [
    {
      name: 'what',
      kind: 'text',
      required: true,
      choices: WHATS,
    },
  ],
} as const satisfies CommandSpec;

/** In Discord people delete the message itself, which comes to the same; an app has five such commands there at most. */
export const onMessage = {
  name: 'forget',
  label: 'Forget this',
  platforms: ['slack'],
} as const satisfies MessageCommandSpec;

/** Forgets, once the person has said so a second time. */
export const run: CommandRun<CommandContext> = (called, context) => {
  const { options } = called;
  const what = WHATS.find((one) => one === options['what']) ?? 'me';
  return replyCard(called, asking(called, [what], currentThread(called)), context);
};

export const runOnMessage: CommandRun<InteractionContext<'on-message'>> = (called, context) => {
  const { thread, id } = called.call.message;
  return replyCard(called, asking(called, ['message', 'thread', 'me'], thread, id), context);
};

/** What there is to be forgotten, and a button for each. Where it has to be known which thread, and is not, that is said. */
function asking(called: AnyPayload, whats: readonly What[], thread: Thread | undefined, message?: string) {
  const { locale } = called;
  const possible = whats.filter((what) => what === 'me' || thread !== undefined);
  if (possible.length === 0) return textCard(localize(locale, 'memory.nowhere'), 'bad');
  const { channel = '', root = '' } = thread ?? {};
  const controls = possible.map((what): CardControl => {
    const args = what === 'me' ? [] : [channel, root, ...(what === 'message' && message ? [message] : [])];
    const label = localize(locale, `memory.forget.button.${what}`);
    return { kind: 'button', label, style: 'danger', action: { name: `forget.${what}`, args } };
  });
  const lines = possible.map((what) => localize(locale, `memory.forget.${what}.sure`));
  return {
    title: localize(locale, 'memory.forget.title'),
    parts: [
      { kind: 'text' as const, markdown: lines.join('\n\n') },
      { kind: 'controls' as const, controls },
    ],
  };
}

/** What is pressed: `forget.me`, `forget.thread|channel|root`, `forget.message|channel|root|message`. */
export const act: CommandRun<InteractionContext<'action' | 'form'>> = async (called, context) => {
  const { invocation, call, locale } = called;
  const { platform, workspace, by } = invocation;
  const { name, args } = call.action;
  if (name === 'forget.me') {
    await replyCard(called, textCard(localize(locale, 'memory.forget.me.begun'), 'working'), context);
    const wish = `forget-${invocation.id}`;
    await enqueueErasure(
      platform,
      workspace,
      { kind: 'person', user: by.user },
      wish,
      context.queue,
      invocation,
    );
    return DONE;
  }
  const [channel = '', root = '', message] = args;
  if (channel === '' || root === '') return staleReply(called, context);
  const thread = { platform, workspace, channel: channelId(channel), root: messageId(root) };
  if (name === 'forget.thread') return forgetThread(called, thread, context);
  return name === 'forget.message'
    ? forgetMessage(called, thread, message, context)
    : staleReply(called, context);
};

/** For who began the thread, and those who administer the workspace. */
async function forgetThread(called: AnyPayload, thread: Thread, context: CommandsContext) {
  const { invocation, locale, admin } = called;
  const beginner = await context.turns.findThreadStarter(thread);
  if (beginner === undefined)
    return replyCard(called, textCard(localize(locale, 'memory.nothing'), 'bad'), context);
  if (!admin && beginner !== invocation.by.user)
    return replyCard(
      called,
      textCard(localize(locale, 'memory.forget.thread.theirs', { user: beginner }), 'bad', [beginner]),
      context,
    );
  // What is being answered there ends; the erasure waits for it in line.
  await stopThread(thread, context);
  await replyCard(called, textCard(localize(locale, 'memory.forget.thread.begun'), 'working'), context);
  await enqueueThreadErasure(thread, invocation, context.queue);
  return DONE;
}

/** For who asked, and those who administer the workspace: as if the question had been deleted. */
async function forgetMessage(
  called: AnyPayload,
  thread: Thread,
  message: string | undefined,
  context: CommandsContext,
) {
  const { invocation, locale, admin } = called;
  // Also one that is older than things are kept here by now, and lies there yet.
  const { turns } = context.deployment;
  const found = await turns.findByMessage(thread, message === undefined ? undefined : messageId(message));
  if (!found) return replyCard(called, textCard(localize(locale, 'memory.nothing'), 'bad'), context);
  const { asker: user } = found.turn;
  if (!admin && user !== invocation.by.user)
    return replyCard(
      called,
      textCard(localize(locale, 'memory.forget.message.theirs', { user }), 'bad', [user]),
      context,
    );
  await removeQuestion({ ...found, ended: found.content !== undefined }, context);
  return replyCard(called, textCard(localize(locale, 'memory.forget.message.done'), 'good'), context);
}

export const texts = {
  name: forgetLabel,
  about: {
    en: 'Erase what I have stored',
    de: 'Lass mich vergessen',
    fr: 'Me faire oublier',
    es: 'Haz que olvide',
    pt: 'Me fazer esquecer',
    ja: '記憶を消す',
    ko: '기억 지우기',
    zh: '让我忘记',
  },
  'what.name': whatLabel,
  'what.about': {
    en: 'What to forget',
    de: 'Was vergessen werden soll',
    fr: 'Ce qu’il faut oublier',
    es: 'Qué hay que olvidar',
    pt: 'O que esquecer',
    ja: '忘れる対象',
    ko: '잊을 대상',
    zh: '要忘记什么',
  },
  'what=me': { en: 'me', de: 'mich', fr: 'moi', es: 'a mí', pt: 'a mim', ja: '自分', ko: '나', zh: '我' },
  'what=thread': {
    en: 'this thread',
    de: 'diesen Thread',
    fr: 'ce fil',
    es: 'este hilo',
    pt: 'esta conversa',
    ja: 'このスレッド',
    ko: '이 스레드',
    zh: '这个话题',
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
  onMessage: FORGET_THIS,
} satisfies TextsOf<typeof spec> & OnMessageTexts;
