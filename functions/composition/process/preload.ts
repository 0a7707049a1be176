import type { WorkerContext } from '../../../shared/worker/index.ts';

/** What is missing then is loaded by the first question. */
const MAX_MS = 1_000;

/**
 * Loads what every first question needs, while Lambda initializes the function with a whole processor: the API key and the
 * list of models. That also opens the connections to Secrets Manager, DynamoDB and the models: the first encrypted connection
 * of a process takes 20 ms of processor time, and each further one 2 to 5 ms. Requests nothing that the first question would
 * not request too. Resolves after at most `maxMs`. Never rejects.
 */
export async function preload({ chat }: Pick<WorkerContext, 'chat'>, maxMs = MAX_MS): Promise<void> {
  const late = new Promise<void>((resolve) => void setTimeout(resolve, maxMs).unref());
  const loaded = chat.listModels().then(
    () => undefined,
    // The first question loads it again, and reports the error.
    () => undefined,
  );
  await Promise.race([late, loaded]);
}
