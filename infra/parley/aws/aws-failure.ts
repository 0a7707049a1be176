import type { ProbeResult } from '../../configuration/index.ts';

type FailedRequest = {
  readonly region: string;
  /** The action of IAM that the request needs, such as `sqs:SendMessage`. */
  readonly action: string;
};

/** AWS limits requests, or fails for a moment. The capacity of a table has an error of its own. */
export const THROTTLED =
  /Throttl|LimitExceeded|ProvisionedThroughputExceeded|ServiceUnavailable|InternalServer|InternalFailure|TooManyRequests/u;

/** What to do if AWS cannot be reached. The variables are those of Node and of most other programs. */
export const AWS_UNREACHABLE =
  'AWS could not be reached: is there a network? Behind a proxy, set NODE_USE_ENV_PROXY=1 and HTTPS_PROXY.';

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
  if (response.html)
    return 'Something else answers in place of AWS: a proxy, or the login page of a network.';
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
