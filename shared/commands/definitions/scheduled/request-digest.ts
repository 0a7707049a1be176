import type { CommandsContext } from '../../context.ts';
import type { CardPart, QueueDelivery } from '../../../domain/index.ts';
import { localize } from '../../../i18n/index.ts';
import { getInteractionSettingsPlace } from '../../../settings/index.ts';
import type { Schedule } from '../../../storage/index.ts';
import { getPeriodStart } from '../../../summary/index.ts';
import {
  CHANNEL_RANGE,
  getChannelInstructions,
  parseSummary,
  requestSummary,
  serializeSummary,
  createSummaryParts,
} from '../parts/request-summary.ts';
import type { InteractionRequest } from '../../framework/types.ts';

/** The name of stored digests; `#` cannot occur in names of presets. */
const DIGEST = '#digest';

/**
 * Summarizes the channel of a digest for everyone there. The result is stored, so that a repeated run pays no second time. Rejects as
 * `requestSummary` does.
 */
export async function requestDigest(
  request: InteractionRequest,
  { platform, workspace, channel, content, dueMs, recurrence, by }: Schedule,
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<readonly CardPart[]> {
  const { locale, interaction } = request;
  if (content.kind !== 'digest' || channel === undefined)
    return [{ kind: 'text', markdown: localize(locale, 'summary.refused.not-added') }];
  const place = getInteractionSettingsPlace(interaction);
  const draft = await context.drafts.find(place, interaction.id);
  if (draft) return createSummaryParts(parseSummary(draft));
  // By the time that was due: a repetition after midnight covers the same days.
  const since = getPeriodStart(content.period, dueMs, recurrence.zone);
  const summary = await requestSummary(request, context, delivery, {
    place: { platform, workspace, channel },
    range: { since, ...CHANNEL_RANGE },
    instructions: getChannelInstructions(locale),
    select: ({ messages, incomplete }) => ({
      messages: messages.filter(({ at }) => at >= since),
      incomplete,
      since,
    }),
    isScheduled: true,
  });
  if ('nothing' in summary) return [{ kind: 'text', markdown: summary.nothing }];
  const value = serializeSummary(summary);
  if (!summary.isErased)
    await context.drafts.create(place, { id: interaction.id, by, name: DIGEST, frame: 'null', value });
  return createSummaryParts(summary);
}
