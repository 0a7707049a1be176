import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import { FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { ENV } from '../../../shared/runtime/index.ts';
import { LambdaFunction, type Use } from '../lambda-function.ts';
import type { Messaging } from '../messaging.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { Storage } from '../storage.ts';

type ApiStack = Stack & {
  readonly parameters: Parameters;
  readonly storage: Storage;
  readonly messaging: Messaging;
  readonly common: readonly Use[];
};

/** A stream ends after ten minutes (`MAX_STREAM_MS`). */
const TIMEOUT = Duration.minutes(11);

/**
 * The API for integrations, at an address of its own: API Gateway's HTTP APIs do not stream. The concurrency is reserved, so that a flood on it takes none from
 * the fronts of the platforms, and costs no more than this many functions.
 */
export function createIntegrationApi(stack: ApiStack, maxRequests: number): Use {
  const { lambda } = new LambdaFunction(stack, 'IntegrationApi', {
    entry: 'api',
    invocationLog: 'failures',
    description: 'The API for integrations: checks the key, queues the question, streams the answer',
    timeout: TIMEOUT,
    reservedConcurrency: maxRequests,
    // It mostly waits, and its address has no alias.
    gradual: false,
    uses: [
      ...stack.common,
      stack.parameters.use('HistoryDays'),
      stack.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'Query'),
      stack.storage.useTokens('GetItem', 'UpdateItem'),
      stack.messaging.useSend(),
    ],
  });
  const url = lambda.addFunctionUrl({
    authType: FunctionUrlAuthType.NONE,
    invokeMode: InvokeMode.RESPONSE_STREAM,
  });
  new CfnOutput(stack, 'IntegrationApiUrl', {
    description: 'Base URL of the API for integrations',
    value: url.url,
  });
  return { env: { [ENV.apiUrl]: url.url } };
}
