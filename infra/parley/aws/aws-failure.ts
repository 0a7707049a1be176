import type { ProbeResult } from '../../configuration/index.ts';

type FailedRequest = {
  readonly region: string;
  /** The action of IAM that the request needs, such as `sqs:SendMessage`. */
  readonly action: string;
};

/** AWS limits requests, or fails for a moment. */
export const THROTTLED =
  /Throttl|LimitExceeded|ServiceUnavailable|InternalServer|InternalFailure|TooManyRequests/u;

const NO_HOST = 'no host of this name is known';

/**
 * Says what to do about a failed request to AWS, if its error code tells. `code`: from `readAwsError`. Source: AWS IAM documentation, common errors of signed
 * requests; a region that is not enabled rejects credentials as unknown.
 */
export function findAwsFix(
  response: ProbeResult,
  code: string,
  { region, action }: FailedRequest,
): string | undefined {
  if (response.kind === 'unreachable')
    return response.reason === NO_HOST
      ? `Is the region ${region} right? Set AWS_REGION. Otherwise there is no network.`
      : undefined;
  const [, fix] = FIXES.find(([pattern]) => pattern.test(code)) ?? [];
  return fix?.({ region, action });
}

const FIXES: readonly (readonly [codes: RegExp, fix: (of: FailedRequest) => string])[] = [
  [/ExpiredToken/u, () => 'The credentials have expired: run "aws sso login", or copy new ones.'],
  [
    /UnrecognizedClient|InvalidClientToken|OptInRequired/u,
    ({ region }) =>
      `AWS does not know the access key, or the region ${region} is not enabled in the account: "npx parley doctor" checks them.`,
  ],
  [
    /InvalidSignature|SignatureDoesNotMatch|RequestExpired/u,
    () => 'The secret access key is wrong, or the clock of this machine is: "npx parley doctor" checks them.',
  ],
  [/AccessDenied|UnauthorizedOperation/u, ({ action }) => `The credentials lack the right ${action}.`],
  [THROTTLED, () => 'AWS is busy: try again in a minute.'],
];
