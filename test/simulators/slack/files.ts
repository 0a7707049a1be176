import { bytesOf } from '../send-file.ts';
import type { Channel, FileRecord, Json, Message } from './state.ts';
import { eventIdOf } from './ticks.ts';
import { record, type SimulatorContext } from './context.ts';

/** A file that a person attaches to a message. */
export type Upload = {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** By the file extension by default; may be empty, as Slack sends it for some voice clips. */
  readonly mimetype?: string | undefined;
  /** Recorded in Slack, not chosen from a disk. */
  readonly clip?: FileRecord['clip'] | undefined;
  /** Slack Connect: the message contains only the file id. The default for people of other organizations. */
  readonly withheld?: boolean | undefined;
};

/** Ending, Slack's `filetype`, media type, what Slack calls it. */
const TYPES: readonly (readonly [string, string, string, string])[] = [
  ['png', 'png', 'image/png', 'PNG'],
  ['jpg', 'jpg', 'image/jpeg', 'JPEG'],
  ['jpeg', 'jpg', 'image/jpeg', 'JPEG'],
  ['gif', 'gif', 'image/gif', 'GIF'],
  ['webp', 'webp', 'image/webp', 'WebP'],
  ['svg', 'svg', 'image/svg+xml', 'SVG'],
  ['heic', 'heic', 'image/heic', 'HEIC'],
  ['pdf', 'pdf', 'application/pdf', 'PDF'],
  ['txt', 'text', 'text/plain', 'Plain Text'],
  ['log', 'text', 'text/plain', 'Plain Text'],
  ['md', 'markdown', 'text/markdown', 'Markdown (raw)'],
  ['csv', 'csv', 'text/csv', 'CSV'],
  ['html', 'html', 'text/html', 'HTML'],
  ['json', 'json', 'application/json', 'JSON'],
  ['js', 'javascript', 'text/javascript', 'JavaScript/JSON'],
  ['ts', 'typescript', 'text/x-typescript', 'TypeScript'],
  ['py', 'python', 'text/x-python', 'Python'],
  ['zip', 'zip', 'application/zip', 'Zip'],
  [
    'docx',
    'docx',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'Word Document',
  ],
  ['xlsx', 'xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'Excel Spreadsheet'],
  ['m4a', 'm4a', 'audio/mp4', 'MPEG 4 Audio'],
  ['mp3', 'mp3', 'audio/mpeg', 'MP3'],
  ['wav', 'wav', 'audio/wav', 'WAV'],
  ['ogg', 'ogg', 'audio/ogg', 'OGG'],
  ['webm', 'webm', 'video/webm', 'WebM'],
  ['mp4', 'mp4', 'video/mp4', 'MPEG 4 Video'],
  ['mov', 'mov', 'video/quicktime', 'QuickTime Movie'],
];

/** Stores a file in the workspace; returns its id: the reserved one, if there was one. */
export function addFile(
  context: SimulatorContext,
  user: string,
  upload: Upload,
  withheld: boolean,
  promised?: string,
): string {
  const bytes = Buffer.from(upload.content);
  const ending = /\.([a-z0-9]+)$/i.exec(upload.name)?.[1]?.toLowerCase();
  const type = TYPES.find(([file]) => file === ending);
  const mimetype = upload.mimetype ?? type?.[2] ?? 'application/octet-stream';
  const file: FileRecord = {
    id: promised ?? eventIdOf(context.ticks.next(), context.nth).replace(/^Ev/, 'F'),
    user,
    name: upload.name,
    mimetype,
    // Slack leaves both empty, or neither.
    filetype: mimetype === '' ? '' : (type?.[1] ?? 'binary'),
    size: bytes.length,
    created: Math.floor(context.now() / 1_000),
    ...(upload.clip ? { clip: upload.clip } : {}),
    ...((upload.withheld ?? withheld) ? { withheld: true } : {}),
  };
  record(context, { kind: 'file', file, content: bytes.toString('base64') });
  return file.id;
}

/** The files of a message that its author deletes go with it, and those that an update takes off. */
export function removeFiles(context: SimulatorContext, message: Message): void {
  for (const id of message.files ?? []) {
    const file = context.state.files.get(id);
    if (file) record(context, { kind: 'file', file: { ...file.file, deleted: true }, content: '' });
  }
}

/** A file in a message: only its id where another organization restricts it, a tombstone once it is deleted. */
export function presentFile(context: SimulatorContext, id: string, channel: Channel | undefined): Json {
  const file = context.state.files.get(id)?.file;
  if (!file || file.deleted) return { id, mode: 'tombstone' };
  if (!file.withheld) return fullFile(context, file, channel);
  const { created, user } = file;
  return { id, created, timestamp: created, mode: 'file_access', file_access: 'check_file_info', user };
}

/** A file in the response of `files.info`. */
export function fullFile(context: SimulatorContext, file: FileRecord, channel: Channel | undefined): Json {
  const { id, name, mimetype, filetype, size, user, created, clip } = file;
  const { teamId } = context.identity;
  const address = `${context.options.filesUrl()}/files-pri/${teamId}-${id}`;
  const inUrl = encodeURIComponent(name.toLowerCase().replaceAll(/[^\p{L}\p{N}.-]+/gu, '_'));
  return {
    id,
    created,
    timestamp: created,
    name,
    title: name,
    mimetype,
    filetype,
    pretty_type: TYPES.find(([, extension]) => extension === filetype)?.[3] ?? '',
    user,
    user_team: teamId,
    editable: false,
    size,
    mode: file.canvas ? 'quip' : 'hosted',
    is_external: false,
    external_type: '',
    is_public: channel?.kind === 'channel',
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: `${address}/${inUrl}`,
    url_private_download: `${address}/download/${inUrl}`,
    media_display_type: clip?.kind === 'slack_audio' ? 'audio' : clip ? 'video' : 'unknown',
    ...(clip
      ? { subtype: clip.kind, duration_ms: clip.durationMs, transcription: { status: 'processing' } }
      : {}),
    permalink: file.canvas
      ? `https://parley.slack.com/docs/${teamId}/${id}`
      : `https://parley.slack.com/files/${user}/${id}/${inUrl}`,
    has_rich_preview: false,
    file_access: 'visible',
  };
}

/** The result of a download: the file, or the reason. Slack shows its login page to a token that may not see it. */
export type Download =
  | { readonly kind: 'file'; readonly file: FileRecord; readonly content: Buffer }
  | { readonly kind: 'login' | 'not-found' };

/** Downloads with a bot token. That requires `files:read`, and the bot as a member of a channel with the file. */
export function download(context: SimulatorContext, id: string, token: string | undefined): Download {
  const { identity, state } = context;
  if (token !== identity.botToken || context.access.refusal !== undefined) return { kind: 'login' };
  if (!identity.scopes.includes('files:read')) return { kind: 'login' };
  const file = state.files.get(id);
  if (!file || file.file.deleted) return { kind: 'not-found' };
  if (!channelWith(context, id)) return { kind: 'login' };
  return { kind: 'file', file: file.file, content: bytesOf(file) };
}

/** The messages with a file, as in `files.info`: by channel type, then by channel id. */
export function sharesOf(context: SimulatorContext, id: string): Json {
  const shares: Record<'public' | 'private', Record<string, Json[]>> = { public: {}, private: {} };
  for (const [channel, messages] of context.state.messages) {
    const knownChannel = context.state.channels.get(channel);
    const own = knownChannel?.members.includes(context.identity.botUserId) ? [...messages.values()] : [];
    for (const { ts, thread, user, files } of own) {
      if (!files?.includes(id)) continue;
      const share = { ts, ...(thread ? { thread_ts: thread } : {}), share_user_id: user };
      (shares[knownChannel?.kind === 'channel' ? 'public' : 'private'][channel] ??= []).push(share);
    }
  }
  return shares;
}

/** A channel of the bot with the file. */
export function channelWith(context: SimulatorContext, id: string): Channel | undefined {
  for (const [channel, messages] of context.state.messages) {
    const shows = [...messages.values()].some((message) => message.files?.includes(id));
    const knownChannel = shows ? context.state.channels.get(channel) : undefined;
    if (knownChannel?.members.includes(context.identity.botUserId)) return knownChannel;
  }
  return undefined;
}
