import { MalformedAnswerError } from '../errors.ts';
import { isObject, asNumber, asObject, asNonEmptyString } from '../http/json.ts';

/** All fields are optional. */
export type VideoMetadata = {
  /** In pixels, like `height`. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly avgFps?: number | undefined;
  readonly videoName?: string | undefined;
  readonly title?: string | undefined;
  /** ms since 1970. */
  readonly startTimestampMs?: number | undefined;
  /** Seconds. */
  readonly duration?: number | undefined;
  readonly thumbnail?: string | undefined;
  /** Usually a VTT storyboard. */
  readonly thumbnails?: string | undefined;
  readonly description?: string | undefined;
  readonly source?: string | undefined;
};

/** A stored video. */
export type Video = {
  readonly videoId: string;
  /** A presigned URL: everyone who has it can watch. Do not log it, store it only briefly, send no key to it. */
  readonly url: string;
  readonly metadata?: VideoMetadata | undefined;
  /** `pending`, `indexing`, `indexed`, `failed`, or a future word, in any order. */
  readonly indexingStatus?: string | undefined;
  /** `fast_search`, `qa_and_search`, `qa`, `reels`, or a future word. */
  readonly indexingType?: string | undefined;
  readonly groupId?: string | undefined;
};

/** Parses a video. Throws MalformedAnswerError when its id or URL is missing. */
export function parseVideo(value: unknown, requestId: string | undefined): Video {
  const video = asObject(value) ?? {};
  const videoId = asNonEmptyString(video['video_id']);
  const url = asNonEmptyString(video['url']);
  if (videoId === undefined || url === undefined) {
    throw new MalformedAnswerError('The video has no id or no URL.', { code: 'bad_video', requestId });
  }
  return {
    videoId,
    url,
    metadata: parseMetadata(video['metadata']),
    indexingStatus: asNonEmptyString(video['indexing_status']),
    indexingType: asNonEmptyString(video['indexing_type']),
    groupId: asNonEmptyString(video['group_id']),
  };
}

function parseMetadata(value: unknown): VideoMetadata | undefined {
  if (!isObject(value)) return undefined;
  return {
    width: asNumber(value['width']),
    height: asNumber(value['height']),
    avgFps: asNumber(value['avg_fps']),
    videoName: asNonEmptyString(value['video_name']),
    title: asNonEmptyString(value['title']),
    startTimestampMs: asNumber(value['video_start_timestamp_utc_ms']),
    duration: asNumber(value['duration']),
    thumbnail: asNonEmptyString(value['thumbnail']),
    thumbnails: asNonEmptyString(value['thumbnails']),
    description: asNonEmptyString(value['description']),
    source: asNonEmptyString(value['source']),
  };
}
