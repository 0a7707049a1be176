import { describeFailure } from '../../chat/index.ts';
import type { TurnRef } from '../../domain/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { removeMetadata } from '../../image-files/index.ts';
import type { Platform } from '../../platforms/ports/index.ts';
import {
  type ChatTool,
  type Settings,
  type ThreadPicture,
  ToolError,
  type ToolResult,
  type Videos,
} from '../../ports/index.ts';
import type { Log, Time } from '../../runtime/index.ts';
import { type Payload, UpstreamError, type VisionEndpoint } from '../../upstream/index.ts';
import { getOperation, makesPicture, resultKey } from '../jobs/index.ts';

const MB = 1024 * 1024;
const MAX_PICTURE_BYTES = 10 * MB;
/** Largest video for an upload, which is buffered. */
const MAX_VIDEO_BYTES = 32 * MB;
/** Requests per question: a limit against prompt injection, since the service allows few per day. */
const MAX_REQUESTS = 3;
/** How much of a response the model reads, in characters. */
const MAX_RESPONSE_LENGTH = 4_000;
/** What the model calls the newest video that was made in the thread. */
const NEWEST_VIDEO = 'newest video';

type LibraryContext = {
  readonly videos: Videos;
  readonly platform: Platform;
  readonly time: Time;
  readonly log: Log;
  readonly settings: Pick<Settings, 'zone'>;
  /** Says why the asker may not make clips or store files here; undefined if they may. */
  readonly findRefusal: (locale: Locale) => Promise<string | undefined>;
};
type Call = (name: VisionEndpoint, payload: Payload, locale: Locale) => Promise<ToolResult>;

/** Returns the tools of the enabled endpoints, for a question with these pictures. */
export function createLibraryTools(
  turn: TurnRef,
  pictures: readonly ThreadPicture[],
  context: LibraryContext,
): readonly ChatTool[] {
  const { library } = context.videos;
  let left = MAX_REQUESTS;
  const call: Call = async (name, payload, locale) => {
    left -= 1;
    if (left < 0) throw new ToolError(`Only ${MAX_REQUESTS} requests to the library per question.`);
    return callLibrary(name, payload, { turn, locale }, context);
  };
  const searchable = (['videos', 'images'] as const).filter((kind) => library.includes(`${kind}/search`));
  const files = [
    ...(library.includes('images/upload') ? pictures.map(({ picture }) => picture.name) : []),
    ...(library.includes('videos/upload') ? [NEWEST_VIDEO] : []),
  ];
  return [
    ...(searchable.length > 0 ? [searchTool(searchable, call)] : []),
    ...(library.includes('clips') ? [clipTool(call, context)] : []),
    ...(files.length > 0 ? [storeTool(files, { turn, pictures, call }, context)] : []),
  ];
}

/** Sends one request, and gives the response to the model as it is, but without URLs. */
async function callLibrary(
  name: VisionEndpoint,
  payload: Payload,
  { turn, locale }: { readonly turn: TurnRef; readonly locale: Locale },
  { videos, time, log, settings: { zone } }: LibraryContext,
): Promise<ToolResult> {
  try {
    const response = await videos.vision(await videos.keyOf(turn.thread)).call(name, payload);
    const content = JSON.stringify(response ?? null, withoutUrl)
      .slice(0, MAX_RESPONSE_LENGTH)
      .toWellFormed();
    return { content, summary: localize(locale, 'answers.tool.found', { count: countResults(response) }) };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    log('video.library-failed', { kind: name, error: error.kind, code: error.code });
    const sentence = describeFailure(error, { now: time.now(), zone, locale, service: 'video' })?.sentence;
    throw new ToolError(sentence ?? `The library refused the request (${error.kind}).`, sentence);
  }
}

/** Throws if the asker may not make clips or store files. The setting `video` decides, as for making videos. */
async function assertMayChange(locale: Locale, { findRefusal }: LibraryContext): Promise<void> {
  const refusal = await findRefusal(locale);
  if (refusal !== undefined) throw new ToolError(refusal, refusal);
}

/** URLs of results are presigned: they must not be stored with the answer. `look_up_video` gives a link. */
const withoutUrl = (_: string, value: unknown): unknown =>
  typeof value === 'string' && /^https?:\/\//u.test(value) ? undefined : value;

/** The number of results in a response of unknown form: the length of its first list, or one. */
function countResults(response: unknown): number {
  if (Array.isArray(response)) return response.length;
  if (typeof response !== 'object' || response === null) return 0;
  const list: unknown = Object.values(response).find((value) => Array.isArray(value));
  return Array.isArray(list) ? list.length : 1;
}

function readText(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new ToolError(`“${name}” has to be words.`);
  return value.trim();
}

const searchTool = (kinds: readonly ('videos' | 'images')[], call: Call): ChatTool => ({
  definition: {
    name: 'search_library',
    description:
      'Searches the stored videos or images of this team by words. Returns what the service found.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for' },
        kind: { type: 'string', enum: [...kinds], description: `${kinds[0]}, if it is left out` },
      },
      required: ['query'],
    },
  },
  prepare: ({ query, kind }, locale) => {
    const words = readText(query, 'query');
    const chosen = kinds.find((one) => one === kind) ?? kinds[0] ?? 'videos';
    return {
      title: localize(locale, 'answers.tool.searching-library'),
      status: ['answers.status.searching-library'],
      run: () => call(`${chosen}/search`, { json: { query: words } }, locale),
    };
  },
});

const clipTool = (call: Call, context: LibraryContext): ChatTool => ({
  definition: {
    name: 'make_clips',
    description:
      'Cuts clips out of a stored video, when the person asks for them. The service allows ten a day. Ask for the id of the video if you do not know it.',
    parameters: {
      type: 'object',
      properties: {
        video_id: { type: 'string', description: 'The id of the stored video' },
        query: { type: 'string', description: 'What the clips are to show' },
      },
      required: ['video_id', 'query'],
    },
  },
  prepare: ({ video_id: id, query }, locale) => {
    const json = { video_id: readText(id, 'video_id'), query: readText(query, 'query') };
    return {
      title: localize(locale, 'answers.tool.cutting-clips'),
      status: ['answers.status.cutting-clips'],
      run: async () => {
        await assertMayChange(locale, context);
        return call('clips', { json }, locale);
      },
    };
  },
});

type StoreRequest = {
  readonly turn: TurnRef;
  readonly pictures: readonly ThreadPicture[];
  readonly call: Call;
};

const storeTool = (
  files: readonly string[],
  { turn, pictures, call }: StoreRequest,
  context: LibraryContext,
): ChatTool => ({
  definition: {
    name: 'store_in_library',
    description:
      'Stores a picture of this thread, or the newest video that you made in it, in the library of this team, when the person asks for that.',
    parameters: {
      type: 'object',
      properties: { file: { type: 'string', enum: [...new Set(files)] } },
      required: ['file'],
    },
  },
  prepare: ({ file }, locale) => {
    const isVideo = file === NEWEST_VIDEO && files.includes(NEWEST_VIDEO);
    const seen = pictures.findLast(({ picture }) => picture.name === file);
    if (!isVideo && !seen) throw new ToolError(`There is no such file. There are: ${files.join(', ')}.`);
    return {
      title: localize(locale, 'answers.tool.storing-file'),
      status: ['answers.status.storing-file'],
      run: async () => {
        await assertMayChange(locale, context);
        return seen && !isVideo
          ? call('images/upload', await readPicture(turn, seen, context), locale)
          : call('videos/upload', await readNewestVideo(turn, context), locale);
      },
    };
  },
});

/** Downloads a picture from the platform, without its metadata. */
async function readPicture(
  turn: TurnRef,
  { picture, message }: ThreadPicture,
  { platform }: LibraryContext,
): Promise<Payload> {
  const bytes = await platform.downloadFile({ ...turn, message }, picture, MAX_PICTURE_BYTES);
  const cleaned = removeMetadata(bytes);
  if (typeof cleaned === 'string') throw new ToolError(`The picture cannot be stored: ${cleaned}.`);
  return { bytes: cleaned.bytes, contentType: cleaned.mimetype };
}

/** Reads the newest video that was made in the thread from the bucket. */
async function readNewestVideo({ thread }: TurnRef, { videos }: LibraryContext): Promise<Payload> {
  const jobs = (await videos.jobs.listByThread(thread)).filter(
    (job) => job.state === 'delivered' && !makesPicture(getOperation(job)),
  );
  const newest = jobs.toSorted((a, b) => a.createdAt - b.createdAt).at(-1);
  const file = newest && (await videos.media.get(resultKey(newest)));
  if (!file || file.bytes > MAX_VIDEO_BYTES)
    throw new ToolError('There is no video in this thread that can be stored.');
  const parts: Uint8Array[] = [];
  for await (const part of file.content) parts.push(part);
  return { bytes: Buffer.concat(parts), contentType: file.mimetype };
}
