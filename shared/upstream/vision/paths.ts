/** The documented operation that submits a job. */
export const DEFAULT_OPERATION = 'image-to-video';

/**
 * Default paths of operations that the interface names without a path: an assumption, which `UpstreamConfig.visionPaths`
 * replaces.
 */
const DEFAULT_PATHS: Readonly<Record<string, string>> = {
  models: '/v2/inference/models',
  requests: '/v2/inference/requests',
};

/** Returns the path of an operation without a model. */
export const visionPath = (paths: Readonly<Record<string, string>>, operation: string): string =>
  paths[operation] ?? DEFAULT_PATHS[operation] ?? `/v1/${operation}`;

/** Returns the path to which jobs of an operation are submitted. Only that of `image-to-video` is documented. */
export const submitPath = (
  paths: Readonly<Record<string, string>>,
  operation: string,
  model: string,
): string =>
  (paths[operation] ?? `/v2/inference/{model}/${operation}`).replace('{model}', () =>
    encodeURIComponent(model),
  );
