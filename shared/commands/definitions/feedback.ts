import type { CommandsContext } from '../context.ts';
import { dateInZone } from '../../billing/budgets/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import { type TaskResult, channelId, messageId, RATING_ACTION, type Thread } from '../../domain/index.ts';
import { getInteractionSettingsPlace } from '../../settings/index.ts';
import { localize, formatFlag, formatCommand, getCommandFormat, channelLabel } from '../../i18n/index.ts';
import { enqueueWebhook } from '../../integrations/index.ts';
import { COMMENT_FORM } from '../forms/load-draft.ts';
import { createFeedbackCard, formatFeedbackCsv, MAX_LINKS, formatModel } from './parts/feedback-card.ts';
import { sendCsv } from '../framework/send-csv.ts';
import { texts as feedbackTexts } from './texts/feedback-texts.ts';
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

export const texts = feedbackTexts satisfies TextsOf<typeof spec>;
