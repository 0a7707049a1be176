import { jsonAnswer } from '../exchange.ts';
import { isObject, isText, parseJson, type JsonObject } from '../json.ts';
import type { SimAnswer } from '../exchange.ts';
import { authenticate } from '../keys.ts';
import { isVisionPath, visionHeaders } from '../limits/limits.ts';
import { RefusedError } from '../error-responses.ts';
import { setError, tooMany } from '../limit-responses.ts';
import type { Call, State } from '../state.ts';
import type { StoredVideo } from './types.ts';
import { videoBody } from './videos.ts';

/** Upload, search and clips: their payloads are undocumented, so only the daily limits apply. */
export function library(state: State, call: Call): SimAnswer {
  const { path } = call;
  if (!isVisionPath(path)) throw new RefusedError({ status: 404, message: 'There is nothing here.' });
  const limit = state.limits.vision[path];
  // Every response has them: before the key is known, those of a window without requests.
  Object.assign(call.headers, visionHeaders(limit, { allowed: true, remaining: limit, resetMs: 0 }));
  const key = authenticate(call.request, 'either', state.keys);
  const permit = state.accounts.window(key.key, path).take(state.now());
  Object.assign(call.headers, visionHeaders(limit, permit));
  if (!permit.allowed) throw tooMany('rate_limit_exceeded', Number(call.headers['retry-after']));
  const wrong = setError(call);
  if (wrong !== undefined) return wrong;
  if (path === '/v1/videos/upload') return jsonAnswer(200, videoBody(state, upload(state, call)));
  if (path === '/v1/videos/search') return jsonAnswer(200, { results: search(state, call) });
  if (path.endsWith('/search')) return jsonAnswer(200, { results: [] });
  return jsonAnswer(200, { id: state.id('item-'), object: 'opaque' });
}

/** The stored videos whose description has a word of the query; all of them if there is no query. */
function search(state: State, { request }: Call): JsonObject[] {
  const query = parseJson(String(request.body ?? ''))?.value;
  const words = isObject(query) && isText(query['query']) ? query['query'].toLowerCase().split(/\W+/u) : [];
  return [...state.videos.values()]
    .filter(({ metadata }) => {
      const text = JSON.stringify(metadata).toLowerCase();
      return words.length === 0 || words.some((word) => word.length > 3 && text.includes(word));
    })
    .map((video) => videoBody(state, video));
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
