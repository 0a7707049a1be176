import type { Body } from './body.ts';
import { flat, isTooManyBytes } from './check/components.ts';
import { messageFaults } from './check/message.ts';
import { FLAG, MESSAGE } from './flags.ts';
import { isJson, type Json, listOf, numberOf, stringOf } from './json.ts';
import { answeredBy, notified } from './mentions.ts';
import { record } from './record.ts';
import { ServerFailureError, RefusalError, refuseFaults } from './refusal.ts';
import type { Channel, Message } from './state.ts';
import { isArchived, isThread, type SimulatorContext } from './context.ts';
import { checkVoice, keepUploads, keptFiles } from './uploads.ts';

/** The source of a message's body: the bot's token, a webhook, or the response to an interaction. */
export type Way = 'create' | 'webhook' | 'answer';

/** Fields that the app sets besides the body. */
export type Origin = {
  readonly way: Way;
  readonly type: number;
  readonly interaction?: string;
  readonly ephemeralTo?: string;
  /** The path of the fields in the request body. */
  readonly at?: readonly string[];
  /** The id of the message: the first one of a post in a forum has that of its thread. */
  readonly id?: string;
};

/** Posts a message of the app. Throws Discord's errors for the body. */
export function post(
  context: SimulatorContext,
  channel: Channel,
  body: Body,
  json: Json,
  origin: Origin,
): Message {
  refuseFaults(messageFaults(json, origin.way, 0, origin.at), context);
  checkBytes(json);
  checkVoice(body, json);
  const files = keepUploads(context, channel, body, json, origin.ephemeralTo !== undefined);
  const content = stringOf(json['content']).trim();
  const [embeds, components] = [listOf(json['embeds']), listOf(json['components'])];
  checkReferences(context, components, files, origin.at);
  if (content === '' && embeds.length + components.length + files.length === 0) throw new RefusalError(50006);
  const { applicationId } = context.identity;
  const reference = referenceOf(context, channel, json);
  const recipients = notified(context, content, json, origin.way !== 'create');
  const answered = answeredBy(context, channel, json, reference?.message);
  const { nonce } = json;
  const message: Message = {
    id: origin.id ?? context.ids.next(),
    channel: channel.id,
    author: applicationId,
    content,
    type: reference ? MESSAGE.reply : origin.type,
    flags: numberOf(json['flags']) & ~FLAG.ephemeral,
    embeds: shownEmbeds(embeds),
    components: numbered(components),
    files,
    reactions: [],
    mentions: [...new Set([...recipients.mentions, ...answered])],
    ...(recipients.everyone ? { everyone: true } : {}),
    ...(typeof nonce === 'string' || typeof nonce === 'number' ? { nonce } : {}),
    ...(reference ? { reference } : {}),
    ...(origin.way === 'create' ? {} : { webhook: applicationId }),
    ...(origin.interaction === undefined ? {} : { interaction: origin.interaction }),
    ...(origin.ephemeralTo === undefined
      ? {}
      : { ephemeralTo: origin.ephemeralTo, flags: numberOf(json['flags']) | FLAG.ephemeral }),
  };
  add(context, channel, message);
  return message;
}

/** Adds a message, and unarchives its thread. */
export function add(context: SimulatorContext, channel: Channel, message: Message): void {
  record(context, { kind: 'message', message });
  if (!isThread(channel)) return;
  const woken = isArchived(context, channel) ? { archived: false } : {};
  record(context, { kind: 'channel', channel: { ...channel, active: context.now(), ...woken } });
}

/** Edits a message of the app. Fields that the body omits stay. */
export function change(
  context: SimulatorContext,
  channel: Channel,
  message: Message,
  body: Body,
  json: Json,
): Message {
  if ((message.flags & FLAG.voice) !== 0) throw new RefusalError(50162);
  refuseFaults(messageFaults(json, 'edit', message.flags), context);
  checkBytes(json);
  const added = keepUploads(context, channel, body, json, message.ephemeralTo !== undefined);
  const content = json['content'] === undefined ? message.content : stringOf(json['content']).trim();
  const embeds = json['embeds'] === undefined ? message.embeds : shownEmbeds(listOf(json['embeds']));
  const components =
    json['components'] === undefined ? message.components : numbered(listOf(json['components']));
  const files = [...keptFiles(message, json), ...added];
  checkReferences(context, components, files);
  if (content === '' && embeds.length + components.length + files.length === 0) throw new RefusalError(50006);
  const set = typeof json['flags'] === 'number' ? json['flags'] : undefined;
  const flags = set === undefined ? message.flags : (message.flags & ~FLAG.suppressEmbeds) | set;
  if ((flags & FLAG.componentsV2) !== 0 && (content !== '' || embeds.length > 0))
    refuseFaults([
      {
        at: [content === '' ? 'embeds' : 'content'],
        code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
        message: 'Set content and embeds to null to make this message one of components alone',
      },
    ]);
  const recipients = notified(context, content, json, message.webhook !== undefined);
  const wasLoading = (message.flags & FLAG.loading) !== 0;
  const changed: Message = {
    ...message,
    content,
    embeds,
    components,
    files,
    flags: flags & ~FLAG.loading,
    mentions: recipients.mentions,
    everyone: recipients.everyone,
    ...(wasLoading ? {} : { editedAt: context.now() }),
  };
  record(context, { kind: 'message', message: changed });
  return changed;
}

function checkBytes(json: Json): void {
  if (isTooManyBytes(listOf(json['components']))) throw new ServerFailureError();
}

/** Others are system messages, such as the first message of a thread on a message. */
const REPLIABLE: ReadonlySet<number> = new Set([
  MESSAGE.plain,
  MESSAGE.reply,
  MESSAGE.command,
  MESSAGE.contextMenu,
]);

function referenceOf(context: SimulatorContext, channel: Channel, json: Json): Message['reference'] {
  const referenceField = json['message_reference'];
  if (!isJson(referenceField)) return undefined;
  const message = stringOf(referenceField['message_id']);
  const knownMessage = context.state.messages.get(channel.id)?.get(message);
  if (!knownMessage && referenceField['fail_if_not_exists'] === false) return undefined;
  if (!knownMessage)
    refuseFaults([
      { at: ['message_reference'], code: 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE', message: 'Unknown message' },
    ]);
  if (knownMessage && !REPLIABLE.has(knownMessage.type))
    refuseFaults([
      {
        at: ['message_reference'],
        code: 'REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE',
        message: 'Cannot reply to a system message',
      },
    ]);
  return { message, channel: channel.id, ...(channel.guild === undefined ? {} : { guild: channel.guild }) };
}

/** Throws 50035 for a component that shows a file which the message does not have. */
function checkReferences(
  context: SimulatorContext,
  components: readonly Json[],
  files: readonly string[],
  at: readonly string[] = [],
): void {
  const names = new Set(files.map((id) => context.state.files.get(id)?.file.filename));
  const media = components
    .flatMap(flat)
    .flatMap((one) => [one['file'], one['media'], ...listOf(one['items']).map((item) => item['media'])]);
  const missing = media.some((one) => {
    const name = /^attachment:\/\/(.+)$/u.exec(isJson(one) ? stringOf(one['url']) : '')?.[1];
    return name !== undefined && !names.has(name);
  });
  if (missing)
    refuseFaults([
      {
        at: [...at, 'components'],
        code: 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
        message: 'The referenced attachment was not found',
      },
    ]);
}

const shownEmbeds = (embeds: readonly Json[]): Json[] => embeds.map((embed) => ({ type: 'rich', ...embed }));

/** Components as Discord returns them: each with an `id`, counted from 1. */
function numbered(components: readonly Json[]): Json[] {
  let next = 0;
  const number = (component: Json): Json => {
    next += 1;
    const presented: Json = { id: next, ...component };
    if (Array.isArray(presented['components']))
      presented['components'] = listOf(presented['components']).map(number);
    if (isJson(presented['accessory'])) presented['accessory'] = number(presented['accessory']);
    return presented;
  };
  return components.map(number);
}
