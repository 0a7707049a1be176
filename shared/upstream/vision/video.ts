import { MalformedAnswerError } from '../errors.ts';
import { isObject, numberOf, objectOf, stringOf } from '../http/json.ts';

/** All of it is optional. */
export type VideoMetadata = {
  /** In pixels, as the next. */
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
  /** Presigned: whoever has it can watch. Never log it, keep it only briefly, and send no key to it. */
  readonly url: string;
  readonly metadata?: VideoMetadata | undefined;
  /** `pending`, `indexing`, `indexed`, `failed`, or a word to come. No order of them is promised. */
  readonly indexingStatus?: string | undefined;
  /** `fast_search`, `qa_and_search`, `qa`, `reels`, or a word to come. */
  readonly indexingType?: string | undefined;
  readonly groupId?: string | undefined;
};

/** Reads a video. Throws MalformedAnswerError when it lacks its id or its address. */
export function videoOf(value: unknown, requestId: string | undefined): Video {
  const video = objectOf(value) ?? {};
  const videoId = stringOf(video['video_id']);
  const url = stringOf(video['url']);
  if (videoId === undefined || url === undefined) {
    throw new MalformedAnswerError('The video has no id or no address.', { code: 'bad_video', requestId });
  }
  return {
    videoId,
    url,
    metadata: metadataOf(video['metadata']),
    indexingStatus: stringOf(video['indexing_status']),
    indexingType: stringOf(video['indexing_type']),
    groupId: stringOf(video['group_id']),
  };
}

function metadataOf(value: unknown): VideoMetadata | undefined {
  if (!isObject(value)) return undefined;
  return {
    width: numberOf(value['width']),
    height: numberOf(value['height']),
    avgFps: numberOf(value['avg_fps']),
    videoName: stringOf(value['video_name']),
    title: stringOf(value['title']),
    startTimestampMs: numberOf(value['video_start_timestamp_utc_ms']),
    duration: numberOf(value['duration']),
    thumbnail: stringOf(value['thumbnail']),
    thumbnails: stringOf(value['thumbnails']),
    description: stringOf(value['description']),
    source: stringOf(value['source']),
  };
}
