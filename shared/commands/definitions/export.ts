import type { CommandsContext } from '../context.ts';
import type { Thread, TaskResult } from '../../domain/index.ts';
import { localize, EXPORT_THREAD, exportLabel, whatLabel } from '../../i18n/index.ts';
import { takeExportPermit, enqueueExport } from '../../privacy/index.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  DONE,
  type CommandHandler,
  type OwnDataAccess,
  replyCard,
  textCard,
} from '../framework/types.ts';
import type {
  CommandSpec,
  MessageCommandSpec,
  MessageCommandTexts,
  TextsOf,
} from '../framework/command-spec.ts';
import { describeMissingThread } from '../arguments/menu-path.ts';
import { getCurrentThread } from '../framework/current-thread.ts';

export const spec = {
  name: 'export',
  options: [
    {
      name: 'what',
      kind: 'text',
      choices: ['me', 'thread'],
    },
  ],
} as const satisfies CommandSpec;

/** Slack's slash commands do not name their thread. */
export const messageCommand = {
  name: 'export',
  label: 'Export thread',
  platforms: ['slack'],
} as const satisfies MessageCommandSpec;

export const ownData: OwnDataAccess = { command: ({ what }) => what !== 'thread', actions: [] };

/** Exports the caller's data, or that of this thread. Whoever may read a thread may export it. */
export const run: CommandHandler<CommandRequest> = (request, context) =>
  request.options['what'] === 'thread'
    ? exportThread(request, getCurrentThread(request), context)
    : startExport(request, undefined, context);

export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = (request, context) =>
  exportThread(request, request.payload.message.thread, context);

function exportThread(
  request: InteractionRequest,
  thread: Thread | undefined,
  context: CommandsContext,
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const refuse = (sentence: string) => replyCard(request, textCard(sentence, 'bad'), context);
  if (!thread) return refuse(describeMissingThread(EXPORT_THREAD, interaction, locale));
  // Their own conversation in the channel has answers to nobody else.
  if (interaction.thread && interaction.by.mayReadHistory === false)
    return refuse(localize(locale, 'memory.export.not-yours'));
  return startExport(request, thread, context);
}

async function startExport(
  request: InteractionRequest,
  thread: Thread | undefined,
  context: CommandsContext,
): Promise<TaskResult> {
  const time = thread ? undefined : await takeExportPermit(request.interaction, context);
  if (time !== undefined)
    return replyCard(
      request,
      textCard(localize(request.locale, 'memory.export.again', { time }), 'bad'),
      context,
    );
  const sentence = localize(request.locale, 'memory.export.begun');
  const place =
    request.interaction.platform === 'discord' && !thread
      ? ` ${localize(request.locale, 'memory.only-here')}`
      : '';
  await replyCard(request, textCard(`${sentence}${place}`, 'working'), context);
  await enqueueExport(thread ? 'thread' : 'person', request.interaction, thread, context.queue);
  return DONE;
}

export const texts = {
  name: exportLabel,
  about: {
    en: 'What I have stored about you or this thread, as a file',
    de: 'Was ich über dich oder diesen Thread gespeichert habe, als Datei',
    fr: 'Ce que j’ai enregistré sur vous ou ce fil, dans un fichier',
    es: 'Lo que guardo de ti o de este hilo, en un archivo',
    pt: 'O que tenho armazenado sobre você ou esta conversa, em um arquivo',
    ja: 'あなたやこのスレッドについて保存しているデータをファイルで受け取る',
    ko: '회원님 또는 이 스레드에 대해 보관 중인 내용을 파일로',
    zh: '我保存的关于你或此消息列的内容（文件）',
  },
  'what.name': whatLabel,
  'what.about': {
    en: 'Of what; you, unless told otherwise',
    de: 'Worüber; ohne Angabe: über dich',
    fr: 'Sur quoi ; sur vous par défaut',
    es: 'De qué; de ti si no se dice otra cosa',
    pt: 'Sobre o quê; se omitido, sobre você',
    ja: '対象。省略するとあなた',
    ko: '대상. 지정하지 않으면 본인',
    zh: '对象；默认是你',
  },
  'what=me': { en: 'Me', de: 'Ich', fr: 'Moi', es: 'Yo', pt: 'Eu', ja: '自分', ko: '나', zh: '我' },
  'what=thread': {
    en: 'This thread',
    de: 'Dieser Thread',
    fr: 'Ce fil',
    es: 'Este hilo',
    pt: 'Esta conversa',
    ja: 'このスレッド',
    ko: '이 스레드',
    zh: '此消息列',
  },
  messageCommand: EXPORT_THREAD,
} satisfies TextsOf<typeof spec> & MessageCommandTexts;
