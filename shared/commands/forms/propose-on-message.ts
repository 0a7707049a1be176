import { isPicture, type TargetMessage, toRequestedPicture } from '../../domain/index.ts';
import { resolveAttachments } from '../../chat/index.ts';
import { localize } from '../../i18n/index.ts';
import {
  findRequestRefusal,
  createJobCard,
  proposeJob,
  proposeOnCard,
  toJobRequester,
  type VideoRequest,
} from '../../video/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import { explainBlockedWords } from '../../ports/index.ts';
import type { CommandsContext } from '../context.ts';
import { DEFAULT_PROMPT } from './video-form.ts';
import { type CommandRequest, type InteractionRequest, replyCard, textCard } from '../framework/types.ts';

/** The prompts of proposals if the front could not open the modal. */
const DEFAULT_PROMPTS = {
  'image-to-video': DEFAULT_PROMPT,
  edit: 'Make this picture brighter and clearer. Change nothing else.',
} as const;

/** Returns the requester of a job. */
export const getRequester = ({ interaction, locale, admin }: InteractionRequest) => ({
  by: toJobRequester(interaction),
  locale,
  admin,
});

/** Proposes a job with the first picture of a message, on an ephemeral card with the price. */
export async function proposeOnMessage(
  request: InteractionRequest<'on-message'>,
  operation: keyof typeof DEFAULT_PROMPTS,
  context: CommandsContext,
) {
  const { interaction, locale } = request;
  const { thread, id: requestMessage, author, attachments } = await withAttachments(request, context);
  const attachment = attachments.find(isPicture);
  if (!attachment) return replyCard(request, textCard(localize(locale, 'video.no-picture'), 'bad'), context);
  const picture = toRequestedPicture(attachment, { author, message: requestMessage }, interaction.by.user);
  const video = { thread, requestMessage, operation, picture, prompt: DEFAULT_PROMPTS[operation] };
  const proposed = await proposeJob(
    { ...video, ...getRequester(request), requestKey: `menu-${interaction.id}` },
    context,
  );
  if (proposed.kind === 'refused') return replyCard(request, textCard(proposed.sentence, 'bad'), context);
  return replyCard(request, createJobCard(proposed.job), context);
}

/** Returns the message of a message command with its files and their metadata. */
export async function withAttachments(
  request: InteractionRequest<'on-message'>,
  context: CommandsContext,
): Promise<TargetMessage> {
  const { message } = request.payload;
  const files = await findAttachments(request, context);
  return { ...message, attachments: await resolveAttachments(message.thread, files, context.platform) };
}

/** Slack's modal "More actions" stores the position of a message, but not its files: they are loaded again. */
async function findAttachments({ payload }: InteractionRequest<'on-message'>, { platform }: CommandsContext) {
  const { thread, id, attachments } = payload.message;
  if (attachments.length > 0) return attachments;
  return (await platform.findMessage(thread, id))?.attachments ?? [];
}

/** What a command asks for. */
type CommandJob = Pick<VideoRequest, 'operation' | 'picture' | 'prompt'>;

/**
 * Proposes a picture or video that a command describes: a card in the thread shows the price, and its button starts the job.
 * Without a thread, starts one with `opening`.
 */
export async function proposeFromCommand(
  request: CommandRequest,
  { opening, ...wanted }: CommandJob & { readonly opening: string },
  context: CommandsContext,
) {
  const { interaction, locale } = request;
  const job = { ...wanted, ...getRequester(request), requestKey: interaction.id };
  // Nothing is posted for all to see if the request is refused.
  const refusal = await findRequestRefusal(job, context);
  if (refusal !== undefined) return replyCard(request, textCard(refusal, 'bad'), context);
  try {
    const { thread, message: requestMessage } = await findPlace(request, opening, context);
    const proposed = await proposeOnCard({ ...job, thread, requestMessage }, context);
    return await (proposed.kind === 'refused'
      ? replyCard(request, textCard(proposed.sentence, 'bad'), context)
      : replyCard(request, textCard(localize(locale, 'picture.see-card')), context));
  } catch (error) {
    if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
    const card = explainBlockedWords(error, locale) ?? textCard(localize(locale, 'picture.no-room'), 'bad');
    return replyCard(request, card, context);
  }
}

/** Returns the thread of the interaction, or starts one. */
async function findPlace(
  { interaction }: CommandRequest,
  opening: string,
  { messenger }: Pick<CommandsContext, 'messenger'>,
) {
  const { thread, by } = interaction;
  return thread
    ? { thread, message: thread.root }
    : messenger.startThread(interaction, { ...textCard(opening), by: by.user });
}
