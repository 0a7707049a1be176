import type { CommandsContext } from '../context.ts';
import { channelId, isPicture, messageId, toRequestedPicture } from '../../domain/index.ts';
import { localize, getCommandName, getCommandFormat } from '../../i18n/index.ts';
import {
  startJob,
  type VideoRequest,
  cancelVideo,
  changePrompt,
  confirmProposed,
  listVideos,
  renewLink,
  type ActionReply,
  findChangeableJob,
  repeatVideo,
} from '../../video/index.ts';
import { openForm } from '../forms/open-form.ts';
import { ANIMATE_COMMAND, buildChangeForm, DEFAULT_PROMPT } from '../forms/video-form.ts';
import { getRequester, proposeFromCommand, proposeOnMessage } from '../forms/propose-on-message.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  DONE,
  type CommandHandler,
  replyCard,
  textCard,
} from '../framework/types.ts';
import type {
  CommandSpec,
  MessageCommandSpec,
  MessageCommandTexts,
  TextsOf,
} from '../framework/command-spec.ts';

export const spec = {
  name: 'animate',
  options: [
    { name: 'image', kind: 'attachment', types: ['image'] },
    { name: 'prompt', kind: 'text', max: 1_500, rest: true },
  ],
} as const satisfies CommandSpec;

export const helpOrder = 3;

export const messageCommand = {
  name: ANIMATE_COMMAND,
  label: 'Animate',
} as const satisfies MessageCommandSpec;

/** Lists the person's videos (`list`), or proposes a video of the attached picture (Discord only). */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { interaction, payload, options, locale } = request;
  const prompt = String(options['prompt'] ?? '').trim();
  if (/^list$/iu.test(prompt)) return replyCard(request, await listVideos(request, context), context);
  const [picture] = payload.attachments;
  const label = getCommandName(texts.messageCommand, getCommandFormat(interaction));
  if (!picture) return replyCard(request, textCard(localize(locale, 'video.how', { label })), context);
  const opening = localize(locale, 'picture.wanted-video');
  return proposeFromCommand(request, { picture, prompt: prompt || DEFAULT_PROMPT, opening }, context);
};

/** Proposes a video from the first picture of a message, if the front could not open the modal. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = (request, context) =>
  proposeOnMessage(request, 'image-to-video', context);

/** Handles the buttons of cards, and modals. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload, locale } = request;
  const [id = ''] = payload.action.args;
  if (payload.action.name === 'video.begin' && payload.kind === 'form')
    return startFromForm(payload.action.args, payload.values, request, context);
  if (payload.action.name === 'video.change-form') {
    const job = await findChangeableJob(id, request, context);
    if (!('id' in job)) return replyCard(request, textCard(job.sentence, job.tone), context);
    // The front did not open the modal: it was too late, or the platform did not say that the person is an admin.
    return openForm(
      request,
      buildChangeForm(job.id, job, context.videos.enabled ? await context.videos.models() : [])(locale),
      context,
    );
  }
  const reply = await handleAction(payload.action.name, id, request, context);
  return reply ? replyCard(request, textCard(reply.sentence, reply.tone), context) : DONE;
};

/** Starts the job of a submitted modal. Idempotent. */
async function startFromForm(
  [id = '', channel = '', root = '', mode = '']: readonly string[],
  values: Values,
  request: InteractionRequest<'action' | 'form'>,
  context: CommandsContext,
) {
  if (!context.videos.enabled)
    return replyCard(request, textCard(localize(request.locale, 'video.not-here'), 'bad'), context);
  const { platform, workspace, by } = request.interaction;
  const thread = { platform, workspace, channel: channelId(channel), root: messageId(root) };
  const message = await context.videos.findTargetMessage(id, { ...thread, user: by.user });
  const picture = message?.attachments.find(isPicture);
  if (!message || !picture)
    return replyCard(request, textCard(localize(request.locale, 'video.form-gone'), 'bad'), context);
  const { id: requestMessage, author } = message;
  const operation = mode === 'edit' ? 'edit' : 'image-to-video';
  const requested = toRequestedPicture(picture, { author, message: requestMessage }, by.user);
  const ask = {
    thread: message.thread,
    requestMessage,
    operation,
    picture: requested,
    requestKey: `menu-${id}`,
  } as const;
  return startVideo(request, { ...ask, ...getChanges(values) }, context);
}

async function handleAction(
  name: string,
  id: string,
  request: InteractionRequest<'action' | 'form'>,
  context: CommandsContext,
): Promise<ActionReply> {
  const { payload } = request;
  switch (name) {
    case 'video.cancel':
      return cancelVideo(id, request, context);
    case 'video.make':
      return confirmProposed(
        id,
        request,
        context,
        payload.kind === 'form' ? getChanges(payload.values) : undefined,
      );
    case 'video.again':
      return repeatVideo(id, request, context);
    case 'video.change':
      return payload.kind === 'form'
        ? changePrompt(id, getChanges(payload.values), request, context)
        : Promise.resolve(undefined);
    case 'video.link':
      return renewLink(id, request, context);
    default:
      return Promise.resolve(undefined);
  }
}

type Values = Readonly<Record<string, string>>;
const getChanges = ({ prompt = '', model }: Values) => ({ prompt, model });

type VideoInput = Omit<VideoRequest, 'by' | 'admin' | 'locale'>;

async function startVideo(request: InteractionRequest, ask: VideoInput, context: CommandsContext) {
  const prompt = ask.prompt.trim() === '' ? DEFAULT_PROMPT : ask.prompt;
  const started = await startJob({ ...ask, ...getRequester(request), prompt }, context);
  if (started.kind === 'refused') return replyCard(request, textCard(started.sentence, 'bad'), context);
  const { kind, warning } = started;
  const sentence = localize(request.locale, kind === 'already' ? 'video.already' : 'video.started');
  return replyCard(request, textCard([sentence, warning].filter(Boolean).join('\n')), context);
}

export const texts = {
  name: {
    en: 'animate',
    de: 'animieren',
    fr: 'animer',
    es: 'animar',
    pt: 'animar',
    ja: '動画化',
    ko: '애니메이션',
    zh: '图生视频',
  },
  about: {
    en: 'Turn a picture into a short video; `list` shows yours',
    de: 'Aus einem Bild ein kurzes Video erstellen; `list` zeigt deine Videos',
    fr: 'Transformer une image en courte vidéo ; `list` montre les vôtres',
    es: 'Convertir una imagen en un vídeo corto; `list` muestra los tuyos',
    pt: 'Transformar uma imagem em um vídeo curto; `list` mostra os seus',
    ja: '画像を短い動画にする。`list` で自分の動画を表示',
    ko: '이미지를 짧은 동영상으로 만들기. `list`는 회원님의 동영상 보기',
    zh: '把图片变成短视频；`list` 显示你的视频',
  },
  'image.name': {
    en: 'image',
    de: 'bild',
    fr: 'image',
    es: 'imagen',
    pt: 'imagem',
    ja: '画像',
    ko: '이미지',
    zh: '图片',
  },
  'image.about': {
    en: 'The picture',
    de: 'Das Bild',
    fr: 'L’image',
    es: 'La imagen',
    pt: 'A imagem',
    ja: '画像',
    ko: '이미지',
    zh: '图片',
  },
  'prompt.name': {
    en: 'prompt',
    de: 'beschreibung',
    fr: 'description',
    es: 'descripción',
    pt: 'descrição',
    ja: '説明',
    ko: '설명',
    zh: '描述',
  },
  'prompt.about': {
    en: 'What should happen in it, or `list`',
    de: 'Was im Video geschehen soll, oder `list`',
    fr: 'Ce qui doit s’y passer, ou `list`',
    es: 'Qué debe ocurrir en él, o `list`',
    pt: 'O que deve acontecer nele, ou `list`',
    ja: '動画で起こること、または `list`',
    ko: '동영상에서 일어날 일 또는 `list`',
    zh: '视频中要发生的事，或 `list`',
  },
  messageCommand: {
    en: 'Animate',
    de: 'Animieren',
    fr: 'Animer',
    es: 'Animar',
    pt: 'Animar',
    ja: '動画にする',
    ko: '움직이게 하기',
    zh: '制作动画',
  },
} satisfies TextsOf<typeof spec> & MessageCommandTexts;
