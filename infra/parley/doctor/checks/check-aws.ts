import aws4 from 'aws4';
import * as v from 'valibot';
import { type Check, fail, pass, type Probe, type ProbeResult, warn } from '../../../configuration/index.ts';

export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

export type AwsAccount = {
  readonly credentials: AwsCredentials;
  readonly region: string;
  /** Replaces the addresses of AWS, for tests. */
  readonly endpoint?: string | undefined;
};

/** Functions that may run at a time in a deployment without options. Source: docs/deploying.md, Concurrency. */
const NEEDED_CONCURRENCY = 50;

const identitySchema = v.object({
  GetCallerIdentityResponse: v.object({ GetCallerIdentityResult: v.object({ Account: v.string() }) }),
});
const settingsSchema = v.object({ AccountLimit: v.object({ ConcurrentExecutions: v.number() }) });
const errorSchema = v.object({ Error: v.object({ Code: v.string() }) });

/** Checks the credentials, and the quota that is small in new accounts. */
export async function checkAws(account: AwsAccount, probe: Probe): Promise<Check[]> {
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  const identity = await send(account, { service: 'sts', method: 'POST', path: '/', body }, probe);
  const credentials = evaluateCredentials(identity);
  if (credentials.result !== 'pass') return [credentials];
  const path = '/2016-08-19/account-settings/';
  const settings = await send(account, { service: 'lambda', method: 'GET', path }, probe);
  return [credentials, evaluateConcurrency(account.region, settings)];
}

type AwsRequest = {
  readonly service: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
};

/** Sends a signed request. */
function send(
  { credentials, region, endpoint }: AwsAccount,
  { service, method, path, body }: AwsRequest,
  probe: Probe,
): Promise<ProbeResult> {
  const base = new URL(endpoint ?? `https://${service}.${region}.amazonaws.com`);
  const { headers } = aws4.sign(
    {
      service,
      region,
      method,
      path,
      host: base.host,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }),
      },
      body: body ?? '',
    },
    {
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey,
      ...(credentials.sessionToken !== undefined && { sessionToken: credentials.sessionToken }),
    },
  );
  // `fetch` sets these itself.
  const sent = Object.entries(headers).filter(([name]) => !/^(?:host|content-length)$/i.test(name));
  return probe(new URL(path, base).href, {
    method,
    headers: Object.fromEntries(sent.map(([name, value]) => [name, String(value)])),
    ...(body !== undefined && { body }),
  });
}

/** Evaluates the response to `sts:GetCallerIdentity`. */
export function evaluateCredentials(response: ProbeResult): Check {
  const name = 'AWS credentials';
  if (response.kind === 'unreachable')
    return warn(name, `were not checked: AWS could not be reached: ${response.reason}.`, 'Try again later.');
  const identity = v.safeParse(identitySchema, response.json);
  if (identity.success) {
    const { Account: account } = identity.output.GetCallerIdentityResponse.GetCallerIdentityResult;
    return pass(name, `are valid for the account ${account}.`);
  }
  const error = v.safeParse(errorSchema, response.json);
  const code = error.success ? error.output.Error.Code : `status ${response.status}`;
  const fix = CREDENTIAL_FIXES[code] ?? 'Run "aws sts get-caller-identity", which tells more.';
  return fail(name, `are rejected by AWS (${code}).`, fix);
}

const SIGN_IN = 'They have expired. Sign in again: "aws sso login", or copy new ones.';
/** Source: AWS IAM documentation, common errors of STS. */
const CREDENTIAL_FIXES: Readonly<Record<string, string>> = {
  ExpiredToken: SIGN_IN,
  ExpiredTokenException: SIGN_IN,
  InvalidClientTokenId:
    'AWS does not know the access key, or the session token is missing. Run "aws configure".',
  SignatureDoesNotMatch:
    'The secret access key is wrong, or the clock of this machine is. Run "aws configure".',
};

/** Evaluates the response to `lambda:GetAccountSettings`. */
export function evaluateConcurrency(region: string, response: ProbeResult): Check {
  const name = 'AWS Lambda concurrency';
  const settings = response.kind === 'answered' ? v.safeParse(settingsSchema, response.json) : undefined;
  if (!settings?.success)
    return warn(
      name,
      `in ${region} could not be read.`,
      'Allow lambda:GetAccountSettings for these credentials, or see docs/deploying.md.',
    );
  const limit = settings.output.AccountLimit.ConcurrentExecutions;
  if (limit >= NEEDED_CONCURRENCY) return pass(name, `in ${region} is ${limit}.`);
  return warn(
    name,
    `in ${region} is ${limit}, as in new accounts; Parley may use ${NEEDED_CONCURRENCY}. Events are rejected when it is reached.`,
    `Run: aws service-quotas request-service-quota-increase --region ${region} --service-code lambda --quota-code L-B99A9384 --desired-value 1000. Until then deploy with -c recordingConcurrency=2.`,
  );
}
