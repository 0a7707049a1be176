import type { CommandsContext } from '../context.ts';
import { dateInZone } from '../../billing/budgets/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import { type TaskResult, channelId, messageId, RATING_ACTION, type Thread } from '../../domain/index.ts';
import { getInteractionSettingsPlace } from '../../settings/index.ts';
import {
  localize,
  formatFlag,
  formatCommand,
  getCommandFormat,
  channelLabel,
  modelLabel,
} from '../../i18n/index.ts';
import { enqueueWebhook } from '../../integrations/index.ts';
import { COMMENT_FORM } from '../forms/load-draft.ts';
import { createFeedbackCard, formatFeedbackCsv, MAX_LINKS, formatModel } from './parts/feedback-card.ts';
import { sendCsv } from '../framework/send-csv.ts';
import { createCommentForm } from './parts/comment-form.ts';
import { openForm } from '../forms/open-form.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  type CommandHandler,
  replyStale,
  replyCard,
  textCard,
} from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';

export const spec = {
  name: 'feedback',
  options: [
    { name: 'weeks', kind: 'number', min: 1, max: 12 },
    { name: 'rating', kind: 'text', choices: ['good', 'bad'] },
    { name: 'model', kind: 'text', max: 150, suggests: 'model' },
    { name: 'here', kind: 'yes-no' },
    { name: 'csv', kind: 'yes-no' },
  ],
} as const satisfies CommandSpec;

const DEFAULT_WEEKS = 4;
const DAY_MS = 86_400_000;
const WEEK_MS = 604_800_000;
/** How many ratings are read, before they are filtered. */
const MAX_RATINGS = 1_000;

/** Shows admins how answers in this workspace were rated. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { locale, interaction, admin, options } = request;
  if (!admin) return replyCard(request, textCard(localize(locale, 'feedback.admins'), 'bad'), context);
  const { rating, model, here, csv } = options;
  const weeks = Number(options['weeks'] ?? DEFAULT_WEEKS);
  const now = context.time.now();
  // Items beyond the retention period are deleted within minutes; until then they are not shown.
  const retentionDays = resolve('retentionDays', context.settings.layers).value;
  const since =
    now - Math.min(weeks * WEEK_MS, retentionDays === undefined ? Infinity : retentionDays * DAY_MS);
  const zone = context.settings.zone ?? 'UTC';
  const all = await context.ratings.list(interaction, since, MAX_RATINGS);
  const newest = all.length < MAX_RATINGS ? undefined : MAX_RATINGS;
  const ratings = all.filter(
    (one) =>
      (rating === undefined || one.good === (rating === 'good')) &&
      (model === undefined || one.model === model) &&
      (here !== true || one.thread.channel === interaction.channel),
  );
  if (csv === true) {
    const [from, to] = [dateInZone(since, zone), dateInZone(now, zone)];
    const above = [
      localize(locale, 'feedback.file', { from, to, links: MAX_LINKS }),
      ...(newest === undefined ? [] : [localize(locale, 'feedback.newest', { count: newest })]),
    ].join(' ');
    const file = {
      name: `feedback-${from}-${to}`,
      csv: await formatFeedbackCsv({ ratings, zone }, context),
      above,
    };
    return sendCsv(request, context, file);
  }
  const where = getCommandFormat(interaction);
  const csvOption = formatFlag(texts['csv.name'], where);
  const command = formatCommand(texts.name, where, context.settings, csvOption);
  const only = [
    ...(rating === undefined
      ? []
      : [localize(locale, texts[rating === 'good' ? 'rating=good' : 'rating=bad'])]),
    ...(model === undefined ? [] : [formatModel(String(model))]),
    ...(here === true ? [localize(locale, channelLabel)] : []),
  ];
  const card = await createFeedbackCard({ ratings, only, newest, weeks, zone, locale }, command, context);
  return replyCard(request, card, context);
};

/**
 * Handles the rating of an answer, `feedback.rate|root|question|good`, and comments on bad ones: `feedback.comment-form|draft`
 * opens a modal, whose action is `feedback.comment|root|question`.
 */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload, interaction } = request;
  const [first = '', question = '', opinion] = payload.action.args;
  const thread = getThread(request, first);
  switch (`${payload.kind} ${payload.action.name}`) {
    case `action ${RATING_ACTION}`:
      return thread && question !== ''
        ? saveRating(request, thread, { question, good: opinion === 'good' }, context)
        : replyStale(request, context);
    case `action ${COMMENT_FORM}`: {
      // Only if the front could not open it.
      const draft = await context.drafts.find(getInteractionSettingsPlace(interaction), first);
      const [root, message] =
        draft?.name === DRAFT_NAME && draft.by === interaction.by.user ? draft.frame.split(' ') : [];
      if (root === undefined || message === undefined) return replyStale(request, context);
      return openForm(request, createCommentForm(root, message, request.locale), context);
    }
    case 'form feedback.comment':
      return thread && payload.kind === 'form'
        ? saveComment(request, thread, question, payload.values['text'] ?? '', context)
        : replyStale(request, context);
    default:
      return replyStale(request, context);
  }
};

function getThread({ interaction }: InteractionRequest, root: string): Thread | undefined {
  const { platform, workspace, channel } = interaction;
  return channel === undefined || root === ''
    ? undefined
    : { platform, workspace, channel: channelId(channel), root: messageId(root) };
}

/** The name of drafts; `#` cannot occur in names of presets. */
const DRAFT_NAME = '#feedback';

async function saveRating(
  request: InteractionRequest,
  thread: Thread,
  { question, good }: { readonly question: string; readonly good: boolean },
  context: CommandsContext,
): Promise<TaskResult> {
  const { locale, interaction } = request;
  const { id, by, platform } = interaction;
  const rated = await context.ratings.rate({ thread, message: messageId(question) }, by.user, good);
  if (!rated) return replyCard(request, textCard(localize(locale, 'feedback.gone'), 'bad'), context);
  context.log('feedback.given', { platform, kind: good ? 'good' : 'bad', model: rated.model });
  const turn = { thread, message: messageId(question), asker: rated.asker, askerWorkspace: thread.workspace };
  await enqueueWebhook(turn, { kind: 'feedback', good, ratedBy: id }, context);
  if (good || !rated.listed)
    return replyCard(request, textCard(localize(locale, 'feedback.thanks'), 'good'), context);
  const draft = { id, by: by.user, name: DRAFT_NAME, frame: `${thread.root} ${question}`, value: '' };
  await context.drafts.addSources(getInteractionSettingsPlace(interaction), id, { threads: [thread] });
  await context.drafts.create(getInteractionSettingsPlace(interaction), draft, [
    createCommentForm(thread.root, question, locale),
  ]);
  const label = localize(locale, 'feedback.tell');
  const action = { name: COMMENT_FORM, args: [id] };
  const parts = [
    { kind: 'text' as const, markdown: localize(locale, 'feedback.thanks.bad') },
    { kind: 'controls' as const, controls: [{ kind: 'button' as const, label, action }] },
  ];
  return replyCard(request, { parts }, context);
}

/** Offers a modal for a comment. The rating is already stored, so the person may close it. */
async function saveComment(
  request: InteractionRequest,
  thread: Thread,
  question: string,
  written: string,
  context: CommandsContext,
): Promise<TaskResult> {
  const { locale, interaction } = request;
  const text = written.trim();
  const place = { thread, message: messageId(question) };
  const isSaved = text === '' || (await context.ratings.comment(place, interaction.by.user, text));
  const [textKey, tone] = isSaved
    ? (['feedback.written', 'good'] as const)
    : (['feedback.gone', 'bad'] as const);
  return replyCard(request, textCard(localize(locale, textKey), tone), context);
}

export const texts = {
  name: {
    en: 'feedback',
    de: 'feedback',
    fr: 'avis',
    es: 'opiniones',
    pt: 'avaliações',
    ja: 'フィードバック',
    ko: '피드백',
    zh: '反馈',
  },
  about: {
    en: 'How answers were rated, for administrators',
    de: 'Wie Antworten bewertet wurden, für Admins',
    fr: 'Comment les réponses ont été notées, pour les administrateurs',
    es: 'Cómo se valoraron las respuestas, para quienes administran',
    pt: 'Como as respostas foram avaliadas, para administradores',
    ja: '回答の評価（管理者向け）',
    ko: '답변이 어떻게 평가됐는지(관리자용)',
    zh: '回答得到的评价（管理员）',
  },
  'weeks.name': {
    en: 'weeks',
    de: 'wochen',
    fr: 'semaines',
    es: 'semanas',
    pt: 'semanas',
    ja: '週数',
    ko: '주',
    zh: '周数',
  },
  'weeks.about': {
    en: 'How many weeks back',
    de: 'Wie viele Wochen zurück',
    fr: 'Sur combien de semaines',
    es: 'Cuántas semanas atrás',
    pt: 'Quantas semanas atrás',
    ja: 'さかのぼる週数',
    ko: '몇 주 전까지',
    zh: '往前多少周',
  },
  'rating.name': {
    en: 'rating',
    de: 'bewertung',
    fr: 'note',
    es: 'valoración',
    pt: 'avaliação',
    ja: '評価',
    ko: '평가',
    zh: '评价',
  },
  'rating.about': {
    en: 'Only good or only bad ones',
    de: 'Nur gute oder nur schlechte Bewertungen',
    fr: 'Seulement les bons ou les mauvais',
    es: 'Solo las buenas o las malas',
    pt: 'Só as boas ou só as ruins',
    ja: '良い評価または悪い評価のみ',
    ko: '좋은 것만 또는 나쁜 것만',
    zh: '只看好评或差评',
  },
  'rating=good': {
    en: 'Good',
    de: 'Gut',
    fr: 'Bon',
    es: 'Buena',
    pt: 'Boa',
    ja: '良い',
    ko: '좋음',
    zh: '好',
  },
  'rating=bad': {
    en: 'Bad',
    de: 'Schlecht',
    fr: 'Mauvais',
    es: 'Mala',
    pt: 'Ruim',
    ja: '悪い',
    ko: '나쁨',
    zh: '差',
  },
  'model.name': modelLabel,
  'model.about': {
    en: 'Only of answers by this model',
    de: 'Nur zu Antworten dieses Modells',
    fr: 'Seulement pour ce modèle',
    es: 'Solo de este modelo',
    pt: 'Só deste modelo',
    ja: 'このモデルの回答のみ',
    ko: '이 모델의 답변만',
    zh: '只看此模型的回答',
  },
  'here.name': {
    en: 'here',
    de: 'hier',
    fr: 'ici',
    es: 'aquí',
    pt: 'aqui',
    ja: 'ここ',
    ko: '여기',
    zh: '此处',
  },
  'here.about': {
    en: 'Only of this channel',
    de: 'Nur aus diesem Kanal',
    fr: 'Seulement dans ce canal',
    es: 'Solo de este canal',
    pt: 'Só deste canal',
    ja: 'このチャンネルのみ',
    ko: '이 채널만',
    zh: '只看此频道',
  },
  'csv.name': { en: 'csv', de: 'csv', fr: 'csv', es: 'csv', pt: 'csv', ja: 'csv', ko: 'csv', zh: 'csv' },
  'csv.about': {
    en: 'As a CSV file that you alone get',
    de: 'Als CSV-Datei, die nur du bekommst',
    fr: 'En fichier CSV, pour vous seul',
    es: 'Como archivo CSV, solo para ti',
    pt: 'Como arquivo CSV, só para você',
    ja: '自分だけに届く CSV ファイル',
    ko: '본인만 받는 CSV 파일',
    zh: '仅发给你本人的 CSV 文件',
  },
} satisfies TextsOf<typeof spec>;
