import { type Args, objects, optional, required } from './args.ts';
import { emitPosted } from './events.ts';
import { addFile } from './files.ts';
import { newMessage, threadToPostIn } from './methods/posting.ts';
import { stringOf } from './state.ts';
import { hashOf } from './ticks.ts';
import { type ApiSuccess, writableChannel, record, RefusalError, type SimulatorContext } from './context.ts';

/** A requested upload, and what the app sent. */
type Place = {
  readonly name: string;
  readonly length: number;
  readonly context: SimulatorContext;
  content?: Buffer;
};

const MAX = 1024 ** 3;
/** Ids of conversations (docs.slack.dev/reference/methods/files.completeUploadExternal); other methods also accept those of people. */
const CHANNEL_ID = /^[CGDZ][A-Z0-9]{8,}$/;
/** By the id of the future file. Uploads are kept as long as the process; Slack keeps them for minutes. */
const places = new Map<string, Place>();

/** Reserves an upload for a file with that name and length. */
export function getUploadUrl(context: SimulatorContext, args: Args): ApiSuccess {
  const name = required(args, 'filename');
  const length = Number(required(args, 'length'));
  if (!Number.isInteger(length) || length < 1) throw new RefusalError('invalid_arguments');
  if (length > MAX) throw new RefusalError('file_upload_size_restricted');
  const id = `F${hashOf(`${name} ${context.ticks.next()}`, 10).toUpperCase()}`;
  places.set(id, { name, length, context });
  return { ok: true, upload_url: `${context.options.filesUrl()}/upload/v1/${id}`, file_id: id };
}

/** Creates files from uploads, and posts them as one message; without a channel only the bot sees them. */
export function completeUpload(context: SimulatorContext, args: Args): ApiSuccess {
  const entries = objects(args, 'files', 'invalid_arguments') ?? [];
  const where = optional(args, 'channel_id');
  if (where !== undefined && !CHANNEL_ID.test(where)) throw new RefusalError('invalid_arguments');
  const channel = where === undefined ? undefined : writableChannel(context, where);
  const thread = channel && threadToPostIn(context, channel, optional(args, 'thread_ts'));
  const sent = entries.map((one) => {
    const id = stringOf(one['id']);
    const place = places.get(id);
    if (place?.content === undefined || place.context.state !== context.state)
      throw new RefusalError('file_not_found');
    places.delete(id);
    const { name, content } = place;
    return addFile(context, context.identity.botUserId, { name, content }, false, id);
  });
  if (sent.length === 0) throw new RefusalError('invalid_arguments');
  const answer = { ok: true as const, files: sent.map((id) => ({ id })) };
  if (!channel) return answer;
  const text = optional(args, 'initial_comment') ?? '';
  const message = newMessage(context, channel, {
    text,
    files: sent,
    ...(thread === undefined ? {} : { thread }),
  });
  record(context, { kind: 'message', message });
  emitPosted(context, channel, message);
  return answer;
}

/** Stores the bytes of an upload; returns whether their length is as announced. */
export function fill(id: string, content: Buffer): boolean {
  const place = places.get(id);
  if (place?.length !== content.length) return false;
  place.content = content;
  return true;
}
