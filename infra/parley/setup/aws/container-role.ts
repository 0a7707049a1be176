import type { Probe } from '../../../configuration/index.ts';
import { type AwsAccount, FORM_HEADERS, readAwsError, sendSigned } from '../../aws/signed-request.ts';

/** IAM has one address for all regions, and its requests are signed for this one. */
const IAM = { region: 'us-east-1', endpoint: 'https://iam.amazonaws.com' } as const;
/** What to run if it fails. */
const COMMAND = 'aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com';

/**
 * Creates the service-linked role of ECS, once per account: CloudFormation cannot create the first cluster of an account without it. If that fails, it says
 * how to do it by hand: the role may exist. Never rejects. Source: Amazon ECS Developer Guide, "Using service-linked roles".
 */
export async function createContainerRole(
  account: AwsAccount,
  probe: Probe,
  say: (line: string) => void,
): Promise<void> {
  const body = String(
    new URLSearchParams({
      Action: 'CreateServiceLinkedRole',
      Version: '2010-05-08',
      AWSServiceName: 'ecs.amazonaws.com',
    }),
  );
  const at = { ...account, region: IAM.region, endpoint: account.endpoint ?? IAM.endpoint };
  const request = { service: 'iam', method: 'POST', path: '/', headers: FORM_HEADERS, body } as const;
  const response = await sendSigned(at, request, probe);
  if (response.kind === 'answered' && response.status === 200) return;
  const code = readAwsError(response);
  // "... has been taken in this account".
  if (code === 'InvalidInput') return;
  say(
    `The role of ECS for the relay could not be created (${code}). If the account has none, run "${COMMAND}".`,
  );
}
