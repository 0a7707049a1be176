import { parseJson } from '../../../shared/utils/index.ts';
import type { InvocationOutcome } from '../functions/thread.ts';
import type { FunctionSpec } from '../template/resource-types.ts';
import type { AwsOperations } from './aws-endpoint.ts';

type Invoke = (functionId: string, event: unknown) => Promise<InvocationOutcome>;

/** Emulates Lambda's Invoke: waits for the result. An error of the function is a result, as Lambda sends it. */
export const createInvokeOperations = (
  functions: readonly Pick<FunctionSpec, 'name' | 'logicalId'>[],
  invoke: Invoke,
): AwsOperations =>
  Object.fromEntries(
    functions.map(({ name, logicalId }) => [
      `POST /2015-03-31/functions/${name}/invocations`,
      async (input: unknown) => {
        const outcome = await invoke(logicalId, input);
        if (outcome.kind === 'answer') return parseJson(outcome.payload);
        return { errorType: outcome.errorType, errorMessage: outcome.message };
      },
    ]),
  );
