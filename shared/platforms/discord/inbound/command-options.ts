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
import { parseAttachment, parseAttachments } from './attachments.ts';
import type { RawInteraction } from './interaction.ts';
import { INTERACTION_TOKEN_TTL_MS } from '../api/call.ts';
import { readValue, readId, readList, readString } from '../api/json-path.ts';
import { toWorkspaceId, chooseThread, toThread } from './conversation-key.ts';

export type Options = Record<string, string | number | boolean>;

/** Reads the options of a slash command. The value of a file option is the id of its attachment. */
export function parseOptions(data: unknown): {
  readonly options: Options;
  readonly attachments: Attachment[];
} {
  const options: Options = {};
  const attachments: Attachment[] = [];
  for (const option of readList(data, 'options')) {
    const name = readString(option, 'name');
    const value = readValue(option, 'value');
    if (!name || name === '__proto__') continue;
    if (readValue(option, 'type') === ATTACHMENT_OPTION && typeof value === 'string') {
      const files = parseAttachment(readValue(data, 'resolved', 'attachments', value));
      attachments.push(...files);
      if (files[0]) options[name] = files[0].id;
    } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      options[name] = readValue(option, 'type') === USER_OPTION ? (readId(option, 'value') ?? '') : value;
    }
  }
  return { options, attachments };
}

/** The option that the person is typing. */
export function findFocusedOption(
  data: unknown,
): { readonly name: string; readonly typed: string } | undefined {
  const option = readList(data, 'options').find((one) => readValue(one, 'focused') === true);
  const name = readString(option, 'name');
  return name === undefined ? undefined : { name, typed: readString(option, 'value') ?? '' };
}

/** The target of a message command. Discord includes its content, even without the intent Message Content. */
export function targetMessage({
  data,
  place,
}: Pick<RawInteraction, 'data' | 'place'>):
  | Extract<InteractionPayload, { kind: 'on-message' }>['message']
  | undefined {
  const id = readId(data, 'target_id');
  const message = readValue(data, 'resolved', 'messages', id ?? '');
  const author = readId(message, 'author', 'id');
  if (!id || !author) return undefined;
  const forwarded = readList(message, 'message_snapshots').map((one) =>
    readString(one, 'message', 'content'),
  );
  const text = [readString(message, 'content'), ...forwarded].filter(Boolean).join('\n\n');
  const thread = toThread(place.guild, place.channel, place.root ?? id);
  const isBot = readValue(message, 'author', 'bot') === true;
  return {
    thread,
    id: messageId(id),
    author: userId(author),
    ...(isBot && { isBot }),
    text,
    attachments: parseAttachments(message),
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
  const workspace = toWorkspaceId(place.guild);
  const { root } = place;
  const thread = root === undefined ? undefined : toThread(place.guild, place.channel, root);
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
