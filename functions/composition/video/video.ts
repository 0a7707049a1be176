import { createHmac } from 'node:crypto';
import { type Log, type WorkerConfig, ROUTES, systemTime } from '../../../shared/runtime/index.ts';
import { videosDisabled, type VideoService } from '../../../shared/ports/index.ts';
import { createS3ObjectStore } from '../../../shared/aws/index.ts';
import {
  createJobId,
  Jobs,
  findTargetMessage,
  hashSecret,
  type TurnsConfig,
} from '../../../shared/storage/index.ts';
import { createUpstream, createIdempotencyKey, type UpstreamConfig } from '../../../shared/upstream/index.ts';
import { DEFAULT_OPERATION, listModelsFor } from '../../../shared/video/jobs/index.ts';
import { createVideoFetcher } from './fetch-video.ts';
import { createMediaModels } from './media-models.ts';
import type { Keys } from '../models/api-keys.ts';

type Needs = {
  readonly store: TurnsConfig;
  readonly keys: Keys;
  /** The rolling windows of an API key. */
  readonly windows: (keyName?: string) => NonNullable<UpstreamConfig['windows']>;
  readonly log: Log;
};

const { now } = systemTime;

/** Derived from the API key, so that a retry has the same one and only its hash is stored. The holder of the key gets it anyway. */
const deriveCallbackSecret = (apiKey: string, job: string): string =>
  createHmac('sha256', apiKey).update(`video callback ${job}`).digest('base64url');

/** The video feature, if a model and a service are configured. */
export function createVideos(config: WorkerConfig, { store, keys, windows, log }: Needs): VideoService {
  const { upstreamVisionUrl, videoModels, videoPicture, mediaBucket, mediaDays, publicUrl, aws } = config;
  const jobs = new Jobs(store);
  const media = createS3ObjectStore(mediaBucket, aws, now);
  const { paths, listsModels, listsRequests, library, linkOrigins } = videoModels.operations;
  if (
    upstreamVisionUrl === undefined ||
    (videoModels.models.length === 0 && !listsModels && library.length === 0)
  )
    return videosDisabled({ jobs, media, days: mediaDays });
  const key = (ask?: { readonly refresh: boolean }) => keys.value(undefined, ask?.refresh ?? false);
  const { vision } = createUpstream({
    baseUrl: config.upstreamBaseUrl,
    visionUrl: upstreamVisionUrl,
    visionPaths: paths,
    jobOrigins: linkOrigins,
    windows: windows(),
    apiKey: key,
    time: systemTime,
    random: Math.random,
  });
  return {
    enabled: true,
    jobs,
    vision: (name) => {
      const apiKey: UpstreamConfig['apiKey'] = (ask) => keys.value(name, ask?.refresh ?? false);
      return {
        submit: (request, options) => vision.submit(request, { ...options, apiKey }),
        status: (handle) => vision.status(handle, { apiKey }),
        result: (handle) => vision.result(handle, { apiKey }),
        cancel: (handle) => vision.cancel(handle, { apiKey }),
        list: () => (listsRequests ? vision.list({ apiKey }) : Promise.resolve([])),
        video: (id) => vision.video(id, { apiKey }),
        call: (operation, payload) => vision.call(operation, payload, { apiKey, windows: windows(name) }),
      };
    },
    keyOf: async (home) => (await keys.names(home))[0],
    rejectKey: keys.recordRejection,
    media,
    fetch: createVideoFetcher(new URL(upstreamVisionUrl).origin),
    models: createMediaModels({
      configured: videoModels.models,
      list: listsModels ? () => vision.models() : undefined,
      now,
      log,
    }),
    animates: listsModels || listModelsFor(videoModels.models, DEFAULT_OPERATION).length > 0,
    library,
    pictureAs: videoPicture,
    days: mediaDays,
    secretOf: async (id) => deriveCallbackSecret(await key(), id),
    hashOf: hashSecret,
    callbackAddress: (id, secret) =>
      new URL(ROUTES.videoCallback.replace('{job}', id).replace('{secret}', secret), publicUrl).href,
    findTargetMessage: (call, place) => findTargetMessage(store, call, place),
    // The bucket's name is unique in AWS, so that two deployments with one account at the service share no keys.
    submissionKey: (by, requestKey) => createIdempotencyKey(mediaBucket, createJobId(by, requestKey)),
  };
}
