import type { Log, Clock } from '../../../shared/runtime/index.ts';
import { getErrorFacts, TtlCache } from '../../../shared/utils/index.ts';
import type { VisionModel } from '../../../shared/upstream/index.ts';
import {
  DEFAULT_PICTURE_FIELD,
  type MediaModel,
  toMediaOperation,
} from '../../../shared/video/jobs/index.ts';

/** Models change rarely. */
const LIST_TTL_MS = 10 * 60_000;

type Sources = {
  readonly configured: readonly MediaModel[];
  /** Lists the models of the service; undefined if the deployment does not use its list. */
  readonly list: (() => Promise<readonly VisionModel[]>) | undefined;
  readonly now: Clock;
  readonly log: Log;
};

/**
 * Returns the configured models, then those that the service lists for a known operation. If the list cannot be read, only
 * the configured models.
 */
export function createMediaModels({
  configured,
  list,
  now,
  log,
}: Sources): () => Promise<readonly MediaModel[]> {
  if (list === undefined) return () => Promise.resolve(configured);
  const cache = new TtlCache<readonly VisionModel[]>({ now, ttlMs: LIST_TTL_MS });
  return async () => {
    const listed = await cache
      .get('models', () => list())
      .catch((error: unknown) => {
        log('video.models-unavailable', getErrorFacts(error));
        return [];
      });
    return [...configured, ...listed.flatMap((model) => toMediaModel(model, configured) ?? [])];
  };
}

function toMediaModel(
  { id: name, operation: named = '', price }: VisionModel,
  configured: readonly MediaModel[],
): MediaModel | undefined {
  const operation = toMediaOperation(named);
  const isKnown = configured.some((model) => model.name === name && model.operation === operation);
  return operation === undefined || isKnown
    ? undefined
    : { name, operation, field: DEFAULT_PICTURE_FIELD, price };
}
