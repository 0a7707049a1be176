import type { AwsAccess } from '../runtime/index.ts';
import { type AwsCall, type AwsCallOptions, createAwsCall } from './aws-request.ts';

/** Ours have much less, but for a PDF, which only the large worker asks for. Source: the quota of Lambda for a synchronous response. */
const MAX_RESPONSE_BYTES = 6 * 1024 * 1024;

/** Invokes a function with a JSON event, and resolves with its JSON result, not validated yet. */
export type InvokeFunction = (event: unknown, signal: AbortSignal) => Promise<unknown>;

/**
 * Invokes a Lambda function and waits for its result. Sent at most once: the function may have an effect. Rejects with AwsError. An error of the
 * function itself is a result of another form, with `errorMessage`.
 */
export const invokeFunction =
  (name: string, aws: AwsCall): InvokeFunction =>
  (event, signal) =>
    aws({
      service: 'lambda',
      target: 'Invoke',
      path: `/2015-03-31/functions/${name}/invocations`,
      input: JSON.stringify(event),
      isSentOnce: true,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      signal,
    });

/** How many functions a process invokes at once; further invocations wait for a connection, which a function can hold for 18 s. */
const MAX_INVOCATIONS = 32;

/** Like `createAwsCall`, but with up to 32 connections to Lambda. */
export function createInvokingCall(access: AwsAccess, options: AwsCallOptions): AwsCall {
  const invoke = createAwsCall(access, { ...options, maxConnections: MAX_INVOCATIONS });
  const call = createAwsCall(access, options);
  return (operation) => (operation.service === 'lambda' ? invoke : call)(operation);
}
