import type { ProcessContext } from '../../shared/worker/index.ts';
import { LargeWorkerNeededError } from '../../shared/runtime/byte-budget.ts';
import type { TaskHandler } from '../../shared/task-queue/index.ts';
import type { ScenarioOptions } from './options.ts';

/** Replaces the lookup of the model's input types, which follows the claim of a question. */
const about = () => Promise.reject(new LargeWorkerNeededError());

/** A worker with several concurrent tasks, and no capacity for those that are `large`. */
export function sharedWorkerContext<T extends { readonly serve: TaskHandler }>(
  large: ScenarioOptions['large'],
  context: ProcessContext,
  workerContext: (context: ProcessContext) => T,
): Omit<T, 'serve'> & { readonly serve: TaskHandler } {
  const worker = workerContext(
    large ? { ...context, chat: { ...context.chat, modelFacts: about } } : context,
  );
  return large === 'at once' ? { ...worker, serve: () => Promise.resolve({ kind: 'too-large' }) } : worker;
}
