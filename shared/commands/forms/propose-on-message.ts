import { isPicture } from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import { jobCard, proposeJob, toJobRequester } from '../../video/index.ts';
import type { CommandsContext } from '../context.ts';
import { PROPOSAL } from './video-form.ts';
import { type AnyPayload, type InteractionContext, replyCard, textCard } from '../framework/types.ts';

/** The prompts that are proposed where the front could open no form. */
const PROPOSALS = {
  'image-to-video': PROPOSAL,
  edit: 'Make this picture brighter and clearer. Change nothing else.',
} as const;

/** Who requests a job, and how they are spoken to. */
export const jobPlace = ({ invocation, locale, admin }: AnyPayload) => ({
  by: toJobRequester(invocation),
  locale,
  admin,
});

/** Proposes a job with the first picture of a message, on an ephemeral card with the price. */
export async function proposeOnMessage(
  called: InteractionContext<'on-message'>,
  operation: keyof typeof PROPOSALS,
  context: CommandsContext,
) {
  const { invocation, call, locale } = called;
  const { thread, id: asked } = call.message;
  const picture = (await findAttachments(called, context)).find(isPicture);
  if (!picture) return replyCard(called, textCard(localize(locale, 'video.no-picture'), 'bad'), context);
  const request = { thread, asked, operation, picture, prompt: PROPOSALS[operation] };
  const proposed = await proposeJob(
    { ...request, ...jobPlace(called), requestKey: `menu-${invocation.id}` },
    context,
  );
  if (proposed.kind === 'refused') return replyCard(called, textCard(proposed.sentence, 'bad'), context);
  return replyCard(called, jobCard(proposed.job), context);
}

/** Slack's form "More actions" stores where a message is, but not its files: they are read again. */
async function findAttachments({ call }: InteractionContext<'on-message'>, { platform }: CommandsContext) {
  const { thread, id, attachments } = call.message;
  if (attachments.length > 0) return attachments;
  return (await platform.findMessage(thread, id))?.attachments ?? [];
}
