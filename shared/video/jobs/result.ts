import { isRecord } from '../../utils/index.ts';

/** The video or picture of a finished job: its URL, or the id to look the URL up. */
export type FoundVideo =
  | { readonly kind: 'url'; readonly url: string; readonly videoId?: string | undefined }
  | { readonly kind: 'id'; readonly videoId: string };

/** The fields of known results that contain the video or picture. */
const CONTAINER_FIELDS = [
  'output',
  'payload',
  'data',
  'result',
  'video',
  'videos',
  'image',
  'images',
] as const;
const URL_FIELDS = ['url', 'video_url', 'videoUrl', 'image_url', 'imageUrl'] as const;
const MAX_DEPTH = 5;

/**
 * Finds the video or picture in a result. The format is not documented and differs between models, so the match nearest to the top
 * counts. Returns undefined if there is none. Never throws.
 */
export function findVideo(result: unknown): FoundVideo | undefined {
  let videoId: string | undefined;
  let level: unknown[] = [result];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string' && depth > 0 && /^https?:\/\//u.test(value))
        return { kind: 'url', url: value, videoId };
      if (isList(value)) below.push(...value.slice(0, 4));
      if (!isRecord(value)) continue;
      const id = value['video_id'] ?? value['videoId'];
      if (typeof id === 'string' && id !== '') videoId ??= id;
      const url = URL_FIELDS.map((name) => value[name]).find(
        (field) => typeof field === 'string' && field !== '',
      );
      if (typeof url === 'string') return { kind: 'url', url, videoId };
      below.push(
        ...CONTAINER_FIELDS.map((name) => value[name]).filter(
          (field) => field !== undefined && field !== null,
        ),
      );
    }
    level = below;
  }
  return videoId === undefined ? undefined : { kind: 'id', videoId };
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
