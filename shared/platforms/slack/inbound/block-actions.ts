import * as v from 'valibot';
import { userId, workspaceId } from '../../../domain/index.ts';
import { id, getInstallationId, optionalTs, toThread, ts } from '../api/payload-fields.ts';
import type { ParsedEventCallback } from './parse-event.ts';
import { parseButtonValue } from '../blocks/answer-blocks.ts';

const place = v.nullish(v.object({ id: v.nullish(id) }));
const threaded = v.nullish(v.object({ thread_ts: optionalTs }));

const actions = v.object({
  user: v.object({ id }),
  channel: v.object({ id }),
  team: place,
  enterprise: place,
  // Slack sends a string in some payloads.
  is_enterprise_install: v.nullish(v.union([v.boolean(), v.picklist(['true', 'false'])])),
  container: threaded,
  message: threaded,
  actions: v.pipe(v.array(v.unknown()), v.minLength(1)),
});

const NOT_OURS: ParsedEventCallback = { kind: 'drop', reason: 'not-ours' };

/**
 * Parses a click on a button below an answer. A button that is not ours (of another app or an earlier version, altered,
 * moved to another thread, too long) is dropped, as Slack would show an error for a refusal. Never throws.
 */
export function parseButtonAction(body: object): ParsedEventCallback {
  const { success, output: data } = v.safeParse(actions, body);
  if (!success) return NOT_OURS;
  const workspace = getInstallationId(
    { team_id: data.team?.id, enterprise_id: data.enterprise?.id },
    data.is_enterprise_install === true || data.is_enterprise_install === 'true',
  );
  const button = parseButtonValue(data.actions[0]);
  if (!workspace || !button) return NOT_OURS;
  if (![button.root, button.message, button.at].every((moment) => v.safeParse(ts, moment).success))
    return NOT_OURS;
  const threads = [data.container?.thread_ts, data.message?.thread_ts];
  if (threads.some((thread) => thread && thread !== button.root)) return NOT_OURS;
  const { root, message, action, at } = button;
  // Ratings are an interaction: see `parseControl`.
  if (action.kind === 'feedback') return NOT_OURS;
  const thread = toThread(workspaceId(workspace), data.channel.id, root);
  return {
    kind: 'chatEvent',
    chatEvent: { kind: 'button-clicked', thread, message, by: userId(data.user.id), action: action, at },
  };
}
