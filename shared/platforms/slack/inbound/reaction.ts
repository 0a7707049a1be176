import * as v from 'valibot';
import { channelId, messageId } from '../../../domain/index.ts';
import { toInteraction, type ParsedInteraction } from './interactions.ts';
import { id, installation, recipientOf, ts } from '../oauth/installation.ts';

/** 📝, by both of its names in Slack: asks for the words of a recording. */
const WRITTEN_OUT = ['memo', 'pencil'] as const;

const added = v.object({
  event_id: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  event: v.object({
    user: id,
    reaction: v.picklist(WRITTEN_OUT),
    item: v.object({ type: v.literal('message'), channel: id, ts }),
  }),
});

/**
 * Reads a `reaction_added` that asks for something. Slack says neither what was in the message nor in which thread it is:
 * the worker looks that up. Undefined for every other reaction. Never throws. Source:
 * docs.slack.dev/reference/events/reaction_added.
 */
export function parseReaction(body: object, now: number): ParsedInteraction | undefined {
  const { success, output: data } = v.safeParse(added, body);
  const envelope = v.safeParse(installation, body);
  const to = envelope.success ? recipientOf(envelope.output, undefined) : undefined;
  if (!success || !to) return undefined;
  const { event_id: unique, event } = data;
  const caller = {
    user: { id: event.user, team_id: to.sender ?? to.workspace },
    team: { id: to.workspace },
  };
  const call = { kind: 'reacted' as const, name: 'transcribe', message: messageId(event.item.ts) };
  // Without an address to answer by: whoever reacted is told in the channel, for their eyes alone.
  return toInteraction(caller, unique, call, { channel: channelId(event.item.channel), ticket: '' }, now);
}
