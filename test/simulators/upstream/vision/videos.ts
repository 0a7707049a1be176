import { bytesAnswer, jsonAnswer } from '../exchange.ts';
import type { SimAnswer } from '../exchange.ts';
import type { JsonObject } from '../json.ts';
import { authenticate } from '../keys.ts';
import { hash } from '../random.ts';
import { RefusedError } from '../error-responses.ts';
import { setError } from '../limit-responses.ts';
import type { Call, State } from '../state.ts';
import { CLIP, clipBytes } from './clip.ts';
import { paintingBytes } from './painting.ts';
import type { Job, StoredVideo } from './types.ts';

/** The lifetime of a presigned URL: an hour. */
const URL_LIFE_MS = 60 * 60 * 1000;

/** A URL that serves the video without a key for a limited time. */
export function signedUrl(state: State, video: StoredVideo): string {
  const expires = state.now() + URL_LIFE_MS;
  return `${video.origin}/files/${video.id}.mp4?expires=${expires}&signature=${sign(state, video.id, expires)}`;
}

/** An address of the picture that a job made. */
export function signedPicture(state: State, { id, origin }: Pick<Job, 'id' | 'origin'>): string {
  const expires = state.now() + URL_LIFE_MS;
  return `${origin}/files/${id}.png?expires=${expires}&signature=${sign(state, id, expires)}`;
}

function sign({ seed }: State, id: string, expires: number): string {
  return hash(`${seed} ${id} ${expires}`).toString(16);
}

/** `GET /v1/videos/{video_id}`. `X-Api-Key` alone suffices. */
export function getVideo(state: State, call: Call): SimAnswer {
  authenticate(call.request, 'api-key', state.keys);
  const wrong = setError(call);
  if (wrong !== undefined) return wrong;
  const video = state.videos.get(call.params[0] ?? '');
  if (video === undefined) throw new RefusedError({ status: 404, message: 'There is no such video.' });
  return jsonAnswer(200, videoBody(state, video));
}

export function videoBody(state: State, video: StoredVideo): JsonObject {
  return {
    video_id: video.id,
    url: signedUrl(state, video),
    metadata: video.metadata === null ? null : { ...CLIP, ...video.metadata },
    indexing_status: indexingOf(video, state),
    indexing_type: video.indexingType,
    group_id: video.groupId,
  };
}

function indexingOf({ indexing, storedAt }: StoredVideo, state: State): string | null {
  if (indexing !== 'by-clock') return indexing;
  const age = state.now() - storedAt;
  if (age < state.settings.indexMs) return 'pending';
  return age < 2 * state.settings.indexMs ? 'indexing' : 'indexed';
}

/**
 * `GET /files/{id}.mp4` or `.png`: the video or picture, for a valid URL. Requests with credentials are a mistake:
 * 400.
 */
export function getFile(state: State, call: Call): SimAnswer {
  const [id = '', type] = call.params;
  const expires = Number(call.query.get('expires'));
  const wrong = setError(call);
  if (wrong !== undefined) return wrong;
  if (call.query.get('signature') !== sign(state, id, expires) || expires < state.now()) {
    throw new RefusedError({ status: 403, message: 'This address is not valid, or no longer.' });
  }
  const { authorization, 'x-api-key': apiKey } = call.request.headers;
  if (authorization !== undefined || apiKey !== undefined) {
    throw new RefusedError({ status: 400, message: 'A presigned address takes no credentials.' });
  }
  if (type === 'png')
    return bytesAnswer(200, 'image/png', paintingBytes(JSON.stringify(state.jobs.get(id)?.input ?? null)));
  return bytesAnswer(200, 'video/mp4', clipBytes());
}
