import * as v from 'valibot';
import { type Attachment, isRecording, lacksMetadata } from '../../../domain/index.ts';
import { optionalId } from '../api/payload-fields.ts';
import { parseAttachments, MAX_FILES } from './attachments.ts';

/** Layers of blocks that are read: a quote in a list in rich text in a forwarded message has fewer. */
const MAX_DEPTH = 12;

const fields = v.looseObject({});
const list = v.nullish(v.array(v.unknown()));

/** The fields of a message that hold what people see of it, besides its files. */
export const contentFields = {
  bot_id: optionalId,
  text: v.nullish(v.string()),
  blocks: list,
  attachments: list,
};

type Content = {
  readonly user?: string | null | undefined;
  readonly bot_id?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly blocks?: readonly unknown[] | null | undefined;
  readonly attachments?: readonly unknown[] | null | undefined;
};

/**
 * What people see of a message, as Slack encodes text: its text, then what is attached. Alerts of apps often have no text but blocks, or
 * a text that is the summary of the blocks for notifications. A table that a person pastes is attached (vercel/chat#803). A forwarded
 * message is quoted below its author, with a note where `listMessageFiles` leaves files out. Previews of pages are left out, as the text has the link.
 * Sources: docs.slack.dev/reference/methods/chat.postMessage and /messaging/formatting-message-text.
 */
export function getDisplayedText({ user, bot_id: bot, text, blocks, attachments }: Content): string {
  const inBlocks = text && !bot ? '' : collectText(text ? blocks?.filter(isMain) : blocks);
  const own = text && text.length >= inBlocks.length ? text : inBlocks;
  return [own, ...listShownAttachments(attachments).map((one) => getAttachedText(one, user))]
    .filter(Boolean)
    .join('\n\n');
}

/**
 * The files of a message, and those of messages that it forwards, except recordings of others and files that may be such: whoever speaks
 * there may have opted out of transcription.
 */
export function listMessageFiles({
  user,
  files,
  attachments,
}: Pick<Content, 'attachments' | 'user'> & {
  readonly files?: readonly unknown[] | null | undefined;
}): Attachment[] {
  const forwarded = listShownAttachments(attachments)
    .filter(isForwarded)
    .flatMap((one) => forwardedFiles(one, user))
    .flatMap(({ file, isLeftOut }) => (isLeftOut ? [] : file));
  return [...parseAttachments(files), ...forwarded].slice(0, MAX_FILES);
}

/** The files of a forwarded message. `isLeftOut`: it may be a recording of somebody else than `user`, who forwards it. */
function forwardedFiles(attachment: Fields, user: Content['user']) {
  const isOwn = user && attachment['author_id'] === user;
  return parseAttachments(toList(attachment['files'])).map((file) => ({
    file,
    isLeftOut: !isOwn && (isRecording(file) || lacksMetadata(file)),
  }));
}

/** Small print, such as the line below an answer, is no reason to prefer blocks to a text. */
const isMain = (block: unknown): boolean => !v.is(fields, block) || block['type'] !== 'context';

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

type Fields = Readonly<Record<string, unknown>>;

const listShownAttachments = (attachments: Content['attachments']): Fields[] =>
  (attachments ?? []).filter((one) => v.is(fields, one)).filter((one) => isForwarded(one) || !isPreview(one));

/** Forwarded, or linked to: Slack sets `is_share` of only some that people forward, `is_msg_unfurl` of both (NousResearch/hermes-agent#96384). */
const isForwarded = (attachment: Fields): boolean =>
  attachment['is_share'] === true || attachment['is_msg_unfurl'] === true;
const isPreview = (attachment: Fields): boolean =>
  Boolean(attachment['from_url'] || attachment['original_url'] || attachment['is_app_unfurl']);

/** Tells the model, which would otherwise answer as if there were none. */
const LEFT_OUT = '(A recording of theirs, or a file that may be one, is left out.)';

function getAttachedText(attachment: Fields, user: Content['user']): string {
  const { title, title_link: link, fallback, message_blocks: forwarded } = attachment;
  const author = attachment['author_name'] || attachment['author_subname'];
  const heading = title && link ? `<${collectText(link)}|${collectText(title)}>` : title;
  const legacy = [attachment['pretext'], heading, attachment['text'], attachment['fields']];
  const words =
    collectText(legacy) ||
    collectText(attachment['blocks']) ||
    collectText(forwarded) ||
    collectText(fallback) ||
    collectText(attachment['files']);
  if (!isForwarded(attachment)) return words;
  const isPartial = forwardedFiles(attachment, user).some(({ isLeftOut }) => isLeftOut);
  const quoted = [words, isPartial ? LEFT_OUT : ''].filter(Boolean).join('\n');
  if (quoted === '') return '';
  return [...(author ? [`${collectText(author)}:`] : []), ...quoted.split('\n')]
    .map((line) => `> ${line}`)
    .join('\n');
}

/** Fields of blocks, elements and attachments with text, in the order in which Slack shows them. */
const PARTS =
  'title subtitle text value body fields elements accessory child_blocks message blocks alt_text'.split(' ');
const INLINE = new Set<unknown>(['rich_text_section', 'rich_text_preformatted', 'rich_text_quote']);

function collectText(value: unknown, separator = '\n', depth = 0): string {
  if (typeof value === 'string') return value;
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(value))
    return value
      .map((one) => collectText(one, '\n', depth + 1))
      .filter(Boolean)
      .join(separator);
  if (!v.is(fields, value)) return '';
  const inline = inlineText(value);
  if (inline !== undefined) return inline;
  const { type, rows } = value;
  const between = INLINE.has(type) ? '' : type === 'context' ? ' ' : '\n';
  const cells = toList(rows).map((row) => collectText(row, ' | ', depth + 1));
  return [...PARTS.map((name) => collectText(value[name], between, depth + 1)), ...cells]
    .filter(Boolean)
    .join('\n');
}

const encodeBrackets = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The text of an element within a line, where Slack encodes nothing; undefined for anything else. Of buttons, only those that open a link say something. */
function inlineText({ type, text, url, user_id, channel_id, name, value }: Fields): string | undefined {
  switch (type) {
    case 'text':
    case 'raw_text':
      return encodeBrackets(collectText(text).replaceAll('&', '&amp;'));
    // Of apps, Slack encodes them at least in some payloads (slackapi/bolt-python#513): `&` may be encoded already.
    case 'plain_text':
    case 'markdown':
      return encodeBrackets(collectText(text));
    case 'link':
    case 'button':
      return url ? `<${collectText(url)}${text ? `|${collectText(text)}` : ''}>` : '';
    case 'user':
      return `<@${collectText(user_id)}>`;
    case 'channel':
      return `<#${collectText(channel_id)}>`;
    case 'emoji':
      return `:${collectText(name)}:`;
    case 'raw_number':
      return collectText(text) || String(value);
    default:
      return undefined;
  }
}
