import type { ModelsConfig, WorkerConfig } from '../../../shared/runtime/index.ts';
import type { Model } from '../../../shared/upstream/index.ts';

/** The vision service's chat completion has the current shape; with the legacy one it is not offered. */
export const getVisionChat = ({
  upstreamVisionUrl,
  upstreamShape,
  videoModels,
}: Pick<ModelsConfig, 'upstreamVisionUrl' | 'upstreamShape'> & Partial<Pick<WorkerConfig, 'videoModels'>>) =>
  upstreamVisionUrl === undefined || upstreamShape === 'legacy' ? undefined : videoModels?.operations.chat;

/** Adds a model that is available but not listed; an empty list means that nothing is known. */
export const withModel = (listed: readonly Model[], id: string | undefined): readonly Model[] =>
  id === undefined || listed.length === 0 || listed.some((one) => one.id === id)
    ? listed
    : [...listed, { id, ready: true }];
