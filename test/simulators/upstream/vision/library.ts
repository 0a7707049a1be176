import { jsonAnswer } from '../exchange.ts';
import type { SimAnswer } from '../exchange.ts';
import { authenticate } from '../keys.ts';
import { isVisionPath, visionHeaders } from '../limits/limits.ts';
import { RefusedError } from '../error-responses.ts';
import { setError, tooMany } from '../limit-responses.ts';
import type { Call, State } from '../state.ts';
import type { StoredVideo } from './types.ts';
import { videoBody } from './videos.ts';

/** Upload, search and clips: payloads are not shown, so they pass as they are; the daily limits hold. */
export function library(state: State, call: Call): SimAnswer {
  const { path } = call;
  const key = authenticate(call.request, 'either', state.keys);
  if (!isVisionPath(path)) throw new RefusedError({ status: 404, message: 'There is nothing here.' });
  const taken = state.accounts.window(key.key, path).take(state.now());
  Object.assign(call.headers, visionHeaders(state.limits.vision[path], taken));
  if (!taken.allowed) throw tooMany('rate_limit_exceeded', Number(call.headers['retry-after']));
  const wrong = setError(call);
  if (wrong !== undefined) return wrong;
  if (path === '/v1/videos/upload') return jsonAnswer(200, videoBody(state, upload(state, call)));
  if (path.endsWith('/search')) return jsonAnswer(200, { results: [] });
  return jsonAnswer(200, { id: state.id('item-'), object: 'opaque' });
}

function upload(state: State, { request }: Call): StoredVideo {
  const video: StoredVideo = {
    id: state.id('video-', 20),
    storedAt: state.now(),
    origin: `http://${request.headers['host'] ?? 'simulator.invalid'}`,
    metadata: {},
    indexing: 'by-clock',
    indexingType: 'fast_search',
    groupId: null,
  };
  state.videos.set(video.id, video);
  return video;
}
