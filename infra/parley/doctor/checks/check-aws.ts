import * as v from 'valibot';
import { findAwsFix } from '../../aws/aws-failure.ts';
import { type AwsAccount, FORM_HEADERS, readAwsError, sendSigned } from '../../aws/signed-request.ts';
import { type Check, fail, pass, type Probe, type ProbeResult, warn } from '../../../configuration/index.ts';

/** Functions that may run at a time in a deployment without options. Source: docs/deploying.md, Concurrency. */
const NEEDED_CONCURRENCY = 50;

/**
 * Options for an account that may run few functions at a time. With the two functions for dead letters they are eight of the ten that a new account may run,
 * so that events of the platforms find one. Two is the minimum of SQS.
 */
export const FEW_FUNCTIONS = ['workerConcurrency=2', 'recordingConcurrency=2', 'largeConcurrency=2'] as const;
/** The same as people type it. */
export const FEW_FUNCTIONS_OPTIONS: string = FEW_FUNCTIONS.map((option) => `-c ${option}`).join(' ');

const identitySchema = v.object({
  GetCallerIdentityResponse: v.object({ GetCallerIdentityResult: v.object({ Account: v.string() }) }),
});
const settingsSchema = v.object({ AccountLimit: v.object({ ConcurrentExecutions: v.number() }) });

/** Checks the credentials, and the quota that is small in new accounts. */
export async function checkAws(account: AwsAccount, probe: Probe): Promise<Check[]> {
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  const identity = await sendSigned(
    account,
    { service: 'sts', method: 'POST', path: '/', headers: FORM_HEADERS, body },
    probe,
  );
  const credentials = evaluateCredentials(identity, account.region);
  if (credentials.result !== 'pass') return [credentials];
  return [credentials, evaluateConcurrency(account.region, await requestSettings(account, probe))];
}

const requestSettings = (account: AwsAccount, probe: Probe): Promise<ProbeResult> =>
  sendSigned(account, { service: 'lambda', method: 'GET', path: '/2016-08-19/account-settings/' }, probe);

/** How many functions may run at a time in the account and region. Undefined if it could not be read. */
const readLimit = (response: ProbeResult): number | undefined => {
  const settings = response.kind === 'answered' ? v.safeParse(settingsSchema, response.json) : undefined;
  return settings?.success ? settings.output.AccountLimit.ConcurrentExecutions : undefined;
};

/** Returns how many functions may run at a time, if a deployment without options may need more. */
export async function findSmallLimit(account: AwsAccount, probe: Probe): Promise<number | undefined> {
  const limit = readLimit(await requestSettings(account, probe));
  return limit !== undefined && limit < NEEDED_CONCURRENCY ? limit : undefined;
}

/** Evaluates the response to `sts:GetCallerIdentity`. */
function evaluateCredentials(response: ProbeResult, region: string): Check {
  const name = 'AWS credentials';
  const code = readAwsError(response);
  const fix = findAwsFix(response, code, { region, action: 'sts:GetCallerIdentity' });
  if (response.kind === 'unreachable')
    return warn(
      name,
      `were not checked: AWS could not be reached: ${response.reason}.`,
      fix ?? 'Try again later.',
    );
  const identity = v.safeParse(identitySchema, response.json);
  if (identity.success) {
    const { Account: account } = identity.output.GetCallerIdentityResponse.GetCallerIdentityResult;
    return pass(name, `are valid for the account ${account}.`);
  }
  return fail(
    name,
    `are rejected by AWS (${code}).`,
    CREDENTIAL_FIXES[code] ?? fix ?? 'Run "aws sts get-caller-identity", which tells more.',
  );
}

const SIGN_IN = 'They have expired. Sign in again: "aws sso login", or copy new ones.';
/** Source: AWS IAM documentation, common errors of STS. */
const CREDENTIAL_FIXES: Readonly<Record<string, string>> = {
  ExpiredToken: SIGN_IN,
  ExpiredTokenException: SIGN_IN,
  InvalidClientTokenId:
    'AWS does not know the access key, the session token is missing, or the region is not enabled in the account. Run "aws configure".',
  SignatureDoesNotMatch:
    'The secret access key is wrong, or the clock of this machine is. Run "aws configure".',
};

/** Evaluates the response to `lambda:GetAccountSettings`. */
function evaluateConcurrency(region: string, response: ProbeResult): Check {
  const name = 'AWS Lambda concurrency';
  const limit = readLimit(response);
  if (limit === undefined)
    return warn(
      name,
      `in ${region} could not be read.`,
      'Allow lambda:GetAccountSettings for these credentials, or see docs/deploying.md.',
    );
  if (limit >= NEEDED_CONCURRENCY) return pass(name, `in ${region} is ${limit}.`);
  return warn(
    name,
    `in ${region} is ${limit}, as in new accounts; Parley may use ${NEEDED_CONCURRENCY}. Events are rejected when it is reached.`,
    `Run: aws service-quotas request-service-quota-increase --region ${region} --service-code lambda --quota-code L-B99A9384 --desired-value 1000. Until then deploy with ${FEW_FUNCTIONS_OPTIONS}, as "npx parley setup" does: tasks use 8 then, and events the others.`,
  );
}
