import * as v from 'valibot';
import { createProbe, type Probe, type ProbeResult } from '../../configuration/index.ts';
import { findAwsFix, THROTTLED } from '../aws/aws-failure.ts';
import { type AwsAccount, readAwsError, sendSigned } from '../aws/signed-request.ts';
import { OperatorError } from '../operator-error.ts';

/**
 * Sends an operation of an AWS service with a JSON protocol, and resolves with the response, not yet validated. Rejects with
 * AwsCallError.
 */
export type OperatorCall = (service: string, target: string, input: object) => Promise<unknown>;

const objectSchema = v.record(v.string(), v.unknown());

/** Returns a call for clients that serialize their input themselves. */
export const toServiceCall =
  (call: OperatorCall) =>
  ({
    service,
    target,
    input,
  }: {
    readonly service: string;
    readonly target: string;
    readonly input: string;
  }) =>
    call(service, target, v.parse(objectSchema, JSON.parse(input)));

/** AWS did not do what a command asked for. The message says what to do. */
export class AwsCallError extends OperatorError {
  override readonly name = 'AwsCallError';
  /** The error code of AWS, or why it could not be reached. */
  readonly code: string;
  /** Whether the same request may succeed soon: AWS was busy, or could not be reached. */
  readonly isTemporary: boolean;
  constructor(target: string, code: string, fix: string, isTemporary = false) {
    super(`${target} failed (${code}). ${fix}`);
    this.code = code;
    this.isTemporary = isTemporary;
  }
}

export type OperatorCallOptions = {
  /** Addresses by service, in place of those of AWS. */
  readonly endpoints?: Readonly<Record<string, string | undefined>>;
  /** What to do if nothing can be reached. */
  readonly unreachable: string;
  /** Operations that are sent again if there was no response; none by default. */
  readonly isRepeatable?: (operation: string) => boolean;
  readonly createProbe?: (timeoutMs: number) => Probe;
};

const REQUEST_TIMEOUT_MS = 20_000;
const MAX_ATTEMPTS = 4;
/** Of services whose actions in IAM have another prefix than their requests. */
const ACTION_PREFIXES: Readonly<Record<string, string>> = { monitoring: 'cloudwatch' };
/** The first wait; each further one is twice as long. */
const RETRY_MS = 500;

/** Creates a call with these credentials. Throttled and failed requests are sent up to four times, and those of `isRepeatable` also without a response. */
export function createOperatorCall(account: AwsAccount, options: OperatorCallOptions): OperatorCall {
  const { endpoints = {}, isRepeatable = () => false, createProbe: probes = createProbe } = options;
  return async (service, target, input) => {
    const endpoint = endpoints[service] ?? account.endpoint;
    const request = {
      service,
      method: 'POST' as const,
      path: '/',
      headers: { 'content-type': `application/x-amz-json-${jsonVersion(service)}`, 'x-amz-target': target },
      body: JSON.stringify(input, encodeBytes),
    };
    for (let attempt = 1; ; attempt += 1) {
      const response = await sendSigned({ ...account, endpoint }, request, probes(REQUEST_TIMEOUT_MS));
      if (isSuccess(response)) return response.json;
      const code = readAwsError(response);
      const isUnanswered = response.kind === 'unreachable';
      const isTemporary = isUnanswered || response.status >= 500 || THROTTLED.test(code);
      const mayRetry = isTemporary && (!isUnanswered || isRepeatable(getOperationName(target)));
      if (!mayRetry || attempt === MAX_ATTEMPTS)
        throw new AwsCallError(
          getOperationName(target),
          code,
          findAwsFix(response, code, {
            region: account.region,
            action: toAction(service, getOperationName(target)),
          }) ?? findFix(response, code, options.unreachable),
          isTemporary,
        );
      await new Promise((resolve) => {
        setTimeout(resolve, RETRY_MS * 2 ** (attempt - 1));
      });
    }
  };
}

const jsonVersion = (service: string): string =>
  /^(?:dynamodb|monitoring|sqs)$/u.test(service) ? '1.0' : '1.1';
const getOperationName = (target: string): string => target.split('.').at(-1) ?? target;

/** IAM has no actions for the batches of SQS: they need that of the single operation. */
const toAction = (service: string, operation: string): string =>
  `${ACTION_PREFIXES[service] ?? service}:${service === 'sqs' ? operation.replace(/Batch$/u, '') : operation}`;

const isSuccess = (response: ProbeResult): response is ProbeResult & { kind: 'answered' } =>
  response.kind === 'answered' && response.status >= 200 && response.status < 300 && !response.html;

/** DynamoDB's protocol has bytes as base64. A Buffer has already replaced itself in `value`, so the original is read. */
function encodeBytes(this: unknown, key: string, value: unknown): unknown {
  const original: unknown = Reflect.get(Object(this), key);
  return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value;
}

function findFix(response: ProbeResult, code: string, unreachable: string): string {
  if (response.kind === 'unreachable') return unreachable;
  if (/ResourceNotFound|NonExistentQueue|QueueDoesNotExist/u.test(code))
    return 'It does not exist: check --stage and AWS_REGION.';
  return 'Try again. If the error remains, "npx parley doctor" checks the credentials.';
}
