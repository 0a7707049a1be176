import * as v from 'valibot';
import { channelId, messageId } from '../../../domain/index.ts';
import { toInteraction, type ParsedInteraction } from './interactions.ts';
import { id, installationFields, readInstallation, ts } from '../api/payload-fields.ts';

/** The names of 📝 in Slack: this reaction requests a transcript. */
const TRANSCRIBE = ['memo', 'pencil'] as const;

const added = v.object({
  event_id: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  event: v.object({
    user: id,
    reaction: v.picklist(TRANSCRIBE),
    item: v.object({ type: v.literal('message'), channel: id, ts }),
  }),
});

/**
 * Parses a `reaction_added` that requests a transcript. Slack gives neither the content nor the thread of the message: the
 * worker looks them up. Undefined for every other reaction. Never throws. Source:
 * docs.slack.dev/reference/events/reaction_added.
 */
export function parseReaction(body: object, now: number): ParsedInteraction | undefined {
  const { success, output: data } = v.safeParse(added, body);
  const envelope = v.safeParse(installationFields, body);
  const to = envelope.success ? readInstallation(envelope.output, undefined) : undefined;
  if (!success || !to) return undefined;
  const { event_id: unique, event } = data;
  const caller = {
    user: { id: event.user, team_id: to.sender ?? to.workspace },
    team: { id: to.workspace },
  };
  const payload = { kind: 'reacted' as const, name: 'transcribe', message: messageId(event.item.ts) };
  // There is no `response_url`: the response is an ephemeral message in the channel.
  return toInteraction(
    caller,
    unique,
    payload,
    { channel: channelId(event.item.channel), responseToken: '' },
    now,
  );
}
