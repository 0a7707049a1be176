import { createHash } from 'node:crypto';
import type { Body, Upload } from './body.ts';
import { FLAG } from './flags.ts';
import { type Json, listOf, numberOf, stringOf } from './json.ts';
import { record } from './record.ts';
import { RefusalError } from './refusal.ts';
import type { Channel, FileRecord, Message } from './state.ts';
import { fileLimit, type SimulatorContext } from './context.ts';

/** An attachment's id, which may be a number. */
const idOf = ({ id }: Json): string => (typeof id === 'number' ? String(id) : stringOf(id));

/** Stores the files of a body with their `attachments` entries. Throws 40005 for one that is too large. */
export function keepUploads(
  context: SimulatorContext,
  channel: Channel,
  { uploads }: Body,
  json: Json,
  ephemeral: boolean,
): string[] {
  const limit = fileLimit(context.state.guilds.get(channel.guild ?? ''));
  if (uploads.some(({ content }) => content.length > limit)) throw new RefusalError(40005);
  const attachments = listOf(json['attachments']);
  return uploads
    .filter(({ id }) => json['attachments'] === undefined || attachments.some((one) => idOf(one) === id))
    .map((upload) => {
      const attachment = attachments.find((one) => idOf(one) === upload.id) ?? {};
      return addFile(context, fileOf(context, channel.id, upload, attachment, ephemeral), upload.content);
    });
}

function fileOf(
  context: SimulatorContext,
  channel: string,
  upload: Upload,
  attachment: Json,
  ephemeral: boolean,
): FileRecord {
  const { description, duration_secs: duration, waveform } = attachment;
  // Without an audio content type of the part, duration and waveform have no effect (discord-api-docs#7153).
  const sound = upload.contentType.startsWith('audio/');
  return {
    id: context.ids.next(),
    channel,
    filename: stringOf(attachment['filename']) || upload.filename,
    contentType: upload.contentType,
    size: upload.content.length,
    ...(typeof description === 'string' ? { description } : {}),
    ...(sound && typeof duration === 'number' ? { durationSecs: duration } : {}),
    ...(sound && typeof waveform === 'string' ? { waveform } : {}),
    ...(ephemeral ? { ephemeral } : {}),
  };
}

/**
 * The names of a stored file. Discord keeps ASCII letters and digits, dots, dashes and underscores; spaces become underscores. A name with letters of
 * other scripts becomes a random one, and the original without its ending is the title (discord-api-docs#6945).
 */
function namesOf(name: string): Pick<FileRecord, 'filename' | 'title'> {
  const plainName = name.replaceAll(' ', '_').replaceAll(/[^\w.-]/g, '');
  if (!/[^\p{ASCII}]/u.test(name)) return { filename: plainName || 'unknown' };
  const [, stem = '', ending = ''] = /^(.*?)(\.\w+)?$/su.exec(name) ?? [];
  return { filename: createHash('sha256').update(name).digest('hex').slice(0, 16) + ending, title: stem };
}

/** Stores a file and returns its id. */
export function addFile(context: SimulatorContext, file: FileRecord, content: Buffer): string {
  const named = { ...file, ...namesOf(file.filename) };
  record(context, { kind: 'file', file: named, content: content.toString('base64') });
  return file.id;
}

/** Of an edit: the files that stay. Without `attachments` all stay. */
export function keptFiles({ files }: Message, json: Json): string[] {
  const attachments = json['attachments'];
  if (!Array.isArray(attachments)) return attachments === null ? [] : [...files];
  const attachmentIds = listOf(attachments).map(idOf);
  return files.filter((id) => attachmentIds.includes(id));
}

/** Throws Discord's error for an invalid voice message. No other body has the flag. */
export function checkVoice(body: Body, json: Json): void {
  if ((numberOf(json['flags']) & FLAG.voice) === 0) return;
  const { content, embeds, components } = json;
  const more = [stringOf(content) !== '', listOf(embeds).length > 0, listOf(components).length > 0];
  if (more.includes(true)) throw new RefusalError(50159);
  const [only] = body.uploads;
  if (body.uploads.length !== 1 || !only?.contentType.startsWith('audio/')) throw new RefusalError(50160);
  const [attachment] = listOf(json['attachments']);
  if (typeof attachment?.['duration_secs'] !== 'number' || typeof attachment['waveform'] !== 'string')
    throw new RefusalError(50161);
}
