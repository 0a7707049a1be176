import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { ENV } from '../../../shared/runtime/index.ts';
import { type AlarmRule, FIVE_MINUTE_SUM } from '../alarm-rule.ts';
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

export type IntegrationApi = {
  /** For the workers, which tell people its address. */
  readonly use: Use;
  readonly serverErrors: IMetric;
  readonly throttles: IMetric;
};

/** A stream ends after ten minutes (`MAX_STREAM_MS`). */
const TIMEOUT = Duration.minutes(11);

/**
 * The API for integrations, at an address of its own: API Gateway's HTTP APIs do not stream. The concurrency is reserved, so that a flood on it takes none from
 * the fronts of the platforms, and costs no more than this many functions.
 */
export function createIntegrationApi(stack: ApiStack, maxRequests: number): IntegrationApi {
  const { lambda } = new LambdaFunction(stack, 'IntegrationApi', {
    entry: 'api',
    // `api` was the access log of API Gateway.
    logName: 'integration-api',
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
  return {
    use: { env: { [ENV.apiUrl]: url.url } },
    serverErrors: lambda.metric('Url5xxCount', FIVE_MINUTE_SUM),
    throttles: lambda.metricThrottles(FIVE_MINUTE_SUM),
  };
}

/** Alarms on the API. Its address is not behind API Gateway, so the alarms of the fronts do not see it. */
export const createIntegrationApiRules = ({
  serverErrors,
  throttles,
}: IntegrationApi): readonly AlarmRule[] => [
  {
    id: 'ApiFails',
    anchor: 'api-fails',
    meaning: 'Integrations get 5xx responses from the API.',
    metric: serverErrors,
    threshold: 3,
    periods: 1,
  },
  {
    id: 'ApiThrottled',
    anchor: 'api-throttled',
    meaning: 'Lambda rejects requests of integrations: as many as `-c api` allows are open.',
    metric: throttles,
    threshold: 10,
    periods: 1,
  },
];
