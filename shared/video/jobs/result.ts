/** Where the video of a finished job is: its address, or the id by which the service tells the address. */
export type FoundVideo =
  | { readonly kind: 'url'; readonly url: string; readonly videoId?: string | undefined }
  | { readonly kind: 'id'; readonly videoId: string };

/** The fields in which results of this kind are known to carry what is asked for. */
const PARTS = ['output', 'payload', 'data', 'result', 'video', 'videos'] as const;
const URLS = ['url', 'video_url', 'videoUrl'] as const;
const DEEPEST = 5;

/**
 * Finds the video in a result. Its form is not documented, and differs between models: what lies nearest to the top
 * counts. Undefined where there is none. Never throws.
 */
export function findVideo(result: unknown): FoundVideo | undefined {
  let videoId: string | undefined;
  let level: unknown[] = [result];
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth += 1) {
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string' && depth > 0 && /^https?:\/\//u.test(value))
        return { kind: 'url', url: value, videoId };
      if (isList(value)) below.push(...value.slice(0, 4));
      if (!isRecord(value)) continue;
      const id = value['video_id'] ?? value['videoId'];
      if (typeof id === 'string' && id !== '') videoId ??= id;
      const url = URLS.map((name) => value[name]).find((one) => typeof one === 'string' && one !== '');
      if (typeof url === 'string') return { kind: 'url', url, videoId };
      below.push(...PARTS.map((name) => value[name]).filter((one) => one !== undefined && one !== null));
    }
    level = below;
  }
  return videoId === undefined ? undefined : { kind: 'id', videoId };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
