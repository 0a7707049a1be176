import {
  type Attachment,
  type InteractionPayload,
  type Interaction,
  type InteractionToken,
  channelId,
  messageId,
  userId,
} from '../../../domain/index.ts';
import { ATTACHMENT_OPTION, USER_OPTION } from '../api/enums.ts';
import { attachmentsOf, resolvedAttachment } from './attachments.ts';
import type { RawInteraction } from './interaction.ts';
import { INTERACTION_TOKEN_TTL_MS } from '../api/call.ts';
import { at, idAt, listAt, textAt } from '../api/json-path.ts';
import { guildOf, chooseThread, threadIn } from './conversation-key.ts';

export type Options = Record<string, string | number | boolean>;

/** Reads the options of a slash command. The value of a file option is the id of its attachment. */
export function parseOptions(data: unknown): {
  readonly options: Options;
  readonly attachments: Attachment[];
} {
  const options: Options = {};
  const attachments: Attachment[] = [];
  for (const option of listAt(data, 'options')) {
    const name = textAt(option, 'name');
    const value = at(option, 'value');
    if (name === undefined || name === '__proto__') continue;
    if (at(option, 'type') === ATTACHMENT_OPTION && typeof value === 'string') {
      const files = resolvedAttachment(data, value);
      attachments.push(...files);
      if (files[0]) options[name] = files[0].id;
    } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      options[name] = at(option, 'type') === USER_OPTION ? (idAt(option, 'value') ?? '') : value;
    }
  }
  return { options, attachments };
}

/** The option that the person is typing. */
export function findFocusedOption(
  data: unknown,
): { readonly name: string; readonly typed: string } | undefined {
  const option = listAt(data, 'options').find((one) => at(one, 'focused') === true);
  const name = textAt(option, 'name');
  return name === undefined ? undefined : { name, typed: textAt(option, 'value') ?? '' };
}

/** The target of a message command. Discord includes its content, even without the intent Message Content. */
export function targetMessage({
  data,
  place,
}: Pick<RawInteraction, 'data' | 'place'>):
  | Extract<InteractionPayload, { kind: 'on-message' }>['message']
  | undefined {
  const id = idAt(data, 'target_id');
  const message = id === undefined ? undefined : at(data, 'resolved', 'messages', id);
  const author = idAt(message, 'author', 'id');
  if (id === undefined || author === undefined) return undefined;
  const forwarded = listAt(message, 'message_snapshots').map(
    (one) => textAt(one, 'message', 'content') ?? '',
  );
  const text = [textAt(message, 'content') ?? '', ...forwarded].filter((words) => words !== '').join('\n\n');
  const thread = threadIn(place.guild, place.channel, place.root ?? id);
  const isBot = at(message, 'author', 'bot') === true;
  return {
    thread,
    id: messageId(id),
    author: userId(author),
    ...(isBot && { isBot }),
    text,
    attachments: attachmentsOf(message),
  };
}

/** The token that authorizes responses to an interaction. */
export const interactionToken = ({ id, token, expiresAtMs, locale }: RawInteraction): InteractionToken => ({
  id,
  token,
  expiresAtMs,
  locale,
});

/** Converts an interaction of Discord to that of the domain. */
export function toInteraction(of: RawInteraction, payload: InteractionPayload): Interaction {
  const { id, token, expiresAtMs, place, user, locale, admin, mayReadHistory } = of;
  const workspace = guildOf(place.guild);
  const { root } = place;
  const thread = root === undefined ? undefined : threadIn(place.guild, place.channel, root);
  return {
    id,
    platform: 'discord',
    workspace,
    channel: channelId(place.channel),
    ...(thread ? { thread } : { ownThread: chooseThread(place, user, false) }),
    ...(!place.bot && { botAbsent: true }),
    by: { user, workspace, locale, roles: [...of.roles], admin, mayReadHistory },
    responseToken: token,
    tokenExpiresAtMs: expiresAtMs,
    receivedAt: expiresAtMs - INTERACTION_TOKEN_TTL_MS,
    payload,
  };
}
