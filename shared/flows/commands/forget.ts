import { channelId, messageId, type Control, type Thread } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { sendErasure, sendThreadErasure } from '../erase.ts';
import { stopThread, takeOut } from '../happen.ts';
import type { Deps } from '../ports.ts';
import * as names from './names.ts';
import { type AnyCall, type Called, type CalledCommand, DONE, type Run, stale, tell, words } from './run.ts';
import { threadHere } from './thread-here.ts';
import { type CommandSpec, type MessageCommandSpec, type OnMessageTexts, type TextsOf } from './spec.ts';
import { FORGET_THIS } from '../../texts/forms/index.ts';

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
export const run: Run<CalledCommand> = (called, deps) => {
  const { options } = called;
  const what = WHATS.find((one) => one === options['what']) ?? 'me';
  return tell(called, asking(called, [what], threadHere(called)), deps);
};

export const runOnMessage: Run<Called<'on-message'>> = (called, deps) => {
  const { thread, id } = called.call.message;
  return tell(called, asking(called, ['message', 'thread', 'me'], thread, id), deps);
};

/** What there is to be forgotten, and a button for each. Where it has to be known which thread, and is not, that is said. */
function asking(called: AnyCall, whats: readonly What[], thread: Thread | undefined, message?: string) {
  const { locale } = called;
  const possible = whats.filter((what) => what === 'me' || thread !== undefined);
  if (possible.length === 0) return words(say(locale, 'memory.nowhere'), 'bad');
  const { channel = '', root = '' } = thread ?? {};
  const controls = possible.map((what): Control => {
    const args = what === 'me' ? [] : [channel, root, ...(what === 'message' && message ? [message] : [])];
    const label = say(locale, `memory.forget.button.${what}`);
    return { kind: 'button', label, style: 'danger', action: { name: `forget.${what}`, args } };
  });
  const lines = possible.map((what) => say(locale, `memory.forget.${what}.sure`));
  return {
    title: say(locale, 'memory.forget.title'),
    parts: [
      { kind: 'text' as const, markdown: lines.join('\n\n') },
      { kind: 'controls' as const, controls },
    ],
  };
}

/** What is pressed: `forget.me`, `forget.thread|channel|root`, `forget.message|channel|root|message`. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { invocation, call, locale } = called;
  const { platform, workspace, by } = invocation;
  const { name, args } = call.action;
  if (name === 'forget.me') {
    if (!deps.erasure) return tell(called, words(say(locale, 'memory.forget.off'), 'bad'), deps);
    await tell(called, words(say(locale, 'memory.forget.me.begun'), 'working'), deps);
    const wish = `forget-${invocation.id}`;
    await sendErasure(platform, workspace, { kind: 'person', user: by.user }, wish, deps.queue, invocation);
    return DONE;
  }
  const [channel = '', root = '', message] = args;
  if (channel === '' || root === '') return stale(called, deps);
  const thread = { platform, workspace, channel: channelId(channel), root: messageId(root) };
  if (name === 'forget.thread') return forgetThread(called, thread, deps);
  return name === 'forget.message' ? forgetMessage(called, thread, message, deps) : stale(called, deps);
};

/** For who began the thread, and those who administer the workspace. */
async function forgetThread(called: AnyCall, thread: Thread, deps: Deps) {
  const { invocation, locale, admin } = called;
  const beginner = await deps.turns.beginner(thread);
  if (!deps.erasure || beginner === undefined)
    return tell(called, words(say(locale, 'memory.nothing'), 'bad'), deps);
  if (!admin && beginner !== invocation.by.user)
    return tell(
      called,
      words(say(locale, 'memory.forget.thread.theirs', { user: beginner }), 'bad', [beginner]),
      deps,
    );
  // What is being answered there ends; the erasure waits for it in line.
  await stopThread(thread, deps);
  await tell(called, words(say(locale, 'memory.forget.thread.begun'), 'working'), deps);
  await sendThreadErasure(thread, invocation, deps.queue);
  return DONE;
}

/** For who asked, and those who administer the workspace: as if the question had been deleted. */
async function forgetMessage(called: AnyCall, thread: Thread, message: string | undefined, deps: Deps) {
  const { invocation, locale, admin } = called;
  // Also one that is older than things are kept here by now, and lies there yet.
  const { turns } = deps.origin ?? deps;
  const found = await turns.seen(thread, message === undefined ? undefined : messageId(message));
  if (!found) return tell(called, words(say(locale, 'memory.nothing'), 'bad'), deps);
  const { asker: user } = found.turn;
  if (!admin && user !== invocation.by.user)
    return tell(called, words(say(locale, 'memory.forget.message.theirs', { user }), 'bad', [user]), deps);
  await takeOut({ ...found, ended: found.said !== undefined }, deps);
  return tell(called, words(say(locale, 'memory.forget.message.done'), 'good'), deps);
}

export const texts = {
  name: names.forget,
  about: {
    en: 'Have me forget',
    de: 'Lass mich vergessen',
    fr: 'Me faire oublier',
    es: 'Haz que olvide',
    pt: 'Me fazer esquecer',
    ja: '記憶を消す',
    ko: '기억 지우기',
    zh: '让我忘记',
  },
  'what.name': names.what,
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
